/* Frames and power cuts at random against the agent in C, for the sanitizers to watch.
 *
 *     fuzz SEED STEPS < FRAMES        good frames as hexadecimal digits, one a line
 *
 * Frames are changed under a right check sum, rewards are anything, writes fail or are torn. Ends
 * with 1 if the agent says anything that it must not: two answers to one question, an answer that
 * was not kept, a frame that is too long, or more pulls than it may make.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitarm_agent.h"

enum { MOST_FRAMES = 1024, MOST_PULLS = 5000 };

typedef struct {
    uint8_t bytes[2 * BITARM_FRAME];
    size_t size;
} frame;

static frame corpus[MOST_FRAMES];
static int frames;
static uint64_t state;
static uint8_t slots[2][sizeof(bitarm_memory)];
static int fails, tears; /* so many writes fail; power fails in the next one */

static uint32_t draw(uint32_t end) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % end;
}

static void read_slot(void *context, int slot, void *bytes, size_t size) {
    (void)context;
    memcpy(bytes, slots[slot], size);
}

static int write_slot(void *context, int slot, const void *bytes, size_t size) {
    (void)context;
    if (fails) {
        fails--;
        return 1;
    }
    memcpy(slots[slot], bytes, tears ? draw((uint32_t)size) : size);
    return tears;
}

static void seal(frame *one) {
    uint32_t crc = 0xFFFF, size = (uint32_t)one->size, ones = 0;
    for (uint32_t left = size; left; left >>= 1)
        ones += left & 1;
    one->bytes[2] = (uint8_t)((size | (ones & 1) << 15) >> 8);
    one->bytes[3] = (uint8_t)size;
    for (size_t n = 0; n < one->size - 2; n++) {
        crc ^= (uint32_t)one->bytes[n] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1 ^ (crc >> 15 & 1 ? 0x1021 : 0)) & 0xFFFF;
    }
    one->bytes[one->size - 2] = (uint8_t)(crc >> 8);
    one->bytes[one->size - 1] = (uint8_t)crc;
}

static frame changed(void) {
    static const uint8_t edges[] = {0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xFE, 0xFF};
    frame one = corpus[draw((uint32_t)frames)];
    for (uint32_t times = draw(4); times; times--) {
        size_t place = 4 + draw((uint32_t)one.size - 4);
        uint8_t byte = draw(2) ? edges[draw(sizeof edges)] : (uint8_t)draw(256);
        if (draw(4) == 0 && one.size < sizeof one.bytes) {
            memmove(one.bytes + place + 1, one.bytes + place, one.size++ - place);
            one.bytes[place] = byte;
        } else if (draw(4) == 0 && one.size > 12) {
            memmove(one.bytes + place, one.bytes + place + 1, --one.size - place);
        } else {
            one.bytes[place] = byte;
        }
    }
    if (draw(10) && one.size >= 12)
        seal(&one);
    return one;
}

static int give(bitarm_agent *agent, const bitarm_device *device) {
    const int32_t extremes[] = {INT32_MIN, INT32_MIN + 1, device->low - 1, device->low,
                                device->high, device->high + 1, INT32_MAX};
    int32_t reward = device->low + (int32_t)draw((uint32_t)(device->high - device->low) + 1);
    return bitarm_observe(agent, draw(20) ? reward : extremes[draw(7)]);
}

static int wrong(const char *what, long step) {
    fprintf(stderr, "%s at step %ld\n", what, step);
    return 1;
}

static int play(long steps) {
    static const int32_t highs[] = {0, 1, 1000, 65536, (1 << 28) - 1};
    bitarm_device device = {16, 0, 65536, MOST_PULLS, BITARM_BITS, NULL, read_slot, write_slot};
    bitarm_agent agent;
    uint8_t heard[BITARM_FRAME] = {0}, reply[BITARM_FRAME];
    int length = 0;
    for (long step = 0; step < steps; step++) {
        int status = 0, size = 0;
        if (step % 200 == 0) { /* another device */
            memset(slots, 0xA5, sizeof slots);
            device.fraction = (uint8_t)draw(31);
            device.high = highs[draw(5)];
            device.low = draw(2) ? 0 : -device.high;
            device.most_bits = draw(3) ? BITARM_BITS : (uint8_t)(1 + draw(40));
            fails = tears = length = 0;
            status = bitarm_start(&agent, &device);
        } else if (draw(30) == 0) {
            tears = 0;
            status = bitarm_start(&agent, &device);
        } else if (agent.wanted && draw(8)) {
            status = give(&agent, &device);
        } else {
            frame one = changed();
            uint8_t *exact = malloc(one.size); /* so that reading beyond it is seen */
            if (!exact)
                return 1;
            memcpy(exact, one.bytes, one.size);
            status = bitarm_receive(&agent, exact, one.size);
            free(exact);
        }
        if (status == BITARM_FLASH && tears) { /* what it holds is gone with the power */
            tears = 0;
            status = bitarm_start(&agent, &device);
        }
        size = status > 0 ? status : 0;
        if (size > BITARM_FRAME || (size && size < 11))
            return wrong("a frame that is none", step);
        if (agent.wanted > MOST_PULLS)
            return wrong("too many pulls", step);
        if (size && length && !memcmp(heard, agent.memory.heard, sizeof heard) &&
            (size != length || memcmp(reply, agent.memory.reply, (size_t)size)))
            return wrong("two answers to one question", step);
        if (size) {
            memcpy(heard, agent.memory.heard, sizeof heard);
            memcpy(reply, agent.memory.reply, sizeof reply);
            length = size;
            bitarm_agent again;
            if (bitarm_start(&again, &device) != size || memcmp(reply, again.memory.reply, 11))
                return wrong("an answer that was not kept", step);
            device.fraction ^= 1;
            if (bitarm_start(&again, &device) != BITARM_MISUSE)
                return wrong("it went on in other units", step);
            device.fraction ^= 1;
        }
        fails = draw(40) ? 0 : (int)draw(3);
        tears = draw(60) == 0;
    }
    return 0;
}

int main(int count, char **words) {
    char line[4 * BITARM_FRAME + 2];
    while (frames < MOST_FRAMES && fgets(line, sizeof line, stdin)) {
        frame *one = &corpus[frames];
        for (one->size = 0; one->size < BITARM_FRAME; one->size++) {
            unsigned byte;
            if (sscanf(line + 2 * one->size, "%2x", &byte) != 1)
                break;
            one->bytes[one->size] = (uint8_t)byte;
        }
        frames += one->size >= 12;
    }
    if (count < 3 || !frames)
        return 2;
    state = 0x9E3779B97F4A7C15 ^ strtoull(words[1], NULL, 10);
    return play(strtol(words[2], NULL, 10));
}
