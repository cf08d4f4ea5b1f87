/* Frames: reading requests and dismissals, writing reports and positions. */
#include "bitarm_frames.h"

#include <string.h>

#include "bitarm_evidence.h"

enum { REQUEST = 2, DISMISS = 3 };

uint32_t bitarm_check_sum(const uint8_t *bytes, size_t size, int bits, uint32_t poly)
{
    uint32_t top = (uint32_t)1 << (bits - 1), mask = top | (top - 1), crc = mask;
    for (size_t n = 0; n < size; n++) {
        crc ^= (uint32_t)bytes[n] << (bits - 8);
        for (int bit = 0; bit < 8; bit++)
            crc = ((crc << 1) ^ (crc & top ? poly : 0)) & mask;
    }
    return crc;
}

static uint32_t frame_sum(const uint8_t *bytes, size_t size)
{
    return bitarm_check_sum(bytes, size, 16, 0x1021); /* CRC-16/CCITT-FALSE */
}

static int ones(uint32_t number)
{
    int count = 0;
    for (; number; number &= number - 1)
        count++;
    return count;
}

/* The kind of a frame that passed all checks of the envelope and is for an agent of one arm. */
static int open_frame(const uint8_t *frame, size_t size)
{
    int first = size ? frame[0] : 0x80, is_other = first < 0x80 || first == 0x81;
    size_t length = 11;
    if (size < (is_other ? 3u : 11u))
        return BITARM_TRUNCATED;
    if (first == 0x80) {
        uint32_t word = (uint32_t)frame[2] << 8 | frame[3];
        length = word & 0x7FFF;
        if (ones(word) & 1 || length < 12)
            return BITARM_CORRUPT;
        if (size < length)
            return BITARM_TRUNCATED;
    }
    if ((!is_other && size != length) ||
        frame_sum(frame, size - 2) != ((uint32_t)frame[size - 2] << 8 | frame[size - 1]))
        return BITARM_CORRUPT;
    if (is_other)
        return BITARM_VERSION;
    if (first != 0x80)
        return ones(first >> 1 & 0x3F) > 1 && (first & 1 || frame[1] || frame[2]) ? BITARM_REFUSED
                                                                                  : BITARM_CORRUPT;
    if (frame[1] < 1 || frame[1] > 8)
        return BITARM_CORRUPT;
    return frame[1] == REQUEST || frame[1] == DISMISS ? frame[1] : BITARM_REFUSED;
}

/* A walk through a frame's fields: whoever reads too far or too much finds it bad. */
typedef struct {
    const uint8_t *bytes;
    size_t at, end;
    int is_bad;
} fields;

static uint64_t take(fields *in, size_t count)
{
    uint64_t number = 0;
    if (in->end - in->at < count) {
        in->is_bad = 1;
        return 0;
    }
    while (count--)
        number = number << 8 | in->bytes[in->at++];
    return number;
}

static uint64_t take_number(fields *in)
{
    uint64_t number = 0;
    for (int shift = 0; !in->is_bad; shift += 7) {
        uint64_t byte = take(in, 1);
        in->is_bad |= (shift == 63 && byte > 1) || (byte == 0 && shift > 0);
        number |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    return number;
}

static int64_t take_signed(fields *in) /* below 2^53 from 0, as all of them must be */
{
    uint64_t folded = take_number(in);
    in->is_bad |= folded >> 54 != 0;
    return in->is_bad ? 0 : folded & 1 ? (int64_t)(folded >> 1) + 1 : -(int64_t)(folded >> 1);
}

/* A float, as an odd number times a power of two. */
static int64_t take_float(fields *in, int16_t *power)
{
    uint64_t bits = take(in, 8), mantissa = bits & (((uint64_t)1 << 52) - 1);
    int raised = (int)(bits >> 52 & 0x7FF);
    in->is_bad |= raised == 0x7FF || bits == (uint64_t)1 << 63;
    mantissa |= raised ? (uint64_t)1 << 52 : 0;
    *power = (int16_t)(mantissa ? (raised ? raised : 1) - 1075 : 0);
    for (; mantissa && !(mantissa & 1); mantissa >>= 1)
        ++*power;
    return bits >> 63 ? -(int64_t)mantissa : (int64_t)mantissa;
}

/* The same where both are spelt, in this order. */
static int64_t take_parts(fields *in, int is_signed, int16_t *power)
{
    int64_t mantissa = is_signed ? take_signed(in) : (int64_t)(take_number(in) & INT64_MAX);
    int64_t exponent = take_signed(in);
    in->is_bad |= !(mantissa & 1) && (mantissa || exponent);
    in->is_bad |= mantissa >> 53 > 0 || exponent > 1100 || exponent < -1100;
    *power = (int16_t)exponent;
    return mantissa;
}

static int read_question(fields *in, bitarm_question *q)
{
    uint8_t tag = (uint8_t)take(in, 1), form = tag & 0x0F, scaled = tag & 0xC0;
    int16_t power = 0, exponent = 0;
    memset(q, 0, sizeof *q);
    if (form < 1 || form > 8 || scaled > (form > 4 ? 0x80 : 0) || tag & 0x10 ||
        (tag & 0x20 && (form == 1 || form == 3 || form == 4 || form == 8)))
        return BITARM_CORRUPT;
    if (form == 1 || form == 3 || form == 4)
        return BITARM_REFUSED; /* it knows the codes nearest and above */
    q->form = form;
    q->until = take_number(in);
    if (form == BITARM_NEAREST) {
        q->place = take_float(in, &exponent);
        q->step = take_float(in, &power);
    } else {
        int64_t unit = take_signed(in);
        in->is_bad |= unit > 1100 || unit < -1100;
        exponent = power = (int16_t)unit;
        q->place = take_signed(in);
        uint64_t step = take_number(in);
        in->is_bad |= step >> 53 != 0 || !((bitarm_size(q->place) | step) & 1);
        q->step = (int64_t)(step & INT64_MAX);
    }
    q->divisor = form < BITARM_CHALLENGE ? take_number(in) : 1;
    if (form == BITARM_EDGE || form == BITARM_CHALLENGE) {
        uint64_t rung = take_number(in);
        q->below = form == BITARM_CHALLENGE ? rung & 15 : 0;
        rung = form == BITARM_CHALLENGE ? rung >> 4 : rung;
        in->is_bad |= rung > 61;
        q->rung = (uint8_t)rung;
    }
    if (form == BITARM_EDGE) {
        int64_t spread = take_signed(in);
        in->is_bad |= spread < -40 || spread > 2;
        q->spread = (int8_t)spread;
    }
    for (int n = 0; form == BITARM_CHALLENGE && n < 3; n++)
        q->hurdles[n] = (uint8_t)take(in, 1);
    uint64_t escape = tag & 0x20 ? take_number(in) : 20;
    in->is_bad |= escape < 1 || escape > 64 || (tag & 0x20 && escape == 20);
    q->escape = (uint8_t)escape;
    if (form > 4) {
        bitarm_scale *scale = &q->scale;
        scale->kind = scaled == 0x80 ? BITARM_SIGMA : BITARM_BOUNDED;
        scale->low = scaled ? 0 : take_parts(in, 1, &scale->low_power);
        scale->unit = scaled == 0x40 ? 1 : take_parts(in, 0, &scale->unit_power);
        in->is_bad |= !scale->unit || (!scaled && !scale->low && scale->unit == 1 &&
                                       !scale->unit_power);
    }
    if (in->is_bad || !q->until || q->until > 1000000000000 || !q->divisor ||
        q->divisor > (uint64_t)1 << 40 || q->step <= 0)
        return BITARM_CORRUPT;
    if (bitarm_size(exponent) > 960 || bitarm_size(power) > 960 ||
        bitarm_size(q->scale.low_power) > 960 || bitarm_size(q->scale.unit_power) > 960)
        return BITARM_REFUSED;
    q->half = (int16_t)((q->place && exponent < power ? exponent : power) - 1);
    if (!bitarm_shift(&q->place, exponent - q->half) || !bitarm_shift(&q->step, power - q->half))
        return BITARM_REFUSED; /* numbers too long for this device */
    /* A step that is larger leaves no room for 2^34 of them. */
    int64_t below = q->step < BITARM_ROOM / 16 ? (int64_t)q->below * q->step : 0;
    return bitarm_size(q->place - below) >> 34 >= (uint64_t)q->step ? BITARM_CORRUPT : 0;
}

int bitarm_read(const uint8_t *frame, size_t size, bitarm_heard *heard)
{
    int status = 0, kind = open_frame(frame, size);
    fields in = {frame, 4, size - 2, 0};
    if (kind < 0)
        return kind;
    memset(heard, 0, sizeof *heard);
    heard->is_request = kind == REQUEST;
    heard->run = (int32_t)take(&in, 3);
    heard->epoch = (int16_t)take(&in, 1);
    heard->arm = take_number(&in);
    heard->number = take_number(&in);
    if (heard->is_request)
        status = read_question(&in, &heard->question);
    if (status == BITARM_REFUSED && !in.is_bad)
        return status;
    if (status || in.is_bad || in.at != in.end || !heard->number ||
        (kind == DISMISS && heard->number > 2))
        return BITARM_CORRUPT;
    return 0;
}

static size_t put_bytes(uint8_t *reply, size_t at, uint64_t number, int count)
{
    while (count--)
        reply[at++] = (uint8_t)(number >> 8 * count);
    return at;
}

static size_t put_number(uint8_t *reply, size_t at, uint64_t number)
{
    for (; number > 0x7F; number >>= 7)
        reply[at++] = (uint8_t)(0x80 | (number & 0x7F));
    reply[at++] = (uint8_t)number;
    return at;
}

static int message_code(uint64_t message)
{
    int code = 0;
    while (message)
        message -= ones((uint32_t)++code) > 1;
    return code;
}

int bitarm_write(const bitarm_memory *m, uint8_t *reply)
{
    uint64_t run = (uint64_t)m->run << 8 | (uint64_t)m->epoch;
    size_t at = 0;
    if (m->bits <= 16 && m->arm < 65536 && m->message <= 57) {
        uint64_t symbol = ((uint64_t)m->answer[0] << 8 | m->answer[1]) << 1;
        symbol |= (uint64_t)1 << (16 - m->bits);
        at = put_bytes(reply, at, (uint64_t)(0x40 | message_code(m->message)) << 17 | symbol, 3);
        at = put_bytes(reply, at, run << 16 | m->arm, 6);
    } else {
        at = put_bytes(reply, at, m->bits == BITARM_POSITION ? 0x8004 : 0x8001, 2);
        at = put_bytes(reply, at + 2, run, 4);
        at = put_number(reply, put_number(reply, at, m->arm), m->message);
        at = put_number(reply, at, m->bits == BITARM_POSITION ? m->count : m->bits);
        for (int n = 0; m->bits < BITARM_POSITION && n < (m->bits + 7) / 8; n++)
            reply[at++] = m->answer[n];
        put_bytes(reply, 2, (at + 2) | (uint32_t)(ones((uint32_t)at + 2) & 1) << 15, 2);
    }
    return (int)put_bytes(reply, at, frame_sum(reply, at), 2);
}
