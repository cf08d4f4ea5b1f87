/* How an agent weighs its rewards: docs/evidence.md has the proofs, docs/wire.md the formulas. */
#include "bitarm_evidence.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef bitarm_real real;
#ifdef BITARM_FLOAT
#define EXP expf
#define LOG logf
#define SQRT sqrtf
#define LDEXP ldexpf
#define FREXP frexpf
#define FLOOR floorf
#define FABS fabsf
#define EPSILON (FLT_EPSILON / 2)
#else
#define EXP exp
#define LOG log
#define SQRT sqrt
#define LDEXP ldexp
#define FREXP frexp
#define FLOOR floor
#define FABS fabs
#define EPSILON (DBL_EPSILON / 2)
#endif

#define ROUNDING (512 * (real)EPSILON) /* of the largest number added up: all roundings */
/* A bettor's 1, less what its factor may be rounded up by. */
#define BARE ((real)1 - 8 * (real)EPSILON - (real)1 / 536870912)
#define LN2 ((real)0.69314718055994530942)

static const uint8_t numerators[3] = {62, 40, 25}; /* of the rates: over 64, and 4 every 3 rungs */

/* -- the mean ---------------------------------------------------------------------------------- */

uint64_t bitarm_size(int64_t number)
{
    return number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
}

int bitarm_shift(int64_t *number, int by)
{
    if (*number && (by > 60 || bitarm_size(*number) >= (uint64_t)BITARM_ROOM >> by))
        return 0;
    if (*number)
        *number = *number * ((int64_t)1 << by);
    return 1;
}

int64_t bitarm_floor(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

int64_t bitarm_place(const bitarm_agent *agent, real *rest)
{
    const bitarm_memory *m = &agent->memory;
    int shift = -agent->device->fraction - m->question.half;
    int64_t count = (int64_t)m->count, whole = bitarm_floor(m->sum, count);
    int64_t left = m->sum - whole * count;
    for (; shift > 0; shift--) {
        left *= 2;
        whole = whole * 2 + (left >= count);
        left -= left >= count ? count : 0;
    }
    *rest = (real)left / (real)count;
    if (shift < 0) {
        int64_t per = (int64_t)1 << (shift < -40 ? 40 : -shift); /* rewards have 30 bits */
        int64_t place = bitarm_floor(whole, per);
        *rest = ((real)(whole - place * per) + *rest) / (real)per;
        return place;
    }
    return whole;
}

int64_t bitarm_units(const bitarm_device *device, int64_t number, int power)
{
    power += device->fraction;
    if (number && (power < 0 || !bitarm_shift(&number, power)))
        return BITARM_WIDEST;
    return bitarm_size(number) < (uint64_t)BITARM_WIDEST ? number : BITARM_WIDEST;
}

int64_t bitarm_scaled(const bitarm_agent *agent, int64_t number, int power)
{
    const bitarm_scale *scale = &agent->memory.scale;
    int64_t low = bitarm_units(agent->device, scale->low, scale->low_power);
    int64_t unit = bitarm_units(agent->device, scale->unit, scale->unit_power);
    int64_t most = BITARM_WIDEST * 2; /* nothing that is asked or seen lies beyond */
    for (power += agent->device->fraction; power < -32; power++)
        number = bitarm_floor(number, 2);
    if (power < 0)
        most = most * ((int64_t)1 << -power);
    for (; power > 0 && number <= most && number >= -most; power--)
        number *= 2;
    number = number > most ? most : number < -most ? -most : number;
    return bitarm_floor(number * ((int64_t)1 << (32 + power)) - low * ((int64_t)1 << 32), unit);
}

/* -- evidence ---------------------------------------------------------------------------------- */

static real rate(int rung) /* of bounded rewards; four times as much over σ */
{
    return LDEXP((real)numerators[rung % 3], -6 - 2 * (rung / 3));
}

static real in_scale(int64_t number)
{
    return LDEXP((real)number, -32);
}

static real clamped(real mean, uint64_t pulls)
{
    real least = (real)0.5 / ((real)pulls + 1), most = 1 - least;
    return mean < least ? least : mean > most ? most : mean;
}

/* (-ln(1 - y) - y)/y^2, about 1/2: by its series where floats would cancel. */
static real curve(real y)
{
    real total = 0;
    if (FABS(y) > (real)0.25)
        return (-LOG(1 - y) - y) / (y * y);
    for (int n = 28; n > 1; n--)
        total = total * y + (real)1 / (real)n;
    return total;
}

/* What a bettor loses with each reward, by the model of docs/wire.md. */
static real cost(real step, real mean, real spread, uint64_t pulls)
{
    real lean = 2 * spread / (1 + spread);
    mean = clamped(mean, pulls);
    lean = (2 * mean - 1) * (lean < 1 ? lean : 1) * step;
    return spread * mean * (1 - mean) * step * step * curve(lean);
}

void bitarm_bet(bitarm_memory *m, int64_t x)
{
    int64_t guess = (((int64_t)1 << 31) + m->total) / ((int64_t)m->count + 1), off = x - guess;
    m->total += x;
    m->predicted += guess;
    /* Rounded up, by more than the guess was rounded down. */
    m->squares += (bitarm_size(off) * bitarm_size(off) >> 32) + 3;
    for (int rung = 0; rung < 8; rung++) {
        real stake = rate(rung) * in_scale(off);
        m->fortunes[rung] *= BARE + stake;
        m->fortunes[8 + rung] *= BARE - stake;
    }
    for (int n = 0; m->count % 16 == 15 && n < 16; n++) {
        int power;
        m->fortunes[n] = FREXP(m->fortunes[n], &power);
        m->powers[n] += power;
    }
}

/* Of bounded rewards: evidence that the mean is above (side 1) or below (-1) what, times the count,
 * is `shift`; `size` becomes that of what it was made of. */
static real evidence(const bitarm_memory *m, int rung, int side, int64_t shift, real *size)
{
    real step = rate(rung), one, two, three = 0;
    int bettor = side > 0 ? rung : 8 + rung;
    if (rung < 8) {
        one = LOG(m->fortunes[bettor]);
        three = (real)m->powers[bettor] * LN2;
        two = (real)side * step * in_scale(m->predicted - shift);
    } else {
        int64_t total = m->total - shift + (side < 0 ? (int64_t)m->count : 0); /* rounded down */
        one = -curve(step) * step * step * in_scale((int64_t)m->squares);
        two = (real)side * step * in_scale(total);
    }
    *size = FABS(one) + FABS(two) + FABS(three);
    return one + two + three;
}

/* A sum of exponentials of lines in m. */
typedef struct {
    real values[12], slopes[12], size;
    int count;
} lines;

static real look(const lines *sum, real m, real *slope)
{
    real top = -FLT_MAX, total = 0, steep = 0;
    for (int n = 0; n < sum->count; n++) {
        real value = sum->values[n] + sum->slopes[n] * m;
        top = value > top ? value : top;
    }
    for (int n = 0; n < sum->count; n++) {
        real share = EXP(sum->values[n] + sum->slopes[n] * m - top);
        total += share;
        steep += share * sum->slopes[n];
    }
    *slope = steep / total;
    return top + LOG(total);
}

/* Whether the sum is at least 1 for all m in [low, high]. Its logarithm is convex, hence above its
 * tangents: it is looked at where two of them cross. */
static int reaches(const lines *sum, real low, real high)
{
    real level = ROUNDING * sum->size, steepest = 0, falling, rising;
    for (int n = 0; n < sum->count; n++) { /* beyond these ends one line alone is enough */
        real slope = sum->slopes[n], value = sum->values[n];
        real end = slope != 0 ? (level - value) / slope : 0;
        steepest = FABS(slope) > steepest ? FABS(slope) : steepest;
        if (slope < 0)
            low = end > low ? end : low;
        else if (slope > 0)
            high = end < high ? end : high;
        else if (value >= level)
            return 1;
    }
    if (low > high || high - low > (real)1e30) /* without end, some m explains everything */
        return low > high;
    level += ROUNDING * steepest * (FABS(low) > FABS(high) ? FABS(low) : FABS(high));
    real left = look(sum, low, &falling), right = look(sum, high, &rising);
    for (int n = 0; n < 80; n++) {
        if (left < level || right < level || falling >= 0 || rising <= 0) /* or least at an end */
            return left >= level && right >= level;
        real m = low + (right - left - rising * (high - low)) / (falling - rising), slope;
        real least = left + falling * (m - low);
        if (least >= level || !(low < m && m < high))
            return least >= level;
        real value = look(sum, m, &slope);
        if (slope < 0) {
            low = m;
            left = value;
            falling = slope;
        } else {
            high = m;
            right = value;
            rising = slope;
        }
    }
    return 0;
}

int bitarm_is_beaten(const bitarm_agent *agent)
{
    const bitarm_memory *m = &agent->memory;
    const bitarm_question *q = &m->question;
    int is_sigma = m->scale.kind == BITARM_SIGMA;
    real rest, count = (real)m->count;
    int64_t ahead = bitarm_place(agent, &rest) - q->place;
    real unit = LDEXP((real)m->scale.unit, m->scale.unit_power - q->half);
    real lead = ((real)ahead + rest) / unit, lead_size = ((real)bitarm_size(ahead) + 1) / unit;
    int64_t edge = is_sigma ? 0 : bitarm_scaled(agent, q->place, q->half);
    static const real shares[4] = {(real)0.5, (real)0.25, (real)0.15, (real)0.1};
    lines sum = {{0}, {0}, 0, 0};
    for (int place = 0; place < 3; place++) {
        int byte = q->hurdles[place], winner = q->rung + place;
        real hurdle = byte < 128   ? (real)byte / 8
                      : byte < 192 ? 16 + (real)(byte - 128) / 2
                                   : 48 + (real)(byte - 192) * 4;
        for (int climb = 0; byte < 255 && climb < 4; climb++) {
            int loser = winner > climb ? winner - climb : 0;
            int64_t slope = (int64_t)numerators[loser % 3] * (int64_t)m->count;
            real step = 4 * rate(loser), value, size;
            slope = slope * ((int64_t)1 << 2 * (winner / 3 - loser / 3)) -
                    (int64_t)numerators[winner % 3] * (int64_t)q->until;
            if (is_sigma) {
                value = -count * step * (lead + step / 2);
                size = count * step * (lead_size + step);
            } else {
                value = evidence(m, loser, -1, (int64_t)m->count * edge, &size);
            }
            sum.slopes[sum.count] = LDEXP((real)slope, (is_sigma ? -4 : -6) - 2 * (winner / 3));
            sum.values[sum.count++] = value + LOG(shares[climb]) - hurdle;
            size += hurdle + 3;
            sum.size = size > sum.size ? size : sum.size;
        }
    }
    if (!sum.count)
        return 0;
    if (is_sigma)
        return reaches(&sum, -FLT_MAX, FLT_MAX);
    return reaches(&sum, -in_scale(edge) - ROUNDING, 1 - in_scale(edge) + ROUNDING);
}

/* Steps to the highest cell whose lower end the evidence certifies; INT64_MIN if none does. */
static int64_t certified(const bitarm_agent *agent, int64_t steps, int spread)
{
    const bitarm_memory *m = &agent->memory;
    const bitarm_question *q = &m->question;
    real count = (real)m->count;
    for (int tries = 0; bitarm_size(steps) < (uint64_t)BITARM_ROOM / (uint64_t)q->step; tries++) {
        int64_t middle = q->place + steps * q->step, holds = 1;
        int64_t edge = bitarm_scaled(agent, middle - q->step / 2, q->half) + 1;
        for (int rung = q->rung; rung < q->rung + 3; rung++) {
            real size, told = evidence(m, rung, 1, (int64_t)m->count * edge, &size);
            real mean = in_scale(bitarm_scaled(agent, middle, q->half));
            real lost = count * cost(rate(rung), mean, LDEXP(1, spread), m->count);
            holds &= told + lost >= ROUNDING * (size + lost + count * rate(rung));
        }
        if (holds)
            return steps;
        steps -= (int64_t)1 << tries / 8;
    }
    return INT64_MIN;
}

int64_t bitarm_edge(const bitarm_agent *agent, int64_t steps, int *change)
{
    const bitarm_memory *m = &agent->memory;
    const bitarm_question *q = &m->question;
    int64_t kept = certified(agent, steps, q->spread);
    real count = (real)m->count, mean = in_scale(m->total) / count, step = rate(q->rung + 1), size;
    real lost = -evidence(m, q->rung + 1, 1, m->total, &size) / count, fitted = LDEXP(1, q->spread);
    lost = lost > (real)1e-12 ? lost : (real)1e-12;
    for (int n = 0; n < 6; n++) { /* cost is nearly in proportion to the spread */
        fitted *= lost / cost(step, mean, fitted, m->count);
        fitted = fitted < LDEXP(1, -40) ? LDEXP(1, -40) : fitted > 4 ? 4 : fitted;
    }
    real off = LOG(fitted) / LN2 - (real)q->spread, away = FLOOR(off + (real)0.5);
    *change = FABS(off) < (real)0.75 ? 0 : away > 20 ? 20 : away < -20 ? -20 : (int)away;
    if (*change && kept != INT64_MIN) {
        int64_t anew = certified(agent, steps, q->spread + *change);
        real own = clamped(mean, m->count), gain = (real)(anew - kept) * (real)q->step;
        real unit = LDEXP((real)m->scale.unit, m->scale.unit_power - q->half);
        own *= (1 - own) * LDEXP(1, q->spread);
        if (anew != INT64_MIN && gain > (real)0.5 * unit * SQRT(own / count))
            return anew;
    }
    *change = 0;
    return kept;
}

int bitarm_quarters(const bitarm_agent *agent, int64_t steps)
{
    const bitarm_memory *m = &agent->memory;
    const bitarm_question *q = &m->question;
    if (m->scale.kind == BITARM_SIGMA)
        return 0;
    real mean = in_scale(bitarm_scaled(agent, q->place + steps * q->step, q->half));
    real own = in_scale((int64_t)m->squares) / (real)m->count, bound = (real)0.5;
    int quarters = 0;
    mean = clamped(mean, m->count);
    for (; quarters < 8 && own / (mean * (1 - mean)) < bound; bound /= 4)
        quarters++;
    return quarters;
}
