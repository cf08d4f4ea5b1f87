/* An arm at a desk: frames come and go as lines of hexadecimal digits, and its sensor is a coin.
 *
 *     gcc example.c bitarm_agent.c -lm -o arm
 *     ./arm 0.7 kept-        heads in 7 of 10 tosses; remembered in the files kept-0 and kept-1
 *
 * On a board put your flash, your radio and your sensor in place of the four functions below. Each
 * line in is a frame. Each line out is the frame to send; or - if there is none; or below 0 what
 * was wrong, by its number in bitarm_agent.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitarm_agent.h"

#define UNIT (1 << 16) /* rewards are whole numbers of 2^-16 */

static FILE *slot_file(const char *prefix, int slot, const char *mode) {
    char path[256];
    snprintf(path, sizeof path, "%s%d", prefix, slot);
    return fopen(path, mode);
}

static void read_slot(void *context, int slot, void *bytes, size_t size) {
    FILE *file = slot_file(context, slot, "rb");
    if (file) {
        if (fread(bytes, 1, size, file) != size)
            memset(bytes, 0, size); /* nothing was written there, or not all of it */
        fclose(file);
    }
}

static int write_slot(void *context, int slot, const void *bytes, size_t size) {
    FILE *file = slot_file(context, slot, "wb");
    if (!file)
        return 1;
    size_t written = fwrite(bytes, 1, size, file);
    return (fclose(file) != 0) | (written != size); /* on a board: wait until it is in the flash */
}

static int32_t read_sensor(double mean) {
    return rand() < mean * ((double)RAND_MAX + 1) ? UNIT : 0;
}

static void say(const bitarm_agent *agent, int status) {
    for (int n = 0; n < status; n++)
        printf("%02x", agent->memory.reply[n]);
    if (status <= 0)
        printf(status ? "%d" : "-", status);
    putchar('\n');
    fflush(stdout);
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: %s MEAN PREFIX, as in: %s 0.7 kept-\n", words[0], words[0]);
        return 2;
    }
    bitarm_device device = {16, 0, UNIT, 1 << 20, BITARM_BITS, words[2], read_slot, write_slot};
    bitarm_agent agent;
    char line[2 * BITARM_FRAME + 2];
    double mean = atof(words[1]);
    srand((unsigned)(mean * 1000));
    int status = bitarm_start(&agent, &device);
    while (status != BITARM_MISUSE && fgets(line, sizeof line, stdin)) {
        uint8_t frame[BITARM_FRAME];
        size_t size = 0;
        unsigned byte;
        while (size < sizeof frame && sscanf(line + 2 * size, "%2x", &byte) == 1)
            frame[size++] = (uint8_t)byte;
        status = bitarm_receive(&agent, frame, size);
        while (status == BITARM_QUIET && agent.wanted)
            status = bitarm_observe(&agent, read_sensor(mean));
        say(&agent, status);
    }
    if (status != BITARM_MISUSE)
        return 0;
    fprintf(stderr, "%s0 and %s1 are of another kind of device: erase them\n", words[2], words[2]);
    return 1;
}
