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

import json
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Refusal(Exception):  # noqa: N818
    """What was refused, after which nothing has changed: (kind, why).

    Kinds: "refused", of a frame or question that this agent cannot read or serve; "reward", of a
    reward outside the bounds: it was not counted, and a person must know.
    """


def _require(holds: object, why: str, kind: str = "refused") -> None:
    if not holds:
        raise Refusal(kind, why)


# -- frames ----------------------------------------------------------------------------------------

CODES = [code for code in range(64) if code & code - 1]  # of messages in short frames
REPORT, REQUEST, DISMISS, POSITION = 1, 2, 3, 4  # kinds of long ones
NEAREST, EVIDENCE, PILOT, EDGE, CHALLENGE = 2, 5, 6, 7, 8  # forms of questions
ESCAPED, IN_UNIT, OF_SIGMA = 0x20, 0x40, 0x80  # what may be added to them
NO_SCALE, SIGMA, BOUNDED = 0, 1, 2  # kinds of scales


def _check_sum(data: bytes, bits: int = 16, poly: int = 0x1021) -> bytes:  # of frames: CCITT-FALSE
    crc = mask = (1 << bits) - 1
    for byte in data:
        crc ^= byte << bits - 8
        for _ in range(8):
            crc = (crc << 1 ^ (poly if crc >> bits - 1 else 0)) & mask
    return crc.to_bytes(bits // 8, "big")


def _length_word(size: int) -> bytes:
    return (size | (bin(size).count("1") & 1) << 15).to_bytes(2, "big")


class Heard:
    """A request; or a dismissal: then `form` is 0, and the number is its cause.

    Lengths are whole numbers of 2^half, which is half the frame's unit.
    """

    def __init__(self, frame: bytes) -> None:
        self.frame, self.at, self.end, self.form = frame, 4, len(frame) - 2, 0
        is_long = len(frame) > 11 and frame[0] == 0x80 and frame[2:4] == _length_word(len(frame))
        _require(is_long and _check_sum(frame[:-2]) == frame[-2:], "no whole frame of version 2")
        _require(frame[1] in (REQUEST, DISMISS), "neither a request nor a dismissal of one arm")
        self.run, self.epoch = self._take(3), self._take(1)
        self.arm, self.number = self._natural(), self._natural()
        if frame[1] == REQUEST:
            self._read_question()
        is_number = self.number > 0 and (self.form or self.number <= 2)
        _require(is_number and self.at == self.end, "its fields end late, or have a number 0")

    def _take(self, count: int) -> int:
        self.at += count
        _require(self.at <= self.end, "a field runs into the check sum")
        return int.from_bytes(self.frame[self.at - count : self.at], "big")

    def _natural(self) -> int:
        number, shift, byte = 0, 0, 0x80
        while byte & 0x80:
            byte = self._take(1)
            number |= (byte & 0x7F) << shift
            is_short = not number >> 64 and shift <= 63 and (byte or not shift)
            _require(is_short, "a number is spelt at length, or not below 2^64")
            shift += 7
        return number

    def _signed(self) -> int:
        folded = self._natural()
        return folded + 1 >> 1 if folded & 1 else -(folded >> 1)

    def _float(self) -> "tuple[int, int]":  # as a whole number, and the power of two it is times
        bits = self._take(8)
        raised, mantissa = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
        _require(raised < 0x7FF and bits != 1 << 63, "no float that may be sent")
        mantissa += (1 << 52) if raised else 0
        return -mantissa if bits >> 63 else mantissa, max(raised, 1) - 1075

    def _read_question(self) -> None:
        tag = self._take(1)
        self.form = form = tag & 0x0F
        more = tag - form
        is_known = (form == NEAREST and more in (0, ESCAPED)) or EVIDENCE <= form <= CHALLENGE
        _require(is_known and more & 0x10 == 0 and more < 0xC0, "codes: nearest and above alone")
        self.until = self._natural()
        if form == NEAREST:
            (place, power), (step, step_power) = self._float(), self._float()
        else:
            power = step_power = self._signed()
            place, step = self._signed(), self._natural()
            _require((place | step) & 1, "lengths are in the largest unit that there is")
        self.divisor = self._natural() if form < CHALLENGE else 1
        self.rung = self._natural() if form >= EDGE else 0
        self.rung, self.below = divmod(self.rung, 16) if form == CHALLENGE else (self.rung, 0)
        self.spread = self._signed() if form == EDGE else 0
        self.hurdles = [self._take(1) for _ in range(3)] if form == CHALLENGE else []
        self.escape = self._natural() if more & ESCAPED else 20
        is_spelt = not more & ESCAPED or (self.escape != 20 and form != CHALLENGE)
        # The kind; low and unit, each an odd number and the power of two it is times.
        self.scale = [NO_SCALE, 0, 0, 1, 0]
        if form >= EVIDENCE:
            kind = SIGMA if more & OF_SIGMA else BOUNDED
            low = [0, 0] if more >= IN_UNIT else [self._signed(), self._signed()]
            unit = [1, 0] if more & IN_UNIT else [self._natural(), self._signed()]
            self.scale = [kind] + low + unit
            is_spelt = is_spelt and unit[0] & 1 == 1 and (low[0] & 1 == 1 or low == [0, 0])
            is_spelt = is_spelt and (more >= IN_UNIT or low + unit != [0, 0, 1, 0])
        largest = max(abs(place), step, abs(self.scale[1]), self.scale[3])
        furthest = max(abs(power), abs(step_power), abs(self.scale[2]), abs(self.scale[4]))
        _require(is_spelt and largest < 1 << 53 and furthest <= 1100, "a question spelt otherwise")
        is_sound = 1 <= self.until <= 10**12 and 1 <= self.divisor <= 1 << 40 and step > 0
        is_sound = is_sound and self.rung <= 61 and -40 <= self.spread <= 2
        _require(is_sound and 1 <= self.escape <= 64, "nobody can answer this question")
        self.half = (min(power, step_power) if place else step_power) - 1
        self.place = place << power - self.half if place else 0  # the centre, or the edge
        self.step = step << step_power - self.half  # the width of a cell
        is_near = abs(self.place - self.below * self.step) < self.step << 34
        _require(is_near, "2^34 steps from 0 is too far")


def _long_frame(kind: int, run: int, numbers: "tuple[int, ...]", symbol: str = "") -> bytes:
    body = bytearray(run.to_bytes(4, "big"))
    for number in numbers:
        while number > 0x7F:
            body.append(0x80 | number & 0x7F)
            number >>= 7
        body.append(number)
    for first in range(0, len(symbol), 8):
        body.append(int((symbol[first : first + 8] + "0000000")[:8], 2))
    frame = bytes((0x80, kind)) + _length_word(len(body) + 6) + bytes(body)
    return frame + _check_sum(frame)


def _fold(number: int) -> int:
    return 2 * number - 1 if number > 0 else -2 * number


BEYOND = "1"  # in place of an answer that the link does not carry: no word is so short


def _golomb(number: int, divisor: int, escape: int) -> str:  # past the escape Elias'
    quotient, rest = divmod(number, divisor)
    if quotient >= escape:
        digits = bin(number - escape * divisor + 1)[2:]
        return "1" * escape + "0" * (len(digits) - 1) + digits
    length = len(bin(2 * divisor - 1)) - 3  # the least with 2^length >= divisor
    short = (1 << length) - divisor
    if rest >= short:
        rest += short
    else:
        length -= 1
    return "1" * quotient + "0" + bin(1 << length | rest)[3:]


# -- evidence: docs/evidence.md has the proofs, docs/wire.md the formulas --------------------------

ONE = 1 << 32  # scaled rewards are counted in units of 1/ONE
SHARES = (0.5, 0.25, 0.15, 0.1)  # of losers 0 to 3 rungs above the winner
NUMERATORS = (62, 40, 25)  # of the rates: over 64, and over 4 for every three rungs
ROUNDING = 512.0  # what all roundings come to, in parts of the largest number that is added up:
while 1.0 + ROUNDING / 512.0 > 1.0:  # 512 times 2^-53, 2^-24, or what the board has
    ROUNDING /= 2.0


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


class Evidence:
    """What is kept of an arm's rewards, and what follows from it for the question `asked`."""

    def __init__(self, fraction: int, most_bits: int) -> None:
        self.fraction, self.most_bits, self.scale = fraction, most_bits, [NO_SCALE, 0, 0, 1, 0]
        self.count = self.sum = 0
        self.total = self.predicted = self.squares = 0  # Σx, Σx̂ and V, in units of 1/ONE
        self.fortunes = [1] * 16  # of those who bet on high rewards, and on low ones,
        self.powers = [0] * 16  # times these powers of two

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

    def _rate(self, rung: int) -> float:
        return math.ldexp(NUMERATORS[rung % 3], (-6, -4, -6)[self.scale[0]] - 2 * (rung // 3))

    def _word(self, asked: Heard) -> str:
        """The answer to a question, but for "beaten"."""
        shift = -self.fraction - asked.half
        per = self.count << max(-shift, 0)
        mean, cell = self.sum << max(shift, 0), asked.step * per  # in parts of a half: 1/per
        _require(abs(mean) < cell << 34, "the mean is too far from 0 for these steps", "reward")
        lead = mean - asked.place * per
        steps, rest = divmod(lead + cell // 2, cell)
        own, is_bounded, before, after, change = steps, self.scale[0] == BOUNDED, "", "", 0
        if asked.form == PILOT:
            ratio = self._variance(asked, steps) if is_bounded else 1.0
            after = "1" * sum(ratio < 0.5 * 0.25**n for n in range(8)) + "0"
        elif asked.form == EDGE:
            if is_bounded:
                steps, change = self._edge(asked, steps)
            elif rest == 0:  # of σ the lines hold wherever the mean is above the cell's lower end
                steps -= 1
            before = "1" + _golomb(_fold(change), 1, 20) if change else "0"
        word = before + _golomb(_fold(steps), asked.divisor, asked.escape) + after
        if asked.form == CHALLENGE:
            word = "1" + _golomb(max(lead // cell + asked.below, 0), 1, 6)
        if change and len(word) > self.most_bits:  # the old spread will do
            steps = self._certified(asked, own, asked.spread)
            word = "0" + _golomb(_fold(steps), asked.divisor, asked.escape)
        return word if len(word) <= self.most_bits else BEYOND

    def _is_beaten(self, asked: Heard) -> bool:
        """Whether the leader's evidence and its own say that the arm is not the best."""
        count, until, terms, size, steepest = self.count, asked.until, [], 0.0, 0.0
        edge = self._scaled(asked.place, asked.half)
        for winner, byte in enumerate(asked.hurdles, asked.rung):
            hurdle = byte / 8.0 if byte < 128 else 16.0 + (byte - 128) / 2.0
            hurdle = 48.0 + (byte - 192) * 4.0 if byte >= 192 else hurdle
            for climb in range(4 if byte < 255 else 0):
                loser = max(winner - climb, 0)
                value, made_of = self._evidence(loser, -1, count * edge)
                rise, fall = self._rate(loser) * count, self._rate(winner) * until
                terms.append((value + math.log(SHARES[climb]) - hurdle, rise - fall))
                size, steepest = max(size, made_of + hurdle + 3.0), max(steepest, rise + fall)
        low, high = -edge / ONE - ROUNDING, 1.0 - edge / ONE + ROUNDING
        if self.scale[0] == SIGMA:
            low, high = -1e38, 1e38
        level = ROUNDING * size
        for value, slope in terms:  # beyond these ends one term alone is enough
            if slope < 0.0:
                low = max(low, (level - value) / slope)
            elif slope > 0.0:
                high = min(high, (level - value) / slope)
            elif value >= level:
                return True
        if not terms or low > high or high - low > 1e30:  # without end, some m explains everything
            return low > high
        level += ROUNDING * steepest * max(abs(low), abs(high))
        return _reaches(terms, low, high, level)

    def _evidence(self, rung: int, side: int, shift: int) -> "tuple[float, float]":
        """Evidence that the mean is above (side 1) or below (-1) what, times the count, is `shift`;
        and the size of what it was made of.
        """
        step, bettor = self._rate(rung), rung if side > 0 else 8 + rung
        if self.scale[0] == BOUNDED and rung < 8:
            lost = math.log(math.ldexp(self.fortunes[bettor], -60))
            more = (self.powers[bettor] + 60) * math.log(2.0)
            total = self.predicted
        elif self.scale[0] == BOUNDED:
            lost, more = -_curve(step) * step * step * (self.squares / ONE), 0.0
            total = self.total + (self.count if side < 0 else 0)  # each was rounded down
        else:
            lost, more = -step * step / 2.0 * self.count, 0.0
            total = self._scaled(self.sum, -self.fraction) + (1 if side < 0 else 0)
        won = side * step * ((total - shift) / ONE)
        return won + lost + more, abs(won) + abs(lost) + abs(more)

    def _clamped(self, mean: float) -> float:
        """Half a reward away from 0 and 1 at least: nobody saw that it is one of them."""
        least = 0.5 / (self.count + 1.0)
        return min(max(mean, least), 1.0 - least)

    def _cost(self, step: float, mean: float, spread: float) -> float:
        """What a bettor with this rate loses with each reward, by the model of docs/wire.md."""
        mean = self._clamped(mean)
        skew = (2.0 * mean - 1.0) * min(2.0 * spread / (1.0 + spread), 1.0)
        return spread * mean * (1.0 - mean) * step * step * _curve(skew * step)

    def _variance(self, asked: Heard, steps: int) -> float:
        """Of the rewards, in parts of that of a coin with the mean that is told."""
        mean = self._clamped(self._scaled(asked.place + steps * asked.step, asked.half) / ONE)
        return self.squares / ONE / self.count / (mean * (1.0 - mean))

    def _certified(self, asked: Heard, steps: int, spread: int) -> int:
        """Steps to the highest cell whose lower end is certified, from those to the mean."""
        tries = 0
        while True:
            middle = asked.place + steps * asked.step
            edge = self._scaled(middle - asked.step // 2, asked.half) + 1
            mean, holds = self._scaled(middle, asked.half) / ONE, True
            for rung in range(asked.rung, asked.rung + 3):
                told, size = self._evidence(rung, 1, self.count * edge)
                lost = self.count * self._cost(self._rate(rung), mean, 2.0**spread)
                size += lost + self.count * self._rate(rung)
                holds = holds and told + lost >= ROUNDING * size
            if holds:
                return steps
            steps -= 1 << tries // 8
            tries += 1

    def _edge(self, asked: Heard, steps: int) -> "tuple[int, int]":
        """Steps to the edge, from those to the mean; and by how much the spread is told anew."""
        kept, fitted = self._certified(asked, steps, asked.spread), 2.0**asked.spread
        lost = max(-self._evidence(asked.rung + 1, 1, self.total)[0] / self.count, 1e-12)
        mean = self.total / ONE / self.count
        for _ in range(6):  # cost is nearly in proportion to the spread
            fitted *= lost / max(self._cost(self._rate(asked.rung + 1), mean, fitted), 1e-37)
            fitted = min(max(fitted, 2.0**-40), 4.0)
        off = math.log(fitted) / math.log(2.0) - asked.spread
        if abs(off) < 0.75:
            return kept, 0
        change = max(min(math.floor(off + 0.5), 20), -20)
        anew, mean = self._certified(asked, steps, asked.spread + change), self._clamped(mean)
        deviation = math.sqrt(2.0**asked.spread * mean * (1.0 - mean) / self.count)
        unit = math.ldexp(self.scale[3], self.scale[4] - asked.half)
        is_worth_it = (anew - kept) * asked.step > 0.5 * unit * deviation
        return (anew, change) if is_worth_it else (kept, 0)


# -- the machine -----------------------------------------------------------------------------------

AHEAD = "+"  # in place of an answer's bits: more pulls were made than were asked for
KEPT = ["run", "arm", "epoch", "dismissed", "count", "sum", "scale"]
KEPT += ["total", "predicted", "squares", "fortunes", "powers"]


class Agent(Evidence):
    """One arm.

    `store` has two slots of bytes that outlive a power cut. `read(slot)` returns what was written
    there; any bytes if nothing was, or if power failed meanwhile. `write(slot, content)` keeps the
    content for good, or raises OSError. Answers have `most_bits` or less: what the link carries.
    """

    def __init__(
        self,
        store: "Any",
        fraction: int,
        low: int,
        high: int,
        most_pulls: int = 1 << 30,
        most_bits: int = 1 << 30,
    ) -> None:
        super().__init__(fraction, most_bits)
        self.store, self.low, self.high = store, low, high
        self.most_pulls = most_pulls  # for one question: who speaks must not wear a sensor out
        self.run, self.arm, self.epoch, self.dismissed, self.saves = -1, 0, -1, 0, 0
        self.asked: "Heard | None" = None
        self.answer: "str | None" = None
        self._target = self._saved = 0
        for slot in (0, 1):
            kept = bytes(store.read(slot))
            if len(kept) > 4 and _check_sum(kept[4:], 32, 0x4C11DB7) == kept[:4]:
                self._remember(kept[4:])

    def save(self) -> None:
        """Keep all that it holds; whenever you like: rewards since the last time can be lost."""
        self._save(self.answer)

    def _save(self, answer: "str | None") -> None:
        frame = self.asked.frame if self.asked else b""
        record = [self.fraction, self.saves + 1, list(frame), answer]
        kept = json.dumps(record + [getattr(self, name) for name in KEPT]).encode()
        # The sum comes first: at the end, a record that lacks its last byte would pass in 1 of 256.
        self.store.write(self.saves + 1 & 1, _check_sum(kept, 32, 0x4C11DB7) + kept)
        self.saves, self.answer, self._saved = self.saves + 1, answer, self.count

    def _remember(self, kept: bytes) -> None:
        record = json.loads(kept.decode())
        if record[0] != self.fraction:
            raise ValueError("what is kept was counted in other units: erase it first")
        if record[1] > self.saves:  # than what the other slot has
            self.saves, frame, self.answer = record[1:4]
            self.asked = Heard(bytes(frame)) if frame else None
            for name, value in zip(KEPT, record[4:]):
                setattr(self, name, value)
            self._saved = self.count

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
        if ahead > 127 or (heard.form and not ahead and self.dismissed):
            return None  # of long ago, or of no more use
        if heard.form and not ahead and self.asked and heard.number <= self.asked.number:
            if heard.number < self.asked.number:
                return None
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
        answer = self.answer if self.answer is not None else self._due(self.asked)
        if answer is None:
            return None
        if self.answer is None:
            self._save(answer)
        return self._reply(self.asked.number, answer)

    def _due(self, asked: Heard) -> "str | None":
        """The answer, if it is time for it; and until when to pull if it is not."""
        count, look = self.count, 1
        self._target = asked.until
        if count > asked.until:
            return AHEAD
        if asked.form == CHALLENGE:
            while look < count:
                look += look // 32 or 1
            if count in (look, asked.until):
                self._target = count  # until it has looked, it does not pull
                if self._saved != count:
                    self.save()  # a power cut must not undo a look
                if self._is_beaten(asked):
                    return "0"
            look += (look // 32 or 1) if look == count else 0
            self._target = min(asked.until, look)
        return self._word(asked) if count == asked.until else None

    def _reply(self, message: int, answer: str) -> bytes:
        run, bits = self.run << 8 | self.epoch, len(answer)
        if answer == AHEAD:
            return _long_frame(POSITION, run, (self.arm, message, self.count))
        if bits > 16 or self.arm >> 16 or message > len(CODES):
            return _long_frame(REPORT, run, (self.arm, message, bits), answer)
        head = (0x40 | CODES[message - 1]) << 17 | int(answer + "1", 2) << 16 - bits
        frame = head.to_bytes(3, "big") + run.to_bytes(4, "big") + self.arm.to_bytes(2, "big")
        return frame + _check_sum(frame)
