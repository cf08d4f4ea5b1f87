/* The bench of the agent in C; benches.py says what its lines mean. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitarm_agent.h"

#ifndef ARMS
#define ARMS 16
#endif

enum { LINE = 2048 };

typedef struct {
    bitarm_agent agent;
    bitarm_device device;
    uint8_t slots[2][sizeof(bitarm_memory)];
    long full, tear;
    int is_dead;
} arm;

static arm arms[ARMS];
static char line[LINE];

static void read_slot(void *context, int slot, void *bytes, size_t size) {
    memcpy(bytes, ((arm *)context)->slots[slot], size);
}

static int write_slot(void *context, int slot, const void *bytes, size_t size) {
    arm *own = context;
    if (own->full > 0) {
        own->full--;
        return 1;
    }
    if (own->tear >= 0) {
        memcpy(own->slots[slot], bytes, (size_t)own->tear < size ? (size_t)own->tear : size - 1);
        own->is_dead = 1;
        return 1;
    }
    memcpy(own->slots[slot], bytes, size);
    return 0;
}

static const char *kind_of(int status) {
    static const char *const names[] = {"quiet", "refused", "reward", "full", "misuse"};
    return status > 0 ? "say" : names[-status];
}

static int hear(arm *own, const char *words) {
    /* Exactly as long as the frame, so that a sanitizer sees whoever reads beyond it. */
    size_t size = strlen(words) / 2;
    uint8_t *frame = malloc(size ? size : 1);
    int status;
    if (!frame)
        exit(1);
    for (size_t n = 0; n < size; n++) {
        char digits[3] = {words[2 * n], words[2 * n + 1], 0};
        frame[n] = (uint8_t)strtoul(digits, NULL, 16);
    }
    status = bitarm_receive(&own->agent, frame, size);
    free(frame);
    return status;
}

static int give(arm *own, char *words) {
    int status = BITARM_QUIET;
    for (char *word = strtok(words, " "); word && !status; word = strtok(NULL, " "))
        status = bitarm_observe(&own->agent, (int32_t)strtol(word, NULL, 10));
    return status;
}

static int begin(arm *own, char *words) {
    memset(own, 0, sizeof *own);
    own->tear = -1;
    own->device.fraction = (uint8_t)strtol(words, &words, 10);
    own->device.low = (int32_t)strtol(words, &words, 10);
    own->device.high = (int32_t)strtol(words, &words, 10);
    own->device.most_pulls = (uint32_t)strtoul(words, &words, 10);
    own->device.most_bits = (uint8_t)strtoul(words, &words, 10);
    if (!own->device.most_bits)
        own->device.most_bits = BITARM_BITS;
    own->device.context = own;
    own->device.read = read_slot;
    own->device.write = write_slot;
    return bitarm_start(&own->agent, &own->device);
}

static int serve(arm *own, const char *verb, char *words) {
    if (!strcmp(verb, "new"))
        return begin(own, words);
    if (!strcmp(verb, "hear"))
        return hear(own, words);
    if (!strcmp(verb, "give"))
        return give(own, words);
    if (!strcmp(verb, "full"))
        own->full = strtol(words, NULL, 10);
    if (!strcmp(verb, "tear"))
        own->tear = strtol(words, NULL, 10);
    if (strcmp(verb, "cut") != 0)
        return BITARM_QUIET;
    own->is_dead = 0;
    own->tear = -1;
    return bitarm_start(&own->agent, &own->device);
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        char *words = line, *verb;
        arm *own = &arms[strtoul(words, &words, 10) % ARMS];
        int status = BITARM_QUIET;
        line[strcspn(line, "\r\n")] = 0;
        verb = words + 1;
        words = verb + strcspn(verb, " ");
        if (*words)
            *words++ = 0;
        if (!own->is_dead || !strcmp(verb, "cut"))
            status = serve(own, verb, words);
        if (own->is_dead)
            status = BITARM_QUIET;
        int rests = !strcmp(verb, "rest") && own->agent.memory.has_conceded;
        printf("%s ", own->is_dead ? "dead" : rests ? "rest" : kind_of(status));
        for (int n = 0; n < status; n++)
            printf("%02x", own->agent.memory.reply[n]);
        printf("%s %lu %lu\n", status > 0 ? "" : "-",
               own->is_dead ? 0ul : (unsigned long)own->agent.wanted,
               (unsigned long)own->agent.memory.count);
        fflush(stdout);
    }
    return 0;
}
