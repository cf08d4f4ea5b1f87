/* What the agent's two sources share: the numbers that it weighs, and what follows from them. */
#ifndef BITARM_EVIDENCE_H
#define BITARM_EVIDENCE_H

#include "bitarm_agent.h"

#define BITARM_WIDEST ((int64_t)1 << 29) /* rewards and bounds are below this many units, */
#define BITARM_ROOM ((int64_t)1 << 60)   /* and positions below this: everything has 64 bits */

enum { BITARM_SIGMA = 1, BITARM_BOUNDED = 2 }; /* kinds of a scale */

uint64_t bitarm_size(int64_t number);
/* Multiply by 2^by, if there is room for that; else 0 is returned. */
int bitarm_shift(int64_t *number, int by);
int64_t bitarm_floor(int64_t number, int64_t by);

/* Where the mean is: whole halves of the question's unit, and what is left, below 1. */
int64_t bitarm_place(const bitarm_agent *agent, bitarm_real *rest);
/* A bound of a scale in the device's units; BITARM_WIDEST if it is no whole number below that. */
int64_t bitarm_units(const bitarm_device *device, int64_t number, int power);
/* number * 2^power on the scale of the bounds, in units of 2^-32, rounded down. */
int64_t bitarm_scaled(const bitarm_agent *agent, int64_t number, int power);

/* Let all bettors play one reward, scaled so. */
void bitarm_bet(bitarm_memory *memory, int64_t reward);
/* How often a coin's variance is to be quartered to come near to that of the rewards. */
int bitarm_quarters(const bitarm_agent *agent, int64_t steps);
/* Steps to the edge, from those to the mean; and the change of the spread, or 0. INT64_MIN if
 * nothing is certified. */
int64_t bitarm_edge(const bitarm_agent *agent, int64_t steps, int *change);
/* Whether the leader's evidence and its own say that the arm is not the best. */
int bitarm_is_beaten(const bitarm_agent *agent);

#endif
