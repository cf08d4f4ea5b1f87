"""One arm of a bitarm run on a small board: MicroPython, and CPython too. One file, no dependency.

    agent = Agent(store, fraction=16, low=0, high=65536)    # rewards in units of 2^-16, in [0, 1]
    reply = agent.resume()                                  # what a power cut left unsaid
    reply = agent.receive(frame)                            # from the radio; send what it returns
    while agent.wanted:
        reply = agent.observe(read_sensor())                # a whole number of those units

docs/wire.md says what an agent does, docs/devices.md how to use this one. All that is kept are
whole numbers, exact on every board. Floats only weigh them when the agent looks, and every rounding
makes evidence weaker: with short floats an arm gives up later than it might, never sooner.
"""

import binascii
import json
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Refusal(Exception):  # noqa: N818
    """(kind, why); nothing has changed. "refused": a frame or question that this agent cannot read
    or serve. "reward": one outside the bounds, which was not counted: a person must know.
    """


def _require(holds: object, why: str, kind: str = "refused") -> None:
    if not holds:
        raise Refusal(kind, why)


# -- frames and words ------------------------------------------------------------------------------

REPORT, REQUEST, DISMISS, POSITION = 1, 2, 3, 4  # kinds of long frames
CODES = [code for code in range(64) if code & code - 1]  # of messages in short ones
NEAREST, EVIDENCE, PILOT, EDGE, CHALLENGE = 2, 5, 6, 7, 8  # forms of questions
NO_SCALE, SIGMA, BOUNDED = 0, 1, 2  # kinds of scales
# What has a field: bit n stands for form n, and three bits for what a question's tag may add.
ANY, JUDGED, ESCAPED, LOW, UNIT = 0x1E4, 0x1E0, 0x200, 0x400, 0x800
NUMBER, SIGNED, FLOAT, WHOLE, LARGE = 0, -1, 8, 1 << 53, 1 << 64
FIELDS = (  # in their order: name, how it is spelt (or its bytes), what has it, least, end
    ("until", NUMBER, ANY, 1, 10**12 + 1),
    ("place", FLOAT, 1 << NEAREST, -1 << 600, 1 << 600),  # the centre, or the edge
    ("step", FLOAT, 1 << NEAREST, 1, 1 << 600),  # the width of a cell
    ("power", SIGNED, JUDGED, -1100, 1101),  # of two: the unit of place and step
    ("place", SIGNED, JUDGED, 1 - WHOLE, WHOLE),
    ("step", NUMBER, JUDGED, 1, WHOLE),
    ("divisor", NUMBER, ANY - (1 << CHALLENGE), 1, (1 << 40) + 1),
    ("rung", NUMBER, 1 << EDGE, 0, 62),
    ("start", NUMBER, 1 << CHALLENGE, 0, 62 * 16),  # rung, and steps from the edge down to the low
    ("spread", SIGNED, 1 << EDGE, -40, 3),
    ("hurdles", 3, 1 << CHALLENGE, 0, 1 << 24),
    ("escape", NUMBER, ESCAPED, 1, 65),
    ("low", SIGNED, LOW, 1 - WHOLE, WHOLE),
    ("low_power", SIGNED, LOW, -1100, 1101),
    ("unit", NUMBER, UNIT, 1, WHOLE),
    ("unit_power", SIGNED, UNIT, -1100, 1101),
)


def _check_sum(frame: bytes) -> bytes:  # CRC-16/CCITT-FALSE
    crc = 0xFFFF
    for byte in frame:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc >> 15 else 0)) & 0xFFFF
    return crc.to_bytes(2, "big")


def _length_word(size: int) -> bytes:
    return (size | (bin(size).count("1") & 1) << 15).to_bytes(2, "big")


class Heard:
    """A request; or a dismissal: then `form` is 0, and the number is its cause."""

    form = until = place = step = rung = start = spread = hurdles = low = low_power = unit_power = 0
    divisor, escape, unit, power = 1, 20, 1, -300

    def __init__(self, frame: bytes) -> None:
        self.frame, self._at, self._end = frame, 4, len(frame) - 2
        is_long = len(frame) > 11 and frame[0] == 0x80 and frame[2:4] == _length_word(len(frame))
        _require(is_long and _check_sum(frame[:-2]) == frame[-2:], "no whole frame of version 2")
        _require(frame[1] in (REQUEST, DISMISS), "neither a request nor a dismissal of one arm")
        self.run, self.epoch = self._take(3), self._take(1)
        self.arm, self.number = self._take(NUMBER), self._take(NUMBER)
        if frame[1] == REQUEST:
            self._read_question(self._take(1))
        is_number = self.number > 0 and (self.form or self.number <= 2)
        _require(is_number and self._at == self._end, "its fields end late, or have a number 0")

    def _read_question(self, tag: int) -> None:
        self.form, of_scale, is_escaped = tag & 0x0F, tag >> 6, tag >> 5 & 1
        is_judged, is_challenge = self.form >= EVIDENCE, self.form == CHALLENGE
        is_known = ANY >> self.form & 1 and not tag & 0x10 and not (is_escaped and is_challenge)
        _require(is_known and of_scale < (3 if is_judged else 1), "codes: nearest and above alone")
        has = 1 << self.form | ESCAPED * is_escaped | (LOW | UNIT, 0, UNIT)[of_scale] * is_judged
        for name, spelling, where, least, end in FIELDS:
            if has & where:
                value = self._take(spelling)
                _require(least <= value < end, "nobody can answer this question: " + name)
                setattr(self, name, value)
        self.scale = [(BOUNDED, BOUNDED, SIGMA)[of_scale] * is_judged]
        self.scale += [self.low, self.low_power, self.unit, self.unit_power]
        is_spelt = not is_judged or (self.place | self.step) & self.unit & 1
        is_spelt = is_spelt and (self.low & 1 or not (self.low or self.low_power))
        is_spelt = is_spelt and (of_scale or self.scale != [BOUNDED, 0, 0, 1, 0])
        _require(is_spelt and not (is_escaped and self.escape == 20), "a question spelt otherwise")
        self.rung, self.below = divmod(self.start, 16) if is_challenge else (self.rung, 0)
        is_near = abs(self.place - self.below * self.step) < self.step << 34
        _require(is_near, "2^34 steps from 0 is too far")
        # Lengths become whole numbers of 2^half: half a step is one too.
        self.half, self.place, self.step = self.power - 1, 2 * self.place, 2 * self.step

    def _take(self, spelling: int) -> int:
        number, shift, byte, size = 0, 0, 0x80, max(spelling, 1)
        self._at += size
        _require(self._at <= self._end, "a field runs into the check sum")
        bits = int.from_bytes(self.frame[self._at - size : self._at], "big")
        if spelling == FLOAT:  # as a whole number of 2^-300
            power, number = (bits >> 52 & 0x7FF) - 775, bits & (1 << 52) - 1 | 1 << 52
            _require(not bits or 0 <= power < 500, "a float that no device holds")
            return (-number if bits >> 63 else number) << power if bits else 0
        if spelling > 0:
            return bits
        while byte & 0x80:
            byte = self._take(1) if shift else bits
            number |= (byte & 0x7F) << shift
            _require(number < LARGE and shift < 64 and (byte or not shift), "no number")
            shift += 7
        return number if spelling == NUMBER else number + 1 >> 1 if number & 1 else -(number >> 1)

    def word(self, steps: int) -> str:
        """That of so many steps from the place."""
        return _golomb(_fold(steps), self.divisor, self.escape)


AHEAD = "+"  # in place of an answer's bits: more pulls were made than were asked for
BEYOND = "1"  # in place of an answer that the link does not carry: no word is so short


def _fold(number: int) -> int:
    return 2 * number - 1 if number > 0 else -2 * number


def _golomb(number: int, divisor: int, escape: int) -> str:  # past the escape Elias'
    quotient, rest = divmod(number, divisor)
    if quotient >= escape:
        digits = bin(number - escape * divisor + 1)[2:]
        return "1" * escape + "0" * (len(digits) - 1) + digits
    length = len(bin(2 * divisor - 1)) - 3  # the least with 2^length >= divisor
    short = (1 << length) - divisor
    length, rest = (length, rest + short) if rest >= short else (length - 1, rest)
    return "1" * quotient + "0" + bin(1 << length | rest)[3:]


# -- the arm: docs/wire.md has its rules and formulas, docs/evidence.md the proofs ----------------

ONE = 1 << 32  # scaled rewards are counted in units of 1/ONE
SHARES = (0.5, 0.25, 0.15, 0.1)  # of losers 0 to 3 rungs above the winner
NUMERATORS = (62, 40, 25)  # of the rates: over 64, and over 4 for every three rungs
ROUNDING = 512.0  # what all roundings come to, in parts of what is added up:
while 1.0 + ROUNDING / 512.0 > 1.0:  # 512 times 2^-53, 2^-24, or what the board has
    ROUNDING /= 2.0
KEPT = ["run", "arm", "epoch", "dismissed", "count"]
KEPT += ["sum", "scale", "total", "predicted", "squares", "fortunes", "powers"]


def _curve(y: float) -> float:
    """(-ln(1 - y) - y)/y², about 1/2: by its series where floats would cancel."""
    if abs(y) > 0.25:
        return (-math.log(1.0 - y) - y) / (y * y)
    total = 0.0
    for n in range(28, 1, -1):
        total = total * y + 1.0 / n
    return total


def _reaches(terms: "list[tuple[float, float]]", low: float, high: float, level: float) -> bool:
    """Whether ln Σ exp(value + slope·m) is at least the level for all m in [low, high].

    It is convex in m, hence above its tangents; and falls on one side of where it is least.
    """
    for _ in range(80):
        m, room = (low + high) / 2.0, (high - low) / 2.0
        top = max(value + slope * m for value, slope in terms)
        shares = [math.exp(value + slope * m - top) for value, slope in terms]
        value = top + math.log(sum(shares))
        slope = sum(share * term[1] for share, term in zip(shares, terms)) / sum(shares)
        if value < level or value - abs(slope) * room >= level:
            return value >= level
        low, high = (m, high) if slope < 0.0 else (low, m)
    return False


class Agent:
    """One arm.

    `store` has two slots of bytes that outlive a power cut. `read(slot)` returns what was written
    there; any bytes if nothing was, or if power failed meanwhile. `write(slot, content)` keeps the
    content for good, or raises OSError.
    """

    most_pulls = 1 << 30  # for one question: who speaks must not wear a sensor out
    most_bits = 1 << 30  # of an answer: what the link carries
    run = epoch = -1
    arm = dismissed = saves = count = sum = 0
    total = predicted = squares = 0  # Σx, Σx̂ and V, in units of 1/ONE
    asked: "Heard | None" = None
    answer: "str | None" = None  # to what was asked

    def __init__(self, store: "Any", fraction: int, low: int, high: int) -> None:
        self.store, self.fraction, self.low, self.high = store, fraction, low, high
        self.scale = [NO_SCALE, 0, 0, 1, 0]
        self.fortunes = [1] * 16  # of those who bet on high rewards, and on low ones,
        self.powers = [0] * 16  # times these powers of two
        for slot in (0, 1):
            kept = bytes(store.read(slot))
            if len(kept) > 4 and binascii.crc32(kept[4:]).to_bytes(4, "big") == kept[:4]:
                record = json.loads(kept[4:].decode())
                if record[0] != fraction:
                    raise ValueError("what is kept was counted in other units: erase it first")
                if record[1] > self.saves:  # than what the other slot has
                    self.saves, frame, self.answer = record[1:4]
                    self.asked = Heard(bytes(frame)) if frame else None
                    for name, value in zip(KEPT, record[4:]):
                        setattr(self, name, value)
        self._target, self._saved = 0, self.count

    def save(self) -> None:
        """Keep all that it holds; whenever you like: rewards since the last time can be lost."""
        self._save(self.answer)

    def _save(self, answer: "str | None") -> None:
        record = [
            self.fraction,
            self.saves + 1,
            list(self.asked.frame if self.asked else b""),
            answer,
        ]
        kept = json.dumps(record + [getattr(self, name) for name in KEPT]).encode()
        # The sum comes first: at the end, a record that lacks its last byte would pass in 1 of 256.
        self.store.write(self.saves + 1 & 1, binascii.crc32(kept).to_bytes(4, "big") + kept)
        self.saves, self.answer, self._saved = self.saves + 1, answer, self.count

    @property
    def wanted(self) -> int:
        """Rewards to the next look or answer."""
        is_over = self.dismissed or not self.asked or self.answer is not None
        return 0 if is_over else max(self._target - self.count, 0)

    def receive(self, frame: bytes) -> "bytes | None":
        """Take in a frame; returns the frame to send, if an answer is due at once."""
        heard = Heard(bytes(frame))
        is_own = self.run < 0 or (heard.run, heard.arm) == (self.run, self.arm)
        _require(is_own, "for another run or another arm")
        ahead = (heard.epoch - self.epoch) % 256 if self.epoch >= 0 else 1
        last = self.asked.number if self.asked and not ahead else 0
        is_void = heard.form and ((self.dismissed and not ahead) or heard.number < last)
        if ahead > 127 or is_void:
            return None  # of long ago, or of no more use
        if heard.form and heard.number == last and self.asked:
            _require(heard.frame == self.asked.frame, "another question had this number before")
            return self.resume()
        if heard.form:
            self._require_fit(heard)
        if ahead:
            self.run, self.arm, self.epoch, self.dismissed = heard.run, heard.arm, heard.epoch, 0
            self.asked = self.answer = None
        if not heard.form:
            self.dismissed = max(self.dismissed, heard.number)
            self.save()
            return None
        self.asked, self.answer = heard, None
        self.scale = heard.scale if heard.scale[0] else self.scale
        return self.resume()

    def _require_fit(self, asked: Heard) -> None:
        _require(asked.until - self.count <= self.most_pulls, "more pulls than this device makes")
        if asked.scale[0]:
            powers = max(abs(asked.scale[4] - asked.half), abs(self.fraction + asked.half))
            _require(powers <= 60, "short floats do not hold such steps on such a scale")
            is_free = self.scale[0] != BOUNDED and not (asked.scale[0] == BOUNDED and self.count)
            _require(is_free or asked.scale == self.scale, "a scale on which no bets were kept")

    def observe(self, reward: int) -> "bytes | None":
        """Take in one reward; returns the frame to send, once an answer is due."""
        if not self.wanted:
            raise ValueError("no reward is wanted")
        x = self._scaled(reward, -self.fraction) if self.scale[0] == BOUNDED else 0
        is_within = self.low <= reward <= self.high and 0 <= x <= ONE
        _require(is_within, "a reward lies outside the bounds", "reward")
        if self.scale[0] == BOUNDED:
            self._bet(x)
        self.sum, self.count = self.sum + reward, self.count + 1
        return self.resume() if self.count == self._target else None

    def resume(self) -> "bytes | None":
        """Go on with the question at hand: after a start, or after a write that failed."""
        if not self.asked or self.dismissed:
            return None
        if self.answer is None:
            answer = self._due(self.asked)
            if answer is None:
                return None
            self._save(answer if len(answer) <= self.most_bits else BEYOND)
        return self._reply(self.asked.number, self.answer or "")

    def _due(self, asked: Heard) -> "str | None":
        """The answer, if it is time for it; and until when to pull if it is not."""
        count, last, look, self._target = self.count, -1, 1, asked.until
        if count > asked.until:
            return AHEAD
        if asked.form == CHALLENGE:
            while look <= count:
                last, look = look, look + (look // 32 or 1)
            if count in (last, asked.until):
                self._target = count  # until it has looked, it does not pull
                if self._saved != count:
                    self.save()  # a power cut must not undo a look
                if self._is_beaten(asked):
                    return "0"
            self._target = min(asked.until, look)
        return self._word(asked) if count == asked.until else None

    def _reply(self, message: int, answer: str) -> bytes:
        run, bits = (self.run << 8 | self.epoch).to_bytes(4, "big"), len(answer)
        if answer != AHEAD and bits <= 16 and not self.arm >> 16 and message <= len(CODES):
            head = (0x40 | CODES[message - 1]) << 17 | int(answer + "1", 2) << 16 - bits
            frame = head.to_bytes(3, "big") + run + self.arm.to_bytes(2, "big")
            return frame + _check_sum(frame)
        kind, last = (POSITION, self.count) if answer == AHEAD else (REPORT, bits)
        body = bytearray(run)
        for number in (self.arm, message, last):
            while number > 0x7F:
                body.append(0x80 | number & 0x7F)
                number >>= 7
            body.append(number)
        for first in range(0, bits if kind == REPORT else 0, 8):
            body.append(int((answer[first : first + 8] + "0000000")[:8], 2))
        frame = bytes((0x80, kind)) + _length_word(len(body) + 6) + bytes(body)
        return frame + _check_sum(frame)

    def _bet(self, x: int) -> None:
        guess = (ONE // 2 + self.total) // (1 + self.count)
        self.total, self.predicted = self.total + x, self.predicted + guess
        self.squares += ((x - guess) * (x - guess) >> 32) + 3  # up, by more than x was down
        for bettor in range(16):
            rung, won = bettor % 8, x - guess if bettor < 8 else guess - x - 1
            stake = NUMERATORS[rung % 3] * won >> 6 + 2 * (rung // 3)
            fortune, power = self.fortunes[bettor] * (ONE + stake), self.powers[bettor] - 32
            while fortune >> 60:
                fortune, power = fortune >> 8, power + 8
            self.fortunes[bettor], self.powers[bettor] = fortune, power

    def _scaled(self, number: int, power: int) -> int:
        """A multiple of a power of two, where 0 and ONE are the bounds; rounded down."""
        _, low, low_power, unit, unit_power = self.scale
        least = min(power, low_power, unit_power)
        above = (number << power - least) - (low << low_power - least)
        return (above << 32) // (unit << unit_power - least)

    def _rate(self, rung: int, pulls: int = 1, less: int = 0) -> float:
        """λ of a rung, times so many pulls; less something, in its units."""
        power = (-4 if self.scale[0] == SIGMA else -6) - 2 * (rung // 3)
        return math.ldexp(NUMERATORS[rung % 3] * pulls - less, power)

    def _evidence(self, rung: int, side: int, shift: int, more: float = 0.0) -> float:
        """Evidence that the mean is above (side 1) or below (-1) what, times the count, is `shift`;
        and something more. Rounded down.
        """
        step, folded = self._rate(rung), 0.0
        if self.scale[0] == SIGMA:
            lost = -step * step / 2.0 * self.count
            total = self._scaled(self.sum, -self.fraction) + (1 if side < 0 else 0)
        elif rung < 8:
            bettor, total = rung if side > 0 else 8 + rung, self.predicted
            lost = math.log(math.ldexp(self.fortunes[bettor], -60))
            folded = (self.powers[bettor] + 60) * math.log(2.0)
        else:
            lost = -_curve(step) * step * step * (self.squares / ONE)
            total = self.total + (self.count if side < 0 else 0)  # each was rounded down
        won = side * step * ((total - shift) / ONE)
        made_of = abs(won) + abs(lost) + abs(folded) + abs(more)
        return won + lost + folded + more - ROUNDING * made_of

    def _is_beaten(self, asked: Heard) -> bool:
        """Whether the leader's evidence and its own say that the arm is not the best."""
        edge, terms = self._scaled(asked.place, asked.half), []
        for place in range(3):
            byte, winner = asked.hurdles >> 16 - 8 * place & 0xFF, asked.rung + place
            hurdle = max(byte / 8.0, byte / 2.0 - 48.0, byte * 4.0 - 720.0)
            for climb in range(4 if byte < 255 else 0):
                loser = max(winner - climb, 0)
                more = math.log(SHARES[climb]) - hurdle
                value = self._evidence(loser, -1, self.count * edge, more) - ROUNDING
                # Whole numbers are taken from each other: the two are often nearly the same.
                rise = NUMERATORS[loser % 3] * self.count << 2 * (winner // 3 - loser // 3)
                terms.append((value, -self._rate(winner, asked.until, rise)))
        low, high = -edge / ONE - ROUNDING, 1.0 - edge / ONE + ROUNDING
        if self.scale[0] == SIGMA:
            low, high = -1e38, 1e38
        for value, slope in terms:  # beyond these ends one term alone is enough
            if slope < 0.0:
                low = max(low, -value / slope)
            elif slope > 0.0:
                high = min(high, -value / slope)
            elif value >= 0.0:
                return True
        if not terms or low > high or high - low > 1e30:  # without end, some m explains everything
            return low > high
        steepest = max(abs(slope) for _, slope in terms)
        return _reaches(terms, low, high, ROUNDING * steepest * max(abs(low), abs(high)))

    def _clamped(self, mean: float) -> float:
        """Half a reward away from 0 and 1 at least: nobody saw that it is one of them."""
        least = 0.5 / (self.count + 1.0)
        return min(max(mean, least), 1.0 - least)

    def _cost(self, rung: int, mean: float, spread: float) -> float:
        """What a bettor loses with each reward, by the model of docs/wire.md."""
        mean, step = self._clamped(mean), self._rate(rung)
        skew = (2.0 * mean - 1.0) * min(2.0 * spread / (1.0 + spread), 1.0)
        return spread * mean * (1.0 - mean) * step * step * _curve(skew * step)

    def _certified(self, asked: Heard, steps: int, spread: int) -> int:
        """Steps to the highest cell whose lower end is certified, from those to the mean."""
        tries, holds, count = 0, False, self.count
        while not holds:
            steps, tries = steps - (1 << (tries - 1) // 8 if tries else 0), tries + 1
            middle = asked.place + steps * asked.step
            edge = self._scaled(middle - asked.step // 2, asked.half) + 1
            mean, holds = self._scaled(middle, asked.half) / ONE, True
            for rung in range(asked.rung, asked.rung + 3):
                lost = count * self._cost(rung, mean, 2.0**spread)
                told = self._evidence(rung, 1, count * edge, lost)
                holds = holds and told >= ROUNDING * count * self._rate(rung)
        return steps

    def _edge(self, asked: Heard, steps: int) -> str:
        """The word of the edge, from the steps to the mean: with the spread anew if that pays."""
        kept, fitted = self._certified(asked, steps, asked.spread), 2.0**asked.spread
        told = "0" + asked.word(kept)
        lost = max(-self._evidence(asked.rung + 1, 1, self.total) / self.count, 1e-12)
        mean = self.total / ONE / self.count
        for _ in range(6):  # cost is nearly in proportion to the spread
            fitted *= lost / max(self._cost(asked.rung + 1, mean, fitted), 1e-37)
            fitted = min(max(fitted, 2.0**-40), 4.0)
        off = math.log(fitted) / math.log(2.0) - asked.spread
        if abs(off) < 0.75:
            return told
        change = max(min(math.floor(off + 0.5), 20), -20)
        anew, mean = self._certified(asked, steps, asked.spread + change), self._clamped(mean)
        deviation = math.sqrt(2.0**asked.spread * mean * (1.0 - mean) / self.count)
        unit = math.ldexp(self.scale[3], self.scale[4] - asked.half)
        word = "1" + _golomb(_fold(change), 1, 20) + asked.word(anew)
        is_worth_it = (anew - kept) * asked.step > 0.5 * unit * deviation
        return word if is_worth_it and len(word) <= self.most_bits else told

    def _word(self, asked: Heard) -> str:
        """The answer to a question, but for "beaten"."""
        shift = -self.fraction - asked.half
        per = self.count << max(-shift, 0)
        mean, cell = self.sum << max(shift, 0), asked.step * per  # in parts of a half: 1/per
        _require(abs(mean) < cell << 34, "the mean is too far from 0 for these steps", "reward")
        lead = mean - asked.place * per
        steps, rest = divmod(lead + cell // 2, cell)
        is_bounded = self.scale[0] == BOUNDED
        if asked.form == CHALLENGE:
            return "1" + _golomb(max(lead // cell + asked.below, 0), 1, 6)
        if asked.form == EDGE and is_bounded:
            return self._edge(asked, steps)
        if asked.form == EDGE:  # the lines of σ hold if the mean is above the cell's lower end
            return "0" + asked.word(steps - (rest == 0))
        word, ratio = asked.word(steps), 1.0
        if asked.form != PILOT:
            return word
        if is_bounded:  # the variance, in parts of that of a coin with the mean that is told
            told = self._clamped(self._scaled(asked.place + steps * asked.step, asked.half) / ONE)
            ratio = self.squares / ONE / self.count / (told * (1.0 - told))
        return word + "1" * sum(ratio < 0.5 * 0.25**n for n in range(8)) + "0"
