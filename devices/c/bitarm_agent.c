#include "bitarm_agent.h"

#include <float.h>
#include <string.h>
#include <tgmath.h>

#ifdef BITARM_FLOAT
typedef float real;
#define EPSILON FLT_EPSILON
#else
typedef double real;
#define EPSILON DBL_EPSILON
#endif

#define ONE ((int64_t)1 << 32)         /* the device's unit; and the unit of a scale with bounds */
#define ROOM ((int64_t)1 << 60)        /* lengths are below this: everything has 64 bits */
#define MOST_PULLS ((uint64_t)1 << 30)
#define MOST_STEPS ((uint64_t)1 << 34) /* from 0 to whatever is told */
#define ROUNDING (256 * (real)EPSILON) /* of the largest number added up: all roundings */
#define LN2 ((real)0.69314718055994530942)

enum { REPORT = 1, REQUEST, DISMISS, POSITION };                              /* kinds of frames */
enum { NEAREST = 2, EVIDENCE = 5, PILOT, EDGE, CHALLENGE };                   /* of questions */
enum { SIGMA = 1, BOUNDED };                                                  /* of scales */
enum { ESCAPED = 0x20, IN_UNIT = 0x40, OF_SIGMA = 0x80 };                     /* in their byte */
enum { UNTOLD = 255, AHEAD = 254 }; /* in place of how many bits were answered */

static const uint8_t numerators[3] = {62, 40, 25}; /* of the rates: over 64, and 4 every 3 rungs */

static uint64_t size_of(int64_t number)
{
    return number < 0 ? (uint64_t)-number : (uint64_t)number;
}

static int64_t floor_of(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

/* -- reading frames ---------------------------------------------------------------------------- */

static uint32_t check_sum(const uint8_t *bytes, size_t size, uint32_t start, uint32_t poly)
{
    uint32_t crc = start;
    for (size_t n = 0; n < size; n++) {
        crc ^= (uint32_t)bytes[n] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? poly : 0);
    }
    return crc;
}

static uint32_t frame_sum(const uint8_t *bytes, size_t size) /* CRC-16/CCITT-FALSE */
{
    return check_sum(bytes, size, 0xFFFF0000, 0x10210000) >> 16;
}

static uint32_t length_word(uint32_t length) /* with a bit on top that makes the ones even */
{
    uint32_t word = length;
    for (int bit = 0; bit < 15; bit++)
        word ^= (length >> bit & 1) << 15;
    return word;
}

/* A walk through a frame's fields: whoever reads too far or too much finds it bad. */
typedef struct {
    const uint8_t *at, *end;
    int fraction, is_bad;
} fields;

static uint64_t take(fields *in, ptrdiff_t count)
{
    uint64_t number = 0;
    in->is_bad |= in->end - in->at < count;
    for (; !in->is_bad && count; count--)
        number = number << 8 | *in->at++;
    return number;
}

static uint64_t take_number(fields *in)
{
    uint64_t number = 0, byte = 0x80;
    for (int shift = 0; (byte & 0x80) && !in->is_bad; shift += 7) {
        byte = take(in, 1);
        in->is_bad |= (shift == 63 && byte > 1) || (byte == 0 && shift > 0);
        number |= (byte & 0x7F) << shift;
    }
    return number;
}

static uint64_t take_below(fields *in, uint64_t end)
{
    uint64_t number = take_number(in);
    in->is_bad |= number >= end;
    return in->is_bad ? 0 : number;
}

static int64_t take_signed(fields *in)
{
    int64_t folded = (int64_t)take_below(in, (uint64_t)1 << 54);
    return folded & 1 ? folded / 2 + 1 : -(folded / 2);
}

/* number * 2^power in the units of lengths. */
static int64_t length_of(fields *in, int64_t number, int64_t power)
{
    power += in->fraction + 32;
    for (; power < 0 && number && number % 2 == 0; power++)
        number /= 2;
    for (; power > 0 && number && size_of(number) < (uint64_t)ROOM; power--)
        number *= 2;
    in->is_bad |= number && (power != 0 || size_of(number) >= (uint64_t)ROOM);
    return number;
}

static int64_t take_float(fields *in)
{
    uint64_t bits = take(in, 8), mantissa = bits & (((uint64_t)1 << 52) - 1);
    int raised = (int)(bits >> 52 & 0x7FF);
    in->is_bad |= raised == 0x7FF || bits == (uint64_t)1 << 63;
    mantissa |= (uint64_t)(raised > 0) << 52;
    return length_of(in, bits >> 63 ? -(int64_t)mantissa : (int64_t)mantissa,
                     (raised ? raised : 1) - 1075);
}

/* An odd number, and the power of two that it is times. */
static int64_t take_odd(fields *in, int is_signed, int64_t *power)
{
    int64_t number = is_signed ? take_signed(in) : (int64_t)take_below(in, (uint64_t)1 << 53);
    *power = take_signed(in);
    in->is_bad |= number % 2 == 0 && (!is_signed || number || *power);
    return number;
}

static void take_scale(fields *in, bitarm_scale *scale, int more)
{
    int64_t low_power = 0, power = 0, low = more ? 0 : take_odd(in, 1, &low_power);
    int64_t unit = more == IN_UNIT ? 1 : take_odd(in, 0, &power);
    scale->kind = more == OF_SIGMA ? SIGMA : BOUNDED;
    in->is_bad |= !more && !low && unit == 1 && !power;
    if (scale->kind == SIGMA) {
        power += in->fraction + 32;
        in->is_bad |= power < -60 || power > 60; /* floats would not hold it */
        scale->power = (int32_t)power;
        scale->unit = unit;
    } else {
        scale->low = length_of(in, low, low_power);
        unit = length_of(in, unit, power);
        in->is_bad |= unit % ONE != 0; /* no whole number of the device's units */
        scale->unit = unit / ONE;
    }
}

static void take_question(fields *in, bitarm_question *q)
{
    int tag = (int)take(in, 1), form = tag & 0x0F, more = tag & 0xC0;
    in->is_bad |= form < EVIDENCE ? form != NEAREST || more : form > CHALLENGE || more == 0xC0;
    in->is_bad |= tag & 0x10 || (tag & ESCAPED && form == CHALLENGE);
    q->form = (uint8_t)form;
    q->until = take_below(in, 1000000000001);
    if (form == NEAREST) {
        q->place = take_float(in);
        q->step = take_float(in);
    } else {
        int64_t power = take_signed(in), place = take_signed(in);
        int64_t step = (int64_t)take_below(in, (uint64_t)1 << 53);
        in->is_bad |= place % 2 == 0 && step % 2 == 0;
        q->place = length_of(in, place, power);
        q->step = length_of(in, step, power);
    }
    in->is_bad |= q->step <= 0 || q->step % 2; /* half a cell is a length */
    q->divisor = form < CHALLENGE ? take_below(in, ((uint64_t)1 << 40) + 1) : 1;
    uint64_t rung = form >= EDGE ? take_below(in, form == EDGE ? 62 : 62 * 16) : 0;
    q->rung = (uint8_t)(form == CHALLENGE ? rung / 16 : rung);
    q->below = (uint8_t)(form == CHALLENGE ? rung % 16 : 0);
    int64_t spread = form == EDGE ? take_signed(in) : 0;
    in->is_bad |= spread < -40 || spread > 2;
    q->spread = (int8_t)spread;
    for (int n = 0; form == CHALLENGE && n < 3; n++)
        q->hurdles[n] = (uint8_t)take(in, 1);
    q->escape = (uint8_t)(tag & ESCAPED ? take_below(in, 65) : 20);
    in->is_bad |= tag & ESCAPED && q->escape == 20;
    if (form >= EVIDENCE)
        take_scale(in, &q->scale, more);
    in->is_bad |= !q->until || !q->divisor || !q->escape;
    in->is_bad |= !in->is_bad && size_of(q->place) / (uint64_t)q->step + q->below >= MOST_STEPS;
}

/* A request; or a dismissal: then there is no form, and the number is its cause. */
typedef struct {
    bitarm_question question;
    uint64_t arm, number;
    int32_t run;
    int16_t epoch;
} heard_frame;

static int read_frame(const uint8_t *frame, size_t size, int fraction, heard_frame *heard)
{
    memset(heard, 0, sizeof *heard);
    if (size < 12 || size > 0x7FFF || frame[0] != 0x80 ||
        (frame[1] != REQUEST && frame[1] != DISMISS) ||
        ((uint32_t)frame[2] << 8 | frame[3]) != length_word((uint32_t)size) ||
        ((uint32_t)frame[size - 2] << 8 | frame[size - 1]) != frame_sum(frame, size - 2))
        return 0;
    fields in = {frame + 4, frame + size - 2, fraction, 0};
    heard->run = (int32_t)take(&in, 3);
    heard->epoch = (int16_t)take(&in, 1);
    heard->arm = take_number(&in);
    heard->number = take_number(&in);
    if (frame[1] == REQUEST)
        take_question(&in, &heard->question);
    else
        in.is_bad |= heard->number > 2;
    return !in.is_bad && in.at == in.end && heard->number;
}

/* -- writing frames ---------------------------------------------------------------------------- */

/* Bits that are written to bytes of 0, from the top of the first one on. */
typedef struct {
    uint8_t *bytes;
    int count;
} bits;

static void put(bits *out, uint64_t number, int count)
{
    for (; count--; out->count++)
        out->bytes[out->count / 8] |= (uint8_t)((number >> count & 1) << (7 - out->count % 8));
}

static void put_number(bits *out, uint64_t number)
{
    for (; number > 0x7F; number >>= 7)
        put(out, 0x80 | (number & 0x7F), 8);
    put(out, number, 8);
}

/* The frame of the answer that is kept; returns its length. */
static int write_frame(const bitarm_memory *m, uint8_t *reply)
{
    bits out = {reply, 0}, length = {reply, 16};
    memset(reply, 0, BITARM_REPLY);
    if (m->bits <= 16 && m->arm < 65536 && m->message <= 57) {
        uint64_t code = 0, word = (uint64_t)m->answer[0] << 8 | m->answer[1];
        for (uint64_t left = m->message; left; left -= (code & (code - 1)) != 0)
            code++; /* to the next that has two bits */
        put(&out, 0x40 | code, 7);
        put(&out, word >> (16 - m->bits), m->bits);
        put(&out, (uint64_t)1 << (16 - m->bits), 17 - m->bits);
        put(&out, (uint64_t)m->run << 8 | (uint64_t)m->epoch, 32);
        put(&out, m->arm, 16);
    } else {
        put(&out, m->bits == AHEAD ? 0x80040000 : 0x80010000, 32); /* the length comes later */
        put(&out, (uint64_t)m->run << 8 | (uint64_t)m->epoch, 32);
        put_number(&out, m->arm);
        put_number(&out, m->message);
        put_number(&out, m->bits == AHEAD ? m->count : m->bits);
        for (int n = 0; m->bits != AHEAD && n < (m->bits + 7) / 8; n++)
            put(&out, m->answer[n], 8);
        put(&length, length_word((uint32_t)out.count / 8 + 2), 16);
    }
    put(&out, frame_sum(reply, (size_t)out.count / 8), 16);
    return out.count / 8;
}

static int digits(uint64_t number)
{
    int count = 0;
    for (; number; number >>= 1)
        count++;
    return count;
}

static void put_golomb(bits *out, uint64_t number, uint64_t divisor, uint64_t escape)
{
    uint64_t quotient = number / divisor, rest = number % divisor;
    int length = digits(divisor - 1);
    uint64_t is_short = ((uint64_t)1 << length) - divisor;
    for (uint64_t n = 0; n < escape && n < quotient; n++)
        put(out, 1, 1);
    if (quotient >= escape) { /* Elias' code */
        rest = number - escape * divisor + 1;
        put(out, 0, digits(rest) - 1);
        put(out, rest, digits(rest));
        return;
    }
    put(out, 0, 1);
    if (rest < is_short)
        put(out, rest, length - 1);
    else
        put(out, rest + is_short, length);
}

static uint64_t fold(int64_t number)
{
    return number > 0 ? (uint64_t)number * 2 - 1 : size_of(number) * 2;
}

/* -- evidence: docs/evidence.md has the proofs, docs/wire.md the formulas ----------------------- */

static real in_scale(int64_t number)
{
    return ldexp((real)number, -32);
}

/* The rate of a rung times so many pulls, less something in its units: whole numbers are taken from
 * each other, since the two are often nearly the same. */
static real rate(const bitarm_memory *m, int rung, uint64_t pulls, uint64_t less)
{
    int64_t number = (int64_t)(numerators[rung % 3] * pulls - less);
    return ldexp((real)number, (m->scale.kind == SIGMA ? -4 : -6) - 2 * (rung / 3));
}

/* Where 0 and ONE are the bounds; rounded down. */
static int64_t scaled(const bitarm_memory *m, int64_t length)
{
    return floor_of(length - m->scale.low, m->scale.unit);
}

/* The mean, rounded down; and whether it was not. */
static int64_t mean_of(const bitarm_memory *m, int *is_exact)
{
    int64_t count = (int64_t)m->count, whole = floor_of(m->sum, count);
    int64_t rest = (m->sum - whole * count) * ONE;
    *is_exact = rest % count == 0;
    return whole * ONE + rest / count;
}

/* Let all bettors play one reward. */
static void bet(bitarm_memory *m, int64_t x)
{
    int64_t guess = (ONE / 2 + m->total) / ((int64_t)m->count + 1), off = x - guess;
    m->total += x;
    m->predicted += guess;
    m->squares += (size_of(off) * size_of(off) >> 32) + 3; /* up, by more than x was down */
    for (int n = 0; n < 16; n++) {
        int64_t stake = numerators[n % 8 % 3] * (n < 8 ? off : -off - 1);
        stake = floor_of(stake, (int64_t)1 << (6 + 2 * (n % 8 / 3)));
        uint64_t fortune = m->fortunes[n] * (uint64_t)(ONE + stake);
        m->powers[n] -= 32;
        for (; fortune >> 31; fortune >>= 1)
            m->powers[n]++;
        m->fortunes[n] = (uint32_t)fortune;
    }
}

/* (-ln(1 - y) - y)/y^2, about 1/2: by its series where floats would cancel. */
static real curve(real y)
{
    real total = 0;
    if (fabs(y) > (real)0.25)
        return (-log(1 - y) - y) / (y * y);
    for (int n = 28; n > 1; n--)
        total = total * y + (real)1 / (real)n;
    return total;
}

/* Half a reward away from 0 and 1 at least: nobody saw that it is one of them. */
static real clamped(const bitarm_memory *m, real mean)
{
    real least = (real)0.5 / ((real)m->count + 1);
    return fmin(fmax(mean, least), 1 - least);
}

/* What a bettor loses with each reward, by the model of docs/wire.md. */
static real cost(const bitarm_memory *m, int rung, real mean, real spread)
{
    real step = rate(m, rung, 1, 0);
    mean = clamped(m, mean);
    real skew = (2 * mean - 1) * fmin(2 * spread / (1 + spread), (real)1);
    return spread * mean * (1 - mean) * step * step * curve(skew * step);
}

/* Evidence that the mean is above (side 1) or below (-1) the edge, which is on the scale of the
 * bounds, or with σ the question's place; and something more. Rounded down. */
static real evidence(const bitarm_memory *m, int rung, int side, int64_t edge, real more)
{
    real step = rate(m, rung, 1, 0), count = (real)m->count, won, lost, folded = 0;
    if (m->scale.kind == SIGMA) {
        int is_exact;
        int64_t lead = mean_of(m, &is_exact) - edge + (side < 0);
        won = count * ((real)lead / ldexp((real)m->scale.unit, m->scale.power));
        lost = -step * step / 2 * count;
    } else {
        int64_t number = (int64_t)m->count, total = m->predicted;
        if (rung < 8) {
            int bettor = side > 0 ? rung : 8 + rung;
            lost = log(ldexp((real)m->fortunes[bettor], -31));
            folded = (real)(m->powers[bettor] + 31) * LN2;
        } else {
            total = m->total + (side < 0 ? number : 0); /* each was rounded down */
            lost = -curve(step) * step * step * in_scale((int64_t)m->squares);
        }
        won = count * in_scale(total / number - edge) + in_scale(total % number);
    }
    won *= (real)side * step;
    return won + lost + folded + more -
           ROUNDING * (fabs(won) + fabs(lost) + fabs(folded) + fabs(more));
}

typedef struct {
    real value, slope;
} term;

/* Whether the logarithm of the sum of exp(value + slope * m) is at least the level for all m in
 * [low, high]. It is convex, hence above its tangents; and falls on one side of where it is least. */
static int reaches(const term *terms, int count, real low, real high, real level)
{
    for (int tries = 0; tries < 80; tries++) {
        real m = (low + high) / 2, top = -FLT_MAX, sum = 0, slope = 0;
        for (int n = 0; n < count; n++)
            top = fmax(top, terms[n].value + terms[n].slope * m);
        for (int n = 0; n < count; n++) {
            real share = exp(terms[n].value + terms[n].slope * m - top);
            sum += share;
            slope += share * terms[n].slope;
        }
        real value = top + log(sum);
        slope /= sum;
        if (value < level || value - fabs(slope) * (high - low) / 2 >= level)
            return value >= level;
        *(slope < 0 ? &low : &high) = m;
    }
    return 0;
}

/* Whether the leader's evidence and its own say that the arm is not the best. */
static int is_beaten(const bitarm_memory *m)
{
    static const real shares[4] = {(real)0.5, (real)0.25, (real)0.15, (real)0.1};
    const bitarm_question *q = &m->question;
    int is_sigma = m->scale.kind == SIGMA, count = 0;
    int64_t edge = is_sigma ? q->place : scaled(m, q->place);
    real low = is_sigma ? (real)-1e38 : -in_scale(edge) - ROUNDING;
    real high = is_sigma ? (real)1e38 : 1 - in_scale(edge) + ROUNDING;
    real steepest = 0;
    term terms[12];
    for (int place = 0; place < 3; place++) {
        int byte = q->hurdles[place], winner = q->rung + place;
        real hurdle = fmax((real)byte / 8, fmax((real)byte / 2 - 48, (real)byte * 4 - 720));
        for (int climb = 0; byte < 255 && climb < 4; climb++) {
            int loser = winner > climb ? winner - climb : 0;
            uint64_t rise = numerators[loser % 3] * m->count << 2 * (winner / 3 - loser / 3);
            real slope = -rate(m, winner, q->until, rise), more = log(shares[climb]) - hurdle;
            terms[count].value = evidence(m, loser, -1, edge, more) - ROUNDING;
            terms[count++].slope = slope;
            steepest = fmax(steepest, fabs(slope));
        }
    }
    for (int n = 0; n < count; n++) { /* beyond these ends one term alone is enough */
        real slope = terms[n].slope, end = -terms[n].value / slope;
        if (slope < 0)
            low = fmax(low, end);
        else if (slope > 0)
            high = fmin(high, end);
        else if (terms[n].value >= 0)
            return 1;
    }
    if (!count || low > high || high - low > (real)1e30) /* without end, some m explains all */
        return count && low > high;
    return reaches(terms, count, low, high, ROUNDING * steepest * fmax(fabs(low), fabs(high)));
}

/* Steps to the highest cell whose lower end the evidence certifies; INT64_MIN if none does. */
static int64_t certified(const bitarm_memory *m, int64_t steps, int spread)
{
    const bitarm_question *q = &m->question;
    uint64_t furthest = 2 * (uint64_t)(ROOM / q->step);
    for (int tries = 0; size_of(steps) <= furthest && size_of(steps) < 2 * MOST_STEPS; tries++) {
        int64_t middle = q->place + steps * q->step, edge = scaled(m, middle - q->step / 2) + 1;
        int holds = 1;
        for (int rung = q->rung; rung < q->rung + 3; rung++) {
            real lost = cost(m, rung, in_scale(scaled(m, middle)), ldexp((real)1, spread));
            real told = evidence(m, rung, 1, edge, (real)m->count * lost);
            holds &= told >= ROUNDING * rate(m, rung, m->count, 0);
        }
        if (holds)
            return steps;
        steps -= (int64_t)1 << tries / 8;
    }
    return INT64_MIN;
}

/* Steps to the edge, from those to the mean; and by how much the spread is told anew. */
static int64_t edge_of(const bitarm_memory *m, int64_t steps, int *change)
{
    const bitarm_question *q = &m->question;
    int64_t kept = certified(m, steps, q->spread), total = m->total / (int64_t)m->count;
    real count = (real)m->count, mean = in_scale(total);
    real lost = fmax(-evidence(m, q->rung + 1, 1, total, 0) / count, (real)1e-12);
    real least = ldexp((real)1, -40), spread = ldexp((real)1, q->spread), fitted = spread;
    for (int n = 0; n < 6; n++) { /* cost is nearly in proportion to the spread */
        fitted *= lost / fmax(cost(m, q->rung + 1, mean, fitted), (real)1e-37);
        fitted = fmin(fmax(fitted, least), (real)4);
    }
    real off = log(fitted) / LN2 - (real)q->spread;
    *change = (int)fmin(fmax(floor(off + (real)0.5), (real)-20), (real)20);
    if (fabs(off) >= (real)0.75 && kept != INT64_MIN) {
        int64_t anew = certified(m, steps, q->spread + *change);
        real own = clamped(m, mean), unit = (real)m->scale.unit * (real)ONE;
        real worth = (real)0.5 * unit * sqrt(spread * own * (1 - own) / count);
        if (anew != INT64_MIN && (real)(anew - kept) * (real)q->step > worth)
            return anew;
    }
    *change = 0;
    return kept;
}

/* The rewards' variance, in parts of that of a coin with the mean that is told. */
static real variance(const bitarm_memory *m, int64_t steps)
{
    real mean = clamped(m, in_scale(scaled(m, m->question.place + steps * m->question.step)));
    return in_scale((int64_t)m->squares) / (real)m->count / (mean * (1 - mean));
}

static void put_answer(bitarm_memory *m, int64_t lead, int64_t steps, int change, real ratio)
{
    const bitarm_question *q = &m->question;
    bits out = {m->answer, 0};
    memset(m->answer, 0, sizeof m->answer);
    if (q->form == CHALLENGE) {
        int64_t cell = floor_of(lead, q->step) + q->below;
        put(&out, 1, 1);
        put_golomb(&out, cell > 0 ? (uint64_t)cell : 0, 1, 6);
    } else {
        if (q->form == EDGE)
            put(&out, change != 0, 1);
        if (change)
            put_golomb(&out, fold(change), 1, 20);
        put_golomb(&out, fold(steps), q->divisor, q->escape);
        for (int n = 0; q->form == PILOT && n < 8 && ratio < ldexp((real)0.5, -2 * n); n++)
            put(&out, 1, 1);
        if (q->form == PILOT)
            put(&out, 0, 1);
    }
    m->bits = (uint8_t)out.count;
}

/* The answer to the question at hand, but for "beaten". */
static int write_answer(bitarm_memory *m, int most_bits)
{
    const bitarm_question *q = &m->question;
    int is_exact, change = 0, is_bounded = m->scale.kind == BOUNDED;
    int64_t lead = mean_of(m, &is_exact) - q->place;
    int64_t own = floor_of(lead + q->step / 2, q->step), steps = own;
    real ratio = q->form == PILOT && is_bounded ? variance(m, steps) : 1;
    if (q->form == EDGE && is_bounded)
        steps = edge_of(m, steps, &change);
    else if (q->form == EDGE) /* the lines of σ hold if the mean is above the cell's lower end */
        steps -= is_exact && lead == steps * q->step - q->step / 2;
    if (steps == INT64_MIN)
        return BITARM_REWARD;
    put_answer(m, lead, steps, change, ratio);
    if (m->bits > most_bits && change) /* the old spread will do */
        put_answer(m, lead, certified(m, own, q->spread), 0, ratio);
    if (m->bits > most_bits) { /* the link does not carry it: the word for that is a single 1 */
        memset(m->answer, 0, sizeof m->answer);
        m->answer[0] = 0x80;
        m->bits = 1;
    }
    return 0;
}

/* -- the machine ------------------------------------------------------------------------------- */

static uint32_t memory_sum(const bitarm_memory *m)
{
    return check_sum((const uint8_t *)m, offsetof(bitarm_memory, check_sum), ~0u, 0x4C11DB7);
}

int bitarm_save(bitarm_agent *agent)
{
    bitarm_memory *m = &agent->memory;
    m->saves++;
    m->check_sum = memory_sum(m);
    if (agent->device->write(agent->device->context, m->saves & 1, m, sizeof *m)) {
        m->saves--;
        return BITARM_FLASH;
    }
    agent->saved = m->count;
    return BITARM_QUIET;
}

int bitarm_start(bitarm_agent *agent, const bitarm_device *device, uint8_t *reply)
{
    bitarm_memory other, *m = &agent->memory;
    uint32_t layout = (uint32_t)sizeof *m << 8 | device->fraction;
    int32_t widest = (int32_t)(ROOM / ONE);
    if (device->fraction > 30 || device->low <= -widest || device->high >= widest ||
        device->low > device->high || device->most_pulls > MOST_PULLS || !device->most_bits)
        return BITARM_MISUSE;
    memset(agent, 0, sizeof *agent);
    agent->device = device;
    for (int slot = 0; slot < 2; slot++) {
        memset(&other, 0, sizeof other);
        device->read(device->context, slot, &other, sizeof other);
        if (other.layout == layout && other.check_sum == memory_sum(&other) &&
            (!m->layout || (int32_t)(other.saves - m->saves) > 0))
            memcpy(m, &other, sizeof other);
    }
    agent->saved = m->count;
    if (m->layout)
        return bitarm_resume(agent, reply);
    m->layout = layout;
    m->run = m->epoch = -1;
    m->bits = UNTOLD;
    for (int n = 0; n < 16; n++)
        m->fortunes[n] = 1;
    return BITARM_QUIET;
}

uint32_t bitarm_wanted(const bitarm_agent *agent)
{
    const bitarm_memory *m = &agent->memory;
    int is_over = m->dismissed || !m->question.form || m->bits != UNTOLD;
    return is_over || agent->target < m->count ? 0 : (uint32_t)(agent->target - m->count);
}

/* Answer if it is time for that; and say until when to pull if it is not. */
static int answer(bitarm_agent *agent)
{
    bitarm_memory *m = &agent->memory;
    uint64_t look = 1, until = m->question.until;
    int status = 0;
    agent->target = until;
    memset(m->answer, 0, sizeof m->answer);
    if (m->count > until) {
        m->bits = AHEAD;
    } else if (m->question.form == CHALLENGE) {
        while (look < m->count)
            look += look < 64 ? 1 : look / 32;
        if (look == m->count || m->count == until) {
            agent->target = m->count;     /* until it has looked, it does not pull */
            if (agent->saved != m->count) /* a power cut must not undo a look */
                status = bitarm_save(agent);
            if (status)
                return status;
            if (is_beaten(m))
                m->bits = 1;
        }
        if (look == m->count)
            look += look < 64 ? 1 : look / 32;
        agent->target = look < until ? look : until;
    }
    if (m->bits == UNTOLD && m->count == until)
        status = write_answer(m, agent->device->most_bits);
    if (status || m->bits == UNTOLD)
        return status;
    status = bitarm_save(agent);
    if (status)
        m->bits = UNTOLD;
    return status;
}

int bitarm_resume(bitarm_agent *agent, uint8_t *reply)
{
    bitarm_memory *m = &agent->memory;
    if (!m->question.form || m->dismissed)
        return BITARM_QUIET;
    int status = m->bits == UNTOLD ? answer(agent) : 0;
    return status || m->bits == UNTOLD ? status : write_frame(m, reply);
}

int bitarm_observe(bitarm_agent *agent, int32_t reward, uint8_t *reply)
{
    const bitarm_device *device = agent->device;
    bitarm_memory *m = &agent->memory;
    int is_bet = m->scale.kind == BOUNDED;
    int64_t x = is_bet ? scaled(m, reward * ONE) : 0;
    if (!bitarm_wanted(agent))
        return BITARM_MISUSE;
    if (reward < device->low || reward > device->high || x < 0 || x > ONE)
        return BITARM_REWARD;
    if (is_bet)
        bet(m, x);
    m->sum += reward;
    m->count++;
    return m->count == agent->target ? bitarm_resume(agent, reply) : BITARM_QUIET;
}

/* Whether the device can serve a question. */
static int fits(const bitarm_agent *agent, const bitarm_question *q)
{
    const bitarm_device *device = agent->device;
    const bitarm_memory *m = &agent->memory;
    int64_t widest = device->high > -device->low ? device->high : -device->low;
    if (q->until > MOST_PULLS || (q->until > m->count && q->until - m->count > device->most_pulls))
        return 0; /* too many pulls */
    if (widest * ONE / q->step >= (int64_t)MOST_STEPS)
        return 0; /* steps too fine for its rewards */
    /* Bets on a scale on which none were kept cannot be made up for. */
    return !q->scale.kind || memcmp(&q->scale, &m->scale, sizeof m->scale) == 0 ||
           (m->scale.kind != BOUNDED && !(q->scale.kind == BOUNDED && m->count));
}

int bitarm_receive(bitarm_agent *agent, const uint8_t *frame, size_t size, uint8_t *reply)
{
    bitarm_memory *m = &agent->memory;
    heard_frame heard;
    if (!read_frame(frame, size, agent->device->fraction, &heard) ||
        (m->run >= 0 && (heard.run != m->run || heard.arm != m->arm)))
        return BITARM_REFUSED;
    const bitarm_question *q = &heard.question;
    int ahead = m->epoch < 0 ? 1 : (heard.epoch - m->epoch) & 255;
    if (ahead > 127 || (q->form && !ahead && (m->dismissed || heard.number < m->message)))
        return BITARM_QUIET; /* of long ago, or of no more use */
    if (q->form && !ahead && heard.number == m->message)
        return memcmp(q, &m->question, sizeof *q) == 0 ? bitarm_resume(agent, reply)
                                                       : BITARM_REFUSED;
    if (q->form && !fits(agent, q))
        return BITARM_REFUSED;
    if (ahead) {
        m->run = heard.run;
        m->arm = heard.arm;
        m->epoch = heard.epoch;
        m->message = m->dismissed = 0;
        memset(&m->question, 0, sizeof m->question);
    }
    if (!q->form) {
        m->dismissed = heard.number > m->dismissed ? (uint8_t)heard.number : m->dismissed;
        return bitarm_save(agent);
    }
    m->message = heard.number;
    m->bits = UNTOLD;
    memcpy(&m->question, q, sizeof *q);
    if (q->scale.kind)
        memcpy(&m->scale, &q->scale, sizeof m->scale);
    return bitarm_resume(agent, reply);
}
