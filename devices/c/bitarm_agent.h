/* One arm of a bitarm run on a small board, in C99: no allocation, no file, no clock.
 *
 *     bitarm_agent agent;
 *     uint8_t reply[BITARM_REPLY];
 *     int length = bitarm_start(&agent, &device, reply);          what a power cut left unsaid
 *     if (length > 0) send(reply, length);
 *     length = bitarm_receive(&agent, frame, size, reply);        from the radio
 *     while (bitarm_wanted(&agent))
 *         length = bitarm_observe(&agent, read_sensor(), reply);
 *
 * docs/wire.md says what an agent does, docs/devices.md how to use this one. Rewards, sums and
 * positions are whole numbers, exact on every board. Floats only weigh evidence, and every rounding
 * makes that weaker: with short floats an arm gives up later than it might, never sooner.
 */
#ifndef BITARM_AGENT_H
#define BITARM_AGENT_H

#include <stddef.h>
#include <stdint.h>

/* BITARM_FLOAT: evidence is weighed in `float`, for boards without double precision. */
#ifdef BITARM_FLOAT
typedef float bitarm_real;
#else
typedef double bitarm_real;
#endif

enum {
    BITARM_REPLY = 64,     /* bytes of the longest reply */
    BITARM_QUIET = 0,      /* nothing to send; above 0: so many bytes are to be sent */
    BITARM_TRUNCATED = -1, /* the frame goes on */
    BITARM_CORRUPT = -2,   /* no frame, or one that says what cannot be */
    BITARM_VERSION = -3,   /* a frame of another version */
    BITARM_REFUSED = -4,   /* not for this agent, or more than it can do */
    BITARM_REWARD = -5,    /* a reward outside the bounds: not counted, and a person must know */
    BITARM_FLASH = -6,     /* a write failed: try bitarm_resume */
    BITARM_MISUSE = -7     /* a reward that was not wanted, or a device that cannot be */
};

/* The board. Rewards are whole numbers of 2^-fraction, in [low, high], below 2^29 of them. */
typedef struct {
    uint8_t fraction;    /* at most 30 */
    int32_t low, high;
    uint32_t most_pulls; /* for one question, at most 2^30: who asks must not wear a sensor out */
    void *context;       /* of the two functions below */
    /* Two slots of sizeof(bitarm_memory) bytes. read: what was written there, or any other bytes if
     * nothing was or power failed. write: 0 once the bytes are kept for good. */
    void (*read)(void *context, int slot, void *bytes, size_t size);
    int (*write)(void *context, int slot, const void *bytes, size_t size);
} bitarm_device;

/* On which scale evidence is kept. Both numbers are odd ones times powers of two. */
typedef struct {
    int64_t low, unit;
    int16_t low_power, unit_power;
    uint8_t kind; /* 0 none, 1 unit is σ, 2 rewards lie in [low, low + unit] */
    uint8_t unused[3];
} bitarm_scale;

/* What is asked. Lengths are whole numbers of 2^half, which is half the frame's unit. No padding:
 * two questions are the same if their bytes are. */
typedef struct {
    uint64_t until, divisor;
    int64_t place, step; /* the centre or the edge; the width of a cell */
    bitarm_scale scale;
    int16_t half;
    uint8_t form, escape, rung, below, hurdles[3];
    int8_t spread;
    uint8_t unused[6];
} bitarm_question;

/* All that is kept, in one piece. */
typedef struct {
    uint32_t layout, saves; /* which build wrote it; how often */
    uint64_t arm, message, count;
    int64_t sum;
    int32_t run;                     /* -1 before the first request */
    int16_t epoch;                   /* likewise */
    uint8_t dismissed, bits;         /* why, or 0; how many were answered */
    uint8_t answer[24];
    bitarm_question question;        /* its form is 0 before the first */
    bitarm_scale scale;
    int64_t total, predicted;        /* Σx and Σx̂, where rewards have bounds: in units of 2^-32 */
    uint64_t squares;                /* V, likewise */
    bitarm_real fortunes[16];        /* of those who bet on high rewards, and on low ones, */
    int32_t powers[16];              /* times these powers of two */
    uint32_t unused, check_sum;      /* the last bytes: a torn write never has them right */
} bitarm_memory;

typedef struct {
    const bitarm_device *device;
    bitarm_memory memory;
    uint64_t target, saved; /* the count at the next look or answer; the count that is kept */
} bitarm_agent;

/* Go on from what the device kept, or begin. As all below: the reply's length, or a code above. */
int bitarm_start(bitarm_agent *agent, const bitarm_device *device, uint8_t *reply);
int bitarm_receive(bitarm_agent *agent, const uint8_t *frame, size_t size, uint8_t *reply);
int bitarm_observe(bitarm_agent *agent, int32_t reward, uint8_t *reply);
/* Go on with the question at hand, after a write that failed. */
int bitarm_resume(bitarm_agent *agent, uint8_t *reply);
/* Keep everything now; whenever you like: rewards since the last time can be lost. */
int bitarm_save(bitarm_agent *agent);
/* Rewards to the next look or answer. */
uint32_t bitarm_wanted(const bitarm_agent *agent);

#endif
