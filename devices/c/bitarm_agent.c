/* The machine that answers questions, the words of its answers, and what it keeps. */
#include "bitarm_agent.h"

#include <string.h>

#include "bitarm_evidence.h"
#include "bitarm_frames.h"

#define MOST_PULLS ((uint64_t)1 << 30)

/* -- what is kept: in two slots in turn, each with a check sum --------------------------------- */

static uint32_t memory_sum(const bitarm_memory *m)
{
    return bitarm_check_sum((const uint8_t *)m, offsetof(bitarm_memory, check_sum), 32, 0x4C11DB7);
}

static uint32_t layout_of(const bitarm_device *device)
{
    return (uint32_t)sizeof(bitarm_memory) << 16 | (uint32_t)sizeof(bitarm_real) << 8 |
           device->fraction;
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
    if (device->fraction > 30 || device->low <= -BITARM_WIDEST || device->high >= BITARM_WIDEST ||
        device->low > device->high || device->most_pulls > MOST_PULLS)
        return BITARM_MISUSE;
    memset(agent, 0, sizeof *agent);
    agent->device = device;
    for (int slot = 0; slot < 2; slot++) {
        memset(&other, 0, sizeof other);
        device->read(device->context, slot, &other, sizeof other);
        if (other.layout == layout_of(device) && other.check_sum == memory_sum(&other) &&
            (!m->layout || (int32_t)(other.saves - m->saves) > 0))
            memcpy(m, &other, sizeof other);
    }
    agent->saved = m->count;
    if (m->layout)
        return bitarm_resume(agent, reply);
    m->layout = layout_of(device);
    m->run = m->epoch = -1;
    m->bits = BITARM_UNTOLD;
    for (int n = 0; n < 16; n++)
        m->fortunes[n] = 1;
    return BITARM_QUIET;
}

/* -- words ------------------------------------------------------------------------------------- */

static void put(bitarm_memory *m, uint64_t number, int bits)
{
    while (bits--) {
        if (number >> bits & 1)
            m->answer[m->bits / 8] |= (uint8_t)(0x80 >> m->bits % 8);
        m->bits++;
    }
}

static int digits(uint64_t number)
{
    int count = 0;
    for (; number; number >>= 1)
        count++;
    return count;
}

static void put_golomb(bitarm_memory *m, uint64_t number, uint64_t divisor, int escape)
{
    uint64_t quotient = number / divisor, rest = number % divisor;
    int length = digits(divisor - 1);
    uint64_t is_short = ((uint64_t)1 << length) - divisor;
    for (int n = 0; n < escape && (uint64_t)n < quotient; n++)
        put(m, 1, 1);
    if (quotient >= (uint64_t)escape) { /* Elias' code */
        rest = number - (uint64_t)escape * divisor + 1;
        put(m, rest, 2 * digits(rest) - 1);
        return;
    }
    put(m, 0, 1);
    if (rest < is_short)
        put(m, rest, length - 1);
    else if (length)
        put(m, rest + is_short, length);
}

static uint64_t fold(int64_t number)
{
    return number > 0 ? (uint64_t)number * 2 - 1 : bitarm_size(number) * 2;
}

/* The answer to the question at hand, its pulls being made. */
static int write_answer(bitarm_agent *agent)
{
    bitarm_memory *m = &agent->memory;
    const bitarm_question *q = &m->question;
    bitarm_real rest;
    int64_t place = bitarm_place(agent, &rest) - q->place;
    int64_t steps = bitarm_floor(place + q->step / 2, q->step);
    int change = 0, quarters = q->form == BITARM_PILOT ? bitarm_quarters(agent, steps) : 0;
    if (q->form == BITARM_EDGE && m->scale.kind == BITARM_SIGMA)
        steps -= rest == 0 && place == steps * q->step - q->step / 2; /* nothing to spare */
    else if (q->form == BITARM_EDGE)
        steps = bitarm_edge(agent, steps, &change);
    if (steps == INT64_MIN)
        return BITARM_REWARD;
    memset(m->answer, 0, sizeof m->answer);
    m->bits = 0;
    if (q->form == BITARM_CHALLENGE) {
        int64_t cell = bitarm_floor(place, q->step) + q->below;
        put(m, 1, 1);
        put_golomb(m, cell > 0 ? (uint64_t)cell : 0, 1, 6);
        return 0;
    }
    if (q->form == BITARM_EDGE)
        put(m, change != 0, 1);
    if (change)
        put_golomb(m, fold(change), 1, 20);
    put_golomb(m, fold(steps), q->divisor, q->escape);
    for (int n = 0; n < quarters; n++)
        put(m, 1, 1);
    if (q->form == BITARM_PILOT)
        put(m, 0, 1);
    return 0;
}

/* -- the machine ------------------------------------------------------------------------------- */

uint32_t bitarm_wanted(const bitarm_agent *agent)
{
    const bitarm_memory *m = &agent->memory;
    int is_over = m->dismissed || !m->question.form || m->bits != BITARM_UNTOLD;
    return is_over || agent->target < m->count ? 0 : (uint32_t)(agent->target - m->count);
}

int bitarm_resume(bitarm_agent *agent, uint8_t *reply)
{
    bitarm_memory *m = &agent->memory;
    uint64_t look = 1, until = m->question.until;
    int status = 0, is_look = m->count == until;
    if (!m->question.form || m->dismissed)
        return BITARM_QUIET;
    if (m->bits != BITARM_UNTOLD)
        return bitarm_write(m, reply);
    agent->target = until;
    if (m->question.form == BITARM_CHALLENGE && m->count <= until) {
        while (look < m->count)
            look += look < 64 ? 1 : look / 32;
        is_look |= look == m->count;
        if (look == m->count)
            look += look < 64 ? 1 : look / 32;
        agent->target = look < until ? look : until;
    }
    if (m->count < until && !is_look)
        return BITARM_QUIET;
    if (m->count > until) {
        m->bits = BITARM_POSITION;
    } else if (m->question.form == BITARM_CHALLENGE) {
        uint64_t next = agent->target;
        agent->target = m->count; /* until it has looked, it does not pull */
        if (agent->saved != m->count) /* a power cut must not undo a look */
            status = bitarm_save(agent);
        if (!status)
            agent->target = next;
        if (!status && bitarm_is_beaten(agent)) {
            memset(m->answer, 0, sizeof m->answer);
            m->bits = 1;
        }
    }
    if (!status && m->bits == BITARM_UNTOLD) {
        if (m->count < until)
            return BITARM_QUIET;
        status = write_answer(agent);
    }
    if (!status && (status = bitarm_save(agent)) != 0)
        m->bits = BITARM_UNTOLD;
    return status ? status : bitarm_write(m, reply);
}

int bitarm_observe(bitarm_agent *agent, int32_t reward, uint8_t *reply)
{
    bitarm_memory *m = &agent->memory;
    int64_t x = 0;
    if (!bitarm_wanted(agent))
        return BITARM_MISUSE;
    if (m->scale.kind == BITARM_BOUNDED)
        x = bitarm_scaled(agent, reward, -agent->device->fraction);
    if (reward < agent->device->low || reward > agent->device->high || x < 0 || x >> 32 > 1 ||
        (x >> 32 == 1 && x != (int64_t)1 << 32))
        return BITARM_REWARD;
    if (m->scale.kind == BITARM_BOUNDED)
        bitarm_bet(m, x);
    m->sum += reward;
    m->count++;
    return m->count == agent->target ? bitarm_resume(agent, reply) : BITARM_QUIET;
}

/* Whether the device can serve a question. */
static int fits(const bitarm_agent *agent, const bitarm_question *q)
{
    const bitarm_device *device = agent->device;
    const bitarm_memory *m = &agent->memory;
    const bitarm_scale *scale = &q->scale;
    int64_t widest = device->high > -device->low ? device->high : -device->low;
    int shift = -device->fraction - q->half;
    if (q->until > MOST_PULLS || (q->until > m->count && q->until - m->count > device->most_pulls))
        return 0; /* too many pulls */
    if ((shift > 0 && !bitarm_shift(&widest, shift)) ||
        bitarm_size(widest) >> 34 >= (uint64_t)q->step)
        return 0; /* steps too fine for its rewards */
    if (scale->kind && bitarm_size(scale->unit_power - q->half) > 60)
        return 0; /* floats would not hold such steps on such a scale */
    if (scale->kind == BITARM_BOUNDED) {
        int64_t low = bitarm_units(device, scale->low, scale->low_power);
        int64_t unit = bitarm_units(device, scale->unit, scale->unit_power);
        if (low == BITARM_WIDEST || low + unit >= BITARM_WIDEST)
            return 0; /* bounds that are no whole numbers of its units */
    }
    /* Bets on a scale on which none were kept cannot be made up for. */
    return !scale->kind || memcmp(scale, &m->scale, sizeof *scale) == 0 ||
           (m->scale.kind != BITARM_BOUNDED && !(scale->kind == BITARM_BOUNDED && m->count));
}

int bitarm_receive(bitarm_agent *agent, const uint8_t *frame, size_t size, uint8_t *reply)
{
    bitarm_memory *m = &agent->memory;
    bitarm_heard heard;
    int status = bitarm_read(frame, size, &heard), is_new;
    if (status)
        return status;
    if (m->run >= 0 && (heard.run != m->run || heard.arm != m->arm))
        return BITARM_REFUSED;
    is_new = m->epoch < 0 || (heard.epoch != m->epoch && ((heard.epoch - m->epoch) & 255) < 128);
    if (!is_new && heard.epoch != m->epoch)
        return BITARM_QUIET; /* of an epoch that is over */
    if (heard.is_request && !is_new && (m->dismissed || heard.number < m->message))
        return BITARM_QUIET;
    if (heard.is_request && !is_new && heard.number == m->message)
        return memcmp(&heard.question, &m->question, sizeof m->question) != 0
                   ? BITARM_REFUSED
                   : bitarm_resume(agent, reply);
    if (heard.is_request && !fits(agent, &heard.question))
        return BITARM_REFUSED;
    if (is_new) {
        m->run = heard.run;
        m->arm = heard.arm;
        m->epoch = heard.epoch;
        m->message = m->dismissed = 0;
        m->bits = BITARM_UNTOLD;
        memset(&m->question, 0, sizeof m->question);
    }
    if (!heard.is_request) {
        m->dismissed = heard.number > m->dismissed ? (uint8_t)heard.number : m->dismissed;
        return bitarm_save(agent);
    }
    m->message = heard.number;
    m->bits = BITARM_UNTOLD;
    memcpy(&m->question, &heard.question, sizeof m->question);
    if (m->question.scale.kind)
        memcpy(&m->scale, &m->question.scale, sizeof m->scale);
    return bitarm_resume(agent, reply);
}
