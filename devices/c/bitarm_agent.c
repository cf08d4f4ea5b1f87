#include "bitarm_agent.h"

#include <string.h>
#include <tgmath.h>

#ifdef BITARM_FLOAT
typedef float real;
#else
typedef double real;
#endif

#define ONE ((int64_t)1 << 32)         /* the device's unit; and the unit of a scale with bounds */
#define ROOM ((int64_t)1 << 60)        /* lengths are below this: everything has 64 bits */
#define WHOLE (((int64_t)1 << 53) - 1) /* the largest number that is spelt */
#define MOST_PULLS ((int64_t)1 << 30)
#define MOST_STEPS ((int64_t)1 << 34)  /* from 0 to whatever is told */
#define ROUNDING (256 * (nextafter((real)1, (real)2) - 1)) /* of what is added up, or of 1 */
#define SUMMED offsetof(bitarm_memory, check_sum)

enum { REQUEST = 2, DISMISS };                         /* kinds of frames that it reads */
enum { NEAREST = 2, PILOT = 5, EDGE, CHALLENGE };      /* forms of questions */
enum { ESCAPED = 0x20, BOUNDED = 0x40, SIGMA = 0x80, SPELT = 0xC0 }; /* may be added: 3 scales */

/* By form: which of 0, BOUNDED (0 and 1), SIGMA and SPELT (other bounds) may be added, as bits. */
static const uint8_t scales[32] = {[NEAREST] = 15, [PILOT] = 10, [EDGE] = 10, [CHALLENGE] = 14};
static const uint8_t numerators[3] = {62, 40, 25}; /* of the rates: over 64, and 4 every 3 rungs */

static int64_t floor_of(int64_t number, int64_t by) {
    return number / by - (number % by < 0);
}

/* -- reading frames ---------------------------------------------------------------------------- */

/* A request; or a dismissal: then there is no form. */
typedef struct {
    uint64_t run, arm, number, until, divisor, escape, hurdles;
    int64_t place, step; /* the centre or the edge; the width of a cell */
    bitarm_scale scale;
    int epoch, head, form, rung, below, spread; /* head: of the frame, in bytes */
} question;

/* A walk through a frame's fields: whoever reads too far or too much finds it bad. */
typedef struct {
    const uint8_t *at, *end;
    int fraction, is_bad;
} fields;

/* Of a frame, CRC-16/CCITT-FALSE; of what is kept, a CRC of 32 bits. */
static uint32_t check_sum(const void *bytes, size_t size, int width) {
    uint32_t poly = width == 16 ? 0x10210000 : 0x04C11DB7, crc = ~(uint32_t)0 << (32 - width);
    for (const uint8_t *at = bytes; size--; at++) {
        crc ^= (uint32_t)*at << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? poly : 0);
    }
    return crc >> (32 - width);
}

static uint64_t take(fields *in, int bytes) {
    uint64_t number = 0;
    in->is_bad |= in->end - in->at < bytes;
    while (!in->is_bad && bytes--)
        number = number << 8 | *in->at++;
    return number;
}

/* A number within limits; a signed one where it may be below 0. */
static int64_t take_number(fields *in, int64_t least, int64_t most) {
    int64_t number = 0, byte = 0x80;
    for (int shift = 0; byte & 0x80; shift += 7) {
        in->is_bad |= shift == 63; /* and nothing more is taken */
        byte = (int64_t)take(in, 1);
        in->is_bad |= byte == 0 && shift > 0;
        number |= (byte & 0x7F) << shift;
    }
    if (least < 0)
        number = number & 1 ? number / 2 + 1 : -(number / 2);
    in->is_bad |= number < least || number > most;
    return in->is_bad ? least : number;
}

/* An odd number, or 0, and the power of two that it is times. */
static int64_t take_length(fields *in) {
    int64_t number = take_number(in, -WHOLE, WHOLE), power = take_number(in, -1100, 1100);
    in->is_bad |= number ? number % 2 == 0 : power != 0;
    for (power += in->fraction + 32; power > 0 && number / (ROOM / 2) == 0; power--)
        number *= 2;
    in->is_bad |= power != 0; /* too fine for this device, or too long */
    return number;
}

static void take_question(fields *in, question *q) {
    int tag = (int)take(in, 1), form = tag & 0x1F, kind = tag & SPELT;
    in->is_bad |= !(scales[form] >> tag / 64 & 1) || (form == CHALLENGE && tag & ESCAPED);
    q->form = form;
    q->until = (uint64_t)take_number(in, 1, MOST_PULLS);
    q->place = take_length(in);
    q->step = take_length(in);
    if (form == CHALLENGE) {
        int start = (int)take_number(in, 0, 16 * 62 - 1);
        q->rung = start / 16;
        q->below = start % 16;
        q->hurdles = take(in, 3);
    } else {
        q->divisor = (uint64_t)take_number(in, 1, (int64_t)1 << 40);
    }
    if (form == EDGE) {
        q->rung = (int)take_number(in, 0, 61);
        q->spread = (int)take_number(in, -40, 2);
    }
    q->escape = tag & ESCAPED ? (uint64_t)take_number(in, 1, 64) : 20;
    in->is_bad |= tag & ESCAPED && q->escape == 20;
    if (kind) {
        int64_t low = kind == SPELT ? take_length(in) : 0, one = ONE << in->fraction;
        int64_t unit = kind == BOUNDED ? one : take_length(in);
        in->is_bad |= unit <= 0 || unit >= ROOM || unit % ONE; /* no whole number of its units */
        in->is_bad |= kind == SPELT && !low && unit == one;
        q->scale = (bitarm_scale){low, (uint32_t)(unit / ONE), kind & BOUNDED ? BOUNDED : SIGMA};
    }
    in->is_bad = in->is_bad || q->step <= 0 || q->step % 2 || /* half a cell is a length, too */
                 q->place / q->step / (MOST_STEPS - q->below) != 0;
}

/* What a frame says; returns whether it is one that an agent reads. */
static int read_frame(const uint8_t *frame, size_t size, int fraction, question *q) {
    memset(q, 0, sizeof *q);
    if (size < 12 || size > BITARM_FRAME || frame[0] != 0x80 || frame[3] != size ||
        (frame[1] != REQUEST && frame[1] != DISMISS) || check_sum(frame, size, 16))
        return 0; /* a frame with its own check sum at its end has the sum 0 */
    fields in = {frame + 4, frame + size - 2, fraction, frame[2] & 0x7F}; /* of a longer one: bad */
    q->run = take(&in, 3);
    q->epoch = (int)take(&in, 1);
    q->arm = (uint64_t)take_number(&in, 0, INT64_MAX);
    q->number = (uint64_t)take_number(&in, 1, frame[1] == DISMISS ? 2 : INT64_MAX);
    q->head = (int)(in.at - frame);
    if (frame[1] == REQUEST)
        take_question(&in, q);
    return !in.is_bad && in.at == in.end;
}

/* -- writing frames ---------------------------------------------------------------------------- */

/* Bits that are written from the top of the first byte on. */
typedef struct {
    uint8_t bytes[BITARM_FRAME];
    int count;
} bits;

static void put(bits *out, uint64_t number, int count) {
    for (; count--; out->count++)
        out->bytes[out->count / 8] |= (uint8_t)((number >> count & 1) << (7 - out->count % 8));
}

static void put_golomb(bits *out, uint64_t number, uint64_t divisor, uint64_t escape) {
    uint64_t ones = number / divisor < escape ? number / divisor : escape;
    uint64_t rest = number - ones * divisor, is_past = ones == escape;
    int length = 0; /* bits of the largest number that may follow, or of this one in Elias' code */
    while ((is_past ? rest + 1 : divisor - 1) >> length)
        length++;
    uint64_t spare = ((uint64_t)1 << length) - divisor; /* so many rests have a bit less */
    put(out, UINT64_MAX, (int)ones);
    if (is_past) {
        put(out, 0, length - 1);
        put(out, rest + 1, length);
    } else { /* a 0 before the rest ends the ones */
        put(out, rest < spare ? rest : rest + spare, length + (rest >= spare));
    }
}

static void put_signed(bits *out, int64_t number, const question *q) {
    put_golomb(out, (uint64_t)(number > 0 ? 2 * number - 1 : -2 * number), q->divisor, q->escape);
}

/* The frame that tells a word; or, without one, how many pulls were made. */
static void write_reply(bitarm_memory *m, const question *q, const bits *word) {
    bits out = {{0}, 0};
    uint64_t number = word->count ? (uint64_t)word->count : m->count;
    if (word->count && word->count <= 16 && q->arm < 65536 && q->number <= 57) {
        uint64_t code = 0, top = (uint64_t)word->bytes[0] << 9 | (uint64_t)word->bytes[1] << 1;
        for (uint64_t left = q->number; left; left -= (code & (code - 1)) != 0)
            code++; /* to the next that has two bits */
        put(&out, 0x40 | code, 7);
        put(&out, top | (uint64_t)1 << (16 - word->count), 17);
        put(&out, q->run << 8 | (uint64_t)q->epoch, 32);
        put(&out, q->arm, 16);
    } else {
        put(&out, word->count ? 0x80010000 : 0x80040000, 32); /* a report, or a position */
        for (int n = 4; n < q->head; n++)
            put(&out, m->heard[n], 8); /* run, arm and message are spelt as in the request */
        for (; number > 0x7F; number >>= 7)
            put(&out, 0x80 | (number & 0x7F), 8);
        put(&out, number, 8);
        for (int n = 0; n < (word->count + 7) / 8; n++)
            put(&out, word->bytes[n], 8);
        out.bytes[3] = (uint8_t)(out.count / 8 + 2);
        for (int left = out.bytes[3]; left; left &= left - 1)
            out.bytes[2] ^= 0x80; /* the bit on top of the length makes its ones even */
    }
    put(&out, check_sum(out.bytes, (size_t)out.count / 8, 16), 16);
    m->reply_size = (uint16_t)(out.count / 8);
    memcpy(m->reply, out.bytes, sizeof m->reply);
}

/* -- evidence: docs/evidence.md has the proofs, docs/wire.md the formulas --------------------- */

static real in_scale(int64_t number) {
    return ldexp((real)number, -32);
}

/* The rate of a rung times so many pulls, less something in its units: whole numbers are taken from
 * each other, since the two are often nearly the same. */
static real rate(const bitarm_memory *m, int rung, uint64_t pulls, uint64_t less) {
    int64_t number = (int64_t)(numerators[rung % 3] * pulls - less);
    return ldexp((real)number, (m->scale.kind == SIGMA ? -4 : -6) - 2 * (rung / 3));
}

/* Where 0 and ONE are the bounds; rounded down. */
static int64_t scaled(const bitarm_memory *m, int64_t length) {
    return floor_of(length - m->scale.low, m->scale.unit);
}

/* The highest length that is not above the mean. */
static int64_t mean_of(const bitarm_memory *m) {
    int64_t count = (int64_t)m->count, whole = floor_of(m->sum, count);
    return whole * ONE + floor_of((m->sum - whole * count) * ONE, count);
}

/* Let all bettors play one reward. */
static void bet(bitarm_memory *m, int64_t x) {
    int64_t guess = (ONE / 2 + m->total) / ((int64_t)m->count + 1), off = x - guess;
    m->total += x;
    m->predicted += guess;
    m->squares += ((uint64_t)off * (uint64_t)off >> 32) + 3; /* up, by more than x was down */
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
static real curve(real y) {
    real total = 0;
    if (fabs(y) > (real)0.25)
        return (-log(1 - y) - y) / (y * y);
    for (int n = 28; n > 1; n--)
        total = total * y + (real)1 / (real)n;
    return total;
}

/* Half a reward away from 0 and 1 at least: nobody saw that it is one of them. */
static real clamped(const bitarm_memory *m, real mean) {
    real least = (real)0.5 / ((real)m->count + 1);
    return fmin(fmax(mean, least), 1 - least);
}

/* What a bettor loses with each reward, by the model of docs/wire.md. */
static real cost(const bitarm_memory *m, int rung, real mean, int power) {
    real step = rate(m, rung, 1, 0), spread = ldexp((real)1, power);
    mean = clamped(m, mean);
    real skew = (2 * mean - 1) * fmin(2 * spread / (1 + spread), (real)1);
    return spread * mean * (1 - mean) * step * step * curve(skew * step);
}

/* Evidence that the mean is above (side 1) or below (-1) an edge on the scale, and something more.
 * Rounded down. With a sigma there is the second alone. */
static real evidence(const bitarm_memory *m, int rung, int side, int64_t edge, real more) {
    real step = rate(m, rung, 1, 0), count = (real)m->count, won, lost, folded = 0;
    int64_t total = m->predicted, by = (int64_t)m->count; /* the mean, and what it is divided by */
    if (m->scale.kind == SIGMA) {
        total = scaled(m, mean_of(m)) + 1;
        by = 1;
        lost = -step * step / 2 * count;
    } else if (rung < 8) {
        int bettor = side > 0 ? rung : 8 + rung;
        lost = log(ldexp((real)m->fortunes[bettor], -31));
        folded = (real)(m->powers[bettor] + 31) * log((real)2);
    } else {
        total = m->total + (side < 0 ? by : 0); /* each was rounded down */
        lost = -curve(step) * step * step * in_scale((int64_t)m->squares);
    }
    won = (real)side * step * (count * in_scale(total / by - edge) + in_scale(total % by));
    return won + lost + folded + more -
           ROUNDING * (fabs(won) + fabs(lost) + fabs(folded) + fabs(more));
}

/* Whether the logarithm of the sum of exp(value + slope * m) is at least the level for all m in
 * [low, high]. It is convex, so it lies above its tangents and falls towards its least value. */
static int reaches(const real *values, const real *slopes, int count, real low, real high,
                   real level) {
    for (int tries = 0; tries < 80; tries++) {
        real m = (low + high) / 2, top = values[0] + slopes[0] * m, sum = 0, slope = 0;
        for (int n = 0; n < count; n++)
            top = fmax(top, values[n] + slopes[n] * m);
        for (int n = 0; n < count; n++) {
            real share = exp(values[n] + slopes[n] * m - top);
            sum += share;
            slope += share * slopes[n];
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
static int is_beaten(const bitarm_memory *m, const question *q) {
    static const real shares[4] = {(real)0.5, (real)0.25, (real)0.15, (real)0.1};
    int is_bounded = m->scale.kind == BOUNDED, count = 0;
    int64_t edge = scaled(m, q->place);
    real low = is_bounded ? -in_scale(edge) - ROUNDING : (real)-1e38;
    real high = is_bounded ? 1 - in_scale(edge) + ROUNDING : (real)1e38;
    real values[12], slopes[12], steepest = 0;
    for (int n = 0; n < 12; n++) {
        int winner = q->rung + n / 4, climb = n % 4, loser = winner > climb ? winner - climb : 0;
        int byte = (int)(q->hurdles >> (16 - n / 4 * 8) & 255);
        if (byte == 255)
            continue;
        real hurdle = fmax((real)byte / 8, fmax((real)byte / 2 - 48, (real)byte * 4 - 720));
        uint64_t rise = numerators[loser % 3] * m->count << 2 * (winner / 3 - loser / 3);
        real value = evidence(m, loser, -1, edge, log(shares[climb]) - hurdle) - ROUNDING;
        real slope = -rate(m, winner, q->until, rise);
        if (slope < 0) /* beyond these ends one term alone is enough */
            low = fmax(low, -value / slope);
        else if (slope > 0)
            high = fmin(high, -value / slope);
        else if (value >= 0)
            return 1;
        values[count] = value;
        slopes[count++] = slope;
        steepest = fmax(steepest, fabs(slope));
    }
    if (!count || low > high || high - low > (real)1e30) /* without end, some m explains all */
        return count && low > high;
    real level = ROUNDING * steepest * fmax(fabs(low), fabs(high));
    return reaches(values, slopes, count, low, high, level);
}

/* Whether the evidence certifies the lower end of a cell. */
static int is_certified(const bitarm_memory *m, const question *q, int64_t steps, int spread) {
    int64_t middle = q->place + steps * q->step, edge = scaled(m, middle - q->step / 2) + 1;
    for (int rung = q->rung; rung < q->rung + 3; rung++) {
        real lost = (real)m->count * cost(m, rung, in_scale(scaled(m, middle)), spread);
        if (evidence(m, rung, 1, edge, lost) < ROUNDING * rate(m, rung, m->count, 0))
            return 0;
    }
    return 1;
}

/* After the spread, doubled until the model's cost is at least half of what the middle bettor lost:
 * the highest such cell, from the one of the mean down. */
static void put_edge(bits *out, const bitarm_memory *m, const question *q, int64_t top, int most) {
    int rung = q->rung + 1, spread = q->spread;
    int64_t mean = m->total / (int64_t)m->count, steps = top;
    real lost = -evidence(m, rung, 1, mean, 0) / (real)m->count - ldexp(rate(m, rung, 1, 0), -30);
    while (spread < 2 && 2 * cost(m, rung, in_scale(mean), spread) < lost)
        spread++;
    do {
        /* A bettor loses less than 2.6 units with every reward, so some cell within 3 units below
         * the bounds is certified: 64 bits have room for that. */
        for (int tries = 0; !is_certified(m, q, steps, spread); tries++)
            steps -= (int64_t)1 << tries / 8;
        *out = (bits){{0}, 0};
        put_golomb(out, (uint64_t)(spread - q->spread), 1, 20);
        put_signed(out, steps, q);
        steps = top;
    } while (out->count > most && spread-- > q->spread); /* rather a lower edge than none */
}

/* The answer to a question, but for "beaten". */
static void put_answer(bits *out, const bitarm_memory *m, const question *q, int most) {
    int64_t lead = mean_of(m) - q->place, steps = floor_of(lead + q->step / 2, q->step);
    if (q->form == CHALLENGE) {
        int64_t cell = floor_of(lead, q->step) + q->below;
        put(out, 1, 1);
        put_golomb(out, cell > 0 ? (uint64_t)cell : 0, 1, 6);
    } else if (q->form == EDGE) {
        put_edge(out, m, q, steps, most);
    } else {
        put_signed(out, steps, q);
    }
    if (q->form == PILOT) { /* the variance, in parts of that of a coin with the mean it tells */
        real mean = clamped(m, in_scale(scaled(m, q->place + steps * q->step)));
        real ratio = in_scale((int64_t)m->squares) / (real)m->count / (mean * (1 - mean));
        for (int n = 0; n < 8 && ratio < ldexp((real)0.5, -2 * n); n++)
            put(out, 1, 1);
        put(out, 0, 1);
    }
    if (out->count > most) { /* the link does not carry it: the word for that is a single 1 */
        *out = (bits){{0}, 0};
        put(out, 1, 1);
    }
}

/* -- the machine ------------------------------------------------------------------------------- */

int bitarm_save(bitarm_agent *agent) {
    bitarm_memory *m = &agent->memory;
    m->saves++;
    m->check_sum = check_sum(m, SUMMED, 32);
    if (agent->device->write(agent->device->context, m->saves & 1, m, sizeof *m)) {
        m->saves--;
        return BITARM_FLASH;
    }
    agent->saved = m->count;
    return BITARM_QUIET;
}

int bitarm_start(bitarm_agent *agent, const bitarm_device *device) {
    bitarm_memory other = {0}, *m = &agent->memory;
    uint32_t layout = 0x02000000 | (uint32_t)sizeof other << 8 | device->fraction; /* version 2 */
    if (device->fraction > 30 || device->low <= -ROOM / ONE || device->high >= ROOM / ONE ||
        device->low > device->high || device->most_pulls > MOST_PULLS || !device->most_bits)
        return BITARM_MISUSE;
    *agent = (bitarm_agent){.device = device, .memory = {.layout = layout}};
    for (int n = 0; n < 16; n++)
        m->fortunes[n] = 1;
    for (int slot = 0; slot < 2; slot++) {
        device->read(device->context, slot, &other, sizeof other);
        if (other.check_sum == check_sum(&other, SUMMED, 32) && other.saves > m->saves)
            *m = other;
    }
    agent->saved = m->count;
    return m->layout == layout ? bitarm_resume(agent) : BITARM_MISUSE; /* in other units */
}

int bitarm_resume(bitarm_agent *agent) {
    bitarm_memory *m = &agent->memory;
    uint64_t look = 1, last = 1; /* the next look of who is challenged, and the one before */
    bits word = {{0}, 0};
    question q;
    agent->wanted = 0;
    if (m->heard[1] != REQUEST || m->reply_size)
        return m->reply_size;
    read_frame(m->heard, m->heard[3], agent->device->fraction, &q);
    for (; look <= m->count; look += look < 64 ? 1 : look / 32)
        last = look;
    if (q.form == CHALLENGE && m->count <= q.until && (m->count == last || m->count == q.until)) {
        if (agent->saved != m->count && bitarm_save(agent))
            return BITARM_FLASH; /* a power cut must not undo a look */
        m->has_conceded = (uint16_t)is_beaten(m, &q);
        put(&word, 0, m->has_conceded);
    }
    if (!word.count && m->count < q.until) {
        look = q.form == CHALLENGE && look < q.until ? look : q.until;
        agent->wanted = (uint32_t)(look - m->count);
        return BITARM_QUIET;
    }
    if (!word.count && m->count == q.until)
        put_answer(&word, m, &q, agent->device->most_bits);
    write_reply(m, &q, &word);
    if (!bitarm_save(agent))
        return m->reply_size;
    m->reply_size = m->has_conceded = 0;
    return BITARM_FLASH;
}

int bitarm_observe(bitarm_agent *agent, int32_t reward) {
    const bitarm_device *device = agent->device;
    bitarm_memory *m = &agent->memory;
    int is_bet = m->scale.kind == BOUNDED, is_in = device->low <= reward && reward <= device->high;
    int64_t x = is_bet && is_in ? scaled(m, reward * ONE) : 0; /* any other has no room */
    if (!agent->wanted)
        return BITARM_MISUSE;
    if (!is_in || x < 0 || x > ONE)
        return BITARM_REWARD;
    if (is_bet)
        bet(m, x);
    m->sum += reward;
    m->count++;
    return --agent->wanted ? BITARM_QUIET : bitarm_resume(agent);
}

/* Whether the device can serve a question: bets that were not kept cannot be made up for. */
static int fits(const bitarm_agent *agent, const question *q) {
    const bitarm_device *device = agent->device;
    const bitarm_memory *m = &agent->memory;
    int is_bet = m->scale.kind == BOUNDED || q->scale.kind == BOUNDED;
    if (q->scale.kind && m->count && is_bet && memcmp(&q->scale, &m->scale, sizeof m->scale))
        return 0;
    return q->until <= m->count + device->most_pulls && /* and its rewards are not too many steps */
           device->high * ONE / q->step < MOST_STEPS && device->low * ONE / q->step > -MOST_STEPS;
}

int bitarm_receive(bitarm_agent *agent, const uint8_t *frame, size_t size) {
    bitarm_memory *m = &agent->memory;
    int fraction = agent->device->fraction, ahead = 1;
    question heard, last;
    if (!read_frame(frame, size, fraction, &heard))
        return BITARM_REFUSED;
    if (read_frame(m->heard, m->heard[3], fraction, &last)) {
        ahead = (heard.epoch - last.epoch) & 255;
        if (heard.run != last.run || heard.arm != last.arm)
            return BITARM_REFUSED;
    }
    if (ahead > 127 || (!ahead && heard.form && (!last.form || heard.number < last.number)))
        return BITARM_QUIET; /* of long ago; after it was dismissed; or late */
    if (!ahead && heard.form && heard.number == last.number)
        return memcmp(frame, m->heard, size) ? BITARM_REFUSED : bitarm_resume(agent);
    if (heard.form && !fits(agent, &heard))
        return BITARM_REFUSED;
    memcpy(m->heard, frame, size);
    m->reply_size = m->has_conceded = 0;
    agent->wanted = 0;
    if (heard.scale.kind)
        m->scale = heard.scale;
    return heard.form ? bitarm_resume(agent) : bitarm_save(agent);
}
