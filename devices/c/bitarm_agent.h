/* One arm of a bitarm run on a small board, in C99: no allocation, no file, no clock.
 *
 *     bitarm_agent agent;
 *     int length = bitarm_start(&agent, &device);          what a power cut left unsaid
 *     if (length > 0) send(agent.memory.reply, length);    and so after each of the calls below
 *     length = bitarm_receive(&agent, frame, size);        from the radio
 *     while (!length && agent.wanted)
 *         length = bitarm_observe(&agent, read_sensor());
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
    BITARM_FRAME = 64,   /* bytes of the longest frame, both ways */
    BITARM_BITS = 192,   /* no answer has more */
    BITARM_QUIET = 0,    /* nothing to send; above 0: so many bytes of the reply are to be sent */
    BITARM_REFUSED = -1, /* a frame or question that the agent cannot read or serve */
    BITARM_REWARD = -2,  /* a reward outside the bounds: not counted, and a person must know */
    BITARM_FLASH = -3,   /* a write failed: try bitarm_resume */
    BITARM_MISUSE = -4   /* a reward that is not wanted, no such device, a store in other units */
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

typedef struct {
    int64_t low;   /* in lengths, which are whole numbers of 2^-32 of the device's unit */
    uint32_t unit; /* the distance between the bounds, or sigma, in the device's units */
    uint32_t kind;
} bitarm_scale;

/* All that is kept, in one piece and without padding. */
typedef struct {
    uint32_t layout, saves; /* which build wrote it; how often */
    bitarm_scale scale;
    uint64_t count;
    int64_t sum, total, predicted; /* of rewards; and where these have bounds, Σx and Σx̂ */
    uint64_t squares;              /* and V, the three in units of 2^-32 */
    uint32_t fortunes[16];         /* of those who bet on high rewards, and on low ones, */
    int32_t powers[16];            /* times these powers of two */
    uint8_t heard[BITARM_FRAME];   /* the last request or dismissal that it took */
    uint8_t reply[BITARM_FRAME];   /* to that, once it is due */
    uint16_t reply_size, has_conceded; /* bytes; whether it says that the arm is beaten */
    uint32_t check_sum; /* the last bytes: a torn write never has them right */
} bitarm_memory;

typedef struct {
    const bitarm_device *device;
    bitarm_memory memory;
    uint64_t saved;  /* the count that is kept */
    uint32_t wanted; /* rewards to the next look or answer */
} bitarm_agent;

/* Go on from what the device kept, or begin. As all below: the reply's length, or a code above. The
 * device must stay where it is; no call may interrupt another. */
int bitarm_start(bitarm_agent *agent, const bitarm_device *device);
/* Take in whatever the radio heard. What is refused changes nothing. */
int bitarm_receive(bitarm_agent *agent, const uint8_t *frame, size_t size);
/* Take in one reward, while `wanted` is not 0. */
int bitarm_observe(bitarm_agent *agent, int32_t reward);
/* Go on with the question at hand, after a write that failed. */
int bitarm_resume(bitarm_agent *agent);
/* Keep everything now; whenever you like: rewards since the last time can be lost. */
int bitarm_save(bitarm_agent *agent);

#endif
