/* Frames: bytes to what was heard, and what is answered to bytes. docs/wire.md has the format. */
#ifndef BITARM_FRAMES_H
#define BITARM_FRAMES_H

#include "bitarm_agent.h"

enum { BITARM_NEAREST = 2, BITARM_PILOT = 6, BITARM_EDGE = 7, BITARM_CHALLENGE = 8 }; /* forms */
enum { BITARM_UNTOLD = 255, BITARM_POSITION = 254 }; /* in place of how many bits were answered */

/* A request, or a dismissal: then the number is its cause. */
typedef struct {
    bitarm_question question;
    uint64_t arm, number;
    int32_t run;
    int16_t epoch;
    uint8_t is_request;
} bitarm_heard;

/* A CRC that starts with all ones and is not reflected: 16 bits and 1021 for frames. */
uint32_t bitarm_check_sum(const uint8_t *bytes, size_t size, int bits, uint32_t poly);
/* 0, or which of the negative codes the frame deserves. */
int bitarm_read(const uint8_t *frame, size_t size, bitarm_heard *heard);
/* The frame of the answer that is kept; returns its length. */
int bitarm_write(const bitarm_memory *memory, uint8_t *reply);

#endif
