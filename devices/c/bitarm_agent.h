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
 * docs/wire.md says what an agent does, docs/devices.md how to use this one. All that is kept are
 * whole numbers, exact on every board. Floats only weigh them when the agent looks, and every
 * rounding makes evidence weaker: with short floats an arm gives up later than it might, never
 * sooner. Compile with -DBITARM_FLOAT to weigh it in `float`, where `double` is slow.
 */
#ifndef BITARM_AGENT_H
#define BITARM_AGENT_H

#include <stddef.h>
#include <stdint.h>

enum {
    BITARM_REPLY = 64,   /* bytes of the longest reply */
    BITARM_BITS = 192,   /* no answer has more */
    BITARM_QUIET = 0,    /* nothing to send; above 0: so many bytes are to be sent */
    BITARM_REFUSED = -1, /* a frame or question that the agent cannot read or serve */
    BITARM_REWARD = -2,  /* a reward outside the bounds: not counted, and a person must know */
    BITARM_FLASH = -3,   /* a write failed: try bitarm_resume */
    BITARM_MISUSE = -4   /* a reward that was not wanted, or a device that cannot be */
};

/* The board. Rewards are whole numbers of 2^-fraction, in [low, high], below 2^28 of them. */
typedef struct {
    uint8_t fraction;    /* at most 30 */
    int32_t low, high;
    uint32_t most_pulls; /* for one question, at most 2^30: who asks must not wear a sensor out */
    uint8_t most_bits;   /* of an answer: what the link carries, or BITARM_BITS */
    void *context;       /* of the two functions below */
    /* Two slots of sizeof(bitarm_memory) bytes. read: what was written there, or any other bytes if
     * nothing was or power failed. write: 0 once the bytes are kept for good. */
    void (*read)(void *context, int slot, void *bytes, size_t size);
    int (*write)(void *context, int slot, const void *bytes, size_t size);
} bitarm_device;

/* Lengths are whole numbers of 2^-32 of the device's unit. The structures have no padding: two
 * questions are the same if their bytes are. */
typedef struct {
    int64_t low, unit;   /* of bounds the unit is in the device's units, and power is 0; */
    int32_t kind, power; /* else σ is unit * 2^power of the lengths' units */
} bitarm_scale;

typedef struct {
    uint64_t until, divisor;
    int64_t place, step; /* the centre or the edge; the width of a cell */
    bitarm_scale scale;
    uint8_t form, escape, rung, below, hurdles[3];
    int8_t spread;
} bitarm_question;

/* All that is kept, in one piece. */
typedef struct {
    uint32_t layout, saves; /* which build wrote it; how often */
    uint64_t arm, message, count;
    bitarm_question question; /* its form is 0 before the first */
    bitarm_scale scale;
    int64_t sum, total, predicted; /* of rewards; and where these have bounds, Σx and Σx̂ */
    uint64_t squares;              /* and V, the three in units of 2^-32 */
    uint32_t fortunes[16];         /* of those who bet on high rewards, and on low ones, */
    int32_t powers[16];            /* times these powers of two */
    int32_t run;                   /* -1 before the first request */
    int16_t epoch;                 /* likewise */
    uint8_t dismissed, bits;       /* why, or 0; how many were answered */
    uint8_t answer[28];
    uint32_t check_sum; /* the last bytes: a torn write never has them right */
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
