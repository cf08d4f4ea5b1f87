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
    or serve. "reward": one outside the bounds, which was not counted: a person must know. "misuse":
    a reward that was not wanted, or a store that was written in other units.
    """


def _require(holds: object, why: str, kind: str = "refused") -> None:
    if not holds:
        raise Refusal(kind, why)


# -- frames and words ------------------------------------------------------------------------------

REPORT, REQUEST, DISMISS, POSITION = 1, 2, 3, 4  # kinds of long frames
CODES = [code for code in range(64) if code & code - 1]  # of messages in short ones
NEAREST, PILOT, EDGE, CHALLENGE = 2, 5, 6, 7  # forms of questions
ESCAPED, BOUNDED, SIGMA, SPELT = 0x20, 0x40, 0x80, 0xC0  # may be added; the last three are scales
SCALES = {NEAREST: 0b1111, PILOT: 0b1010, EDGE: 0b1010, CHALLENGE: 0b1110}  # bits: none, and each
WHOLE = (1 << 53) - 1  # the largest number that is spelt
GRAIN = 300  # lengths are whole numbers of 2^-300
BEYOND = "1"  # in place of an answer that the link does not carry: no word is so short


def _sealed(frame: bytes) -> bytes:  # by a CRC-16/CCITT-FALSE
    crc = 0xFFFF
    for byte in frame:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc >> 15 else 0)) & 0xFFFF
    return frame + crc.to_bytes(2, "big")


def _long_frame(kind: int, body: bytes) -> bytes:
    size = len(body) + 6
    word = size | (bin(size).count("1") & 1) << 15  # the bit on top makes the ones even
    return _sealed(bytes((0x80, kind, word >> 8, word & 0xFF)) + body)


def _golomb(number: int, divisor: int, escape: int) -> str:
    ones = min(number // divisor, escape)
    rest, length = number - ones * divisor, len(bin(2 * divisor - 1)) - 3
    if ones == escape:  # Elias' code
        return "1" * ones + "0" * (len(bin(rest + 1)) - 3) + bin(rest + 1)[2:]
    spare = (1 << length) - divisor  # so many rests have a bit less; a 0 before them ends the ones
    rest, length = (rest, length) if rest < spare else (rest + spare, length + 1)
    return "1" * ones + bin(1 << length | rest)[3:]


class Heard:
    """A request, and what can answer it; or a dismissal: then `form` is 0."""

    form, below, divisor, escape, scale = 0, 0, 1, 20, [0, 0, 0]  # a scale: its kind, low, unit

    def __init__(self, frame: bytes) -> None:
        self.frame, self._at, self._end = frame, 4, len(frame) - 2
        _require(11 < len(frame) < 1 << 15 and frame[1] in (REQUEST, DISMISS), "not for one arm")
        _require(frame == _long_frame(frame[1], frame[4:-2]), "no whole long frame of version 2")
        self.run, self.epoch, self.arm = self._bytes(3), self._bytes(1), self._take()
        self.number = self._take(1, 2 if frame[1] == DISMISS else (1 << 64) - 1)
        self._head = frame[4 : self._at]
        if frame[1] == REQUEST:
            self._take_question(self._bytes(1))
        _require(self._at == self._end, "its fields do not end where they should")

    def _bytes(self, count: int) -> int:
        self._at += count
        _require(self._at <= self._end, "a field runs into the check sum")
        return int.from_bytes(self.frame[self._at - count : self._at], "big")

    def _take(self, least: int = 0, most: int = (1 << 64) - 1) -> int:
        """A number within limits; a signed one where it may be below 0."""
        number, shift, byte = 0, 0, 0x80
        while byte & 0x80:
            byte = self._bytes(1)
            number, shift = number | (byte & 0x7F) << shift, shift + 7
        if least < 0:
            number = number + 1 >> 1 if number & 1 else -(number >> 1)
        _require(least <= number <= most and (byte or shift == 7), "a number out of its limits")
        return number

    def _take_length(self) -> int:
        """An odd number, or 0, and the power of two that it is times."""
        number, power = self._take(-WHOLE, WHOLE), self._take(-GRAIN, GRAIN)
        _require(number & 1 or number == power == 0, "a length that is spelt otherwise")
        return number << GRAIN + power

    def _take_question(self, tag: int) -> None:
        form, kind = tag & 0x1F, tag & SPELT
        _require(SCALES.get(form, 0) >> (kind >> 6) & 1, "it knows nearest and above alone")
        self.form, self.until = form, self._take(1, 10**12)
        self.place, self.step = self._take_length(), self._take_length()
        if form == CHALLENGE:
            self.rung, self.below = divmod(self._take(0, 16 * 62 - 1), 16)
            self.hurdles = [self._bytes(1), self._bytes(1), self._bytes(1)]
        else:
            self.divisor = self._take(1, 1 << 40)
        if form == EDGE:
            self.rung, self.spread = self._take(0, 61), self._take(-40, 2)
        if tag & ESCAPED:
            self.escape = self._take(1, 64)
            _require(self.escape != 20 and form != CHALLENGE, "an escape that is spelt otherwise")
        if kind:
            low = self._take_length() if kind == SPELT else 0  # else the bounds are 0 and 1
            unit = self._take_length() if kind != BOUNDED else 1 << GRAIN
            _require(kind != SPELT or low or unit != 1 << GRAIN, "a scale that is spelt otherwise")
            _require(unit >> 60 <= self.step <= unit << 60, "steps that short floats do not hold")
            self.scale = [kind & BOUNDED or SIGMA, low, unit]
        _require(abs(self.place - self.below * self.step) < self.step << 34, "too far from 0")

    def signed(self, steps: int) -> str:
        """The word of so many steps."""
        return _golomb(2 * steps - 1 if steps > 0 else -2 * steps, self.divisor, self.escape)

    def reply(self, word: str, count: int) -> bytes:
        """The frame that tells a word; or, without one, how many pulls were made."""
        bits = len(word)
        if word and bits <= 16 and self.arm < 1 << 16 and self.number <= len(CODES):
            first = (0x40 | CODES[self.number - 1]) << 17 | int(word + "1", 2) << 16 - bits
            return _sealed(first.to_bytes(3, "big") + self._head[:4] + self.arm.to_bytes(2, "big"))
        left, body = bits or count, bytearray(self._head)  # run, arm, message: as they were spelt
        while left > 0x7F:
            body.append(0x80 | left & 0x7F)
            left >>= 7
        body.append(left)
        body += bytes([int((word[at : at + 8] + "0000000")[:8], 2) for at in range(0, bits, 8)])
        return _long_frame(REPORT if word else POSITION, bytes(body))


# -- the arm: docs/wire.md has its rules and formulas, docs/evidence.md the proofs ----------------

ONE = 1 << 32  # scaled rewards are counted in units of 1/ONE
SHARES = (0.5, 0.25, 0.15, 0.1)  # of losers 0 to 3 rungs above the winner
NUMERATORS = (62, 40, 25)  # of the rates: over 64, and over 4 for every three rungs
ROUNDING = 512.0  # what all roundings come to, in parts of what is added up:
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


class Agent:
    """One arm. `store` has two slots of bytes that outlive a power cut. `read(slot)` returns what
    was written there; any bytes if nothing was, or if power failed meanwhile. `write(slot,
    content)` keeps the content for good, or raises OSError.
    """

    most_pulls = 1 << 30  # for one question: who speaks must not wear a sensor out
    most_bits = 1 << 30  # of an answer: what the link carries
    wanted = 0  # rewards to the next look or answer
    heard: "Heard | None" = None  # the last request or dismissal that it took
    reply = b""  # to that, once it is due
    count = sum = total = predicted = squares = 0  # of rewards; and with bounds, Σx, Σx̂ and V
    # The last scale; what those who bet on high rewards and on low ones have, times 2^power.
    scale, fortunes, powers = [0, 0, 0], [0], [0]

    def __init__(self, store: "Any", fraction: int, low: int, high: int) -> None:
        self.store, self.fraction, self.low, self.high = store, fraction, low, high
        fresh = [0, fraction, [], [], [0, 0, 0], 0, 0, 0, 0, 0, [1] * 16, [0] * 16]
        record = max(fresh, self._kept(0), self._kept(1))  # by how often it had saved
        is_ours = record[1] == fraction and len(record) == len(fresh)
        _require(is_ours, "kept in other units, or by another version: erase it first", "misuse")
        self.saves, _, heard, reply, self.scale, self.count = record[:6]
        self.heard, self.reply = Heard(bytes(heard)) if heard else None, bytes(reply)
        self.sum, self.total, self.predicted, self.squares, self.fortunes, self.powers = record[6:]
        self._saved, self._shift = self.count, GRAIN - fraction

    def _kept(self, slot: int) -> "list[Any]":
        kept = bytes(self.store.read(slot))
        is_whole = len(kept) > 4 and binascii.crc32(kept[4:]).to_bytes(4, "big") == kept[:4]
        return list(json.loads(kept[4:].decode())) if is_whole else [0]

    def save(self, reply: bytes = b"") -> None:
        """Keep all that it holds; whenever you like: rewards since the last time can be lost."""
        reply, heard = reply or self.reply, self.heard.frame if self.heard else b""
        record = [self.saves + 1, self.fraction, list(heard), list(reply), self.scale, self.count]
        record += [self.sum, self.total, self.predicted, self.squares, self.fortunes, self.powers]
        kept = json.dumps(record).encode()
        # The sum comes first: at the end, a record that lacks its last byte would pass in 1 of 256.
        self.store.write(self.saves + 1 & 1, binascii.crc32(kept).to_bytes(4, "big") + kept)
        self.saves, self.reply, self._saved = self.saves + 1, reply, self.count

    @property
    def has_conceded(self) -> bool:
        """Whether the reply says that the arm is beaten."""
        asked = self.heard
        return asked is not None and asked.form == CHALLENGE and self.reply == asked.reply("0", 0)

    def receive(self, frame: bytes) -> "bytes | None":
        """Take in a frame; returns the frame to send, if an answer is due at once."""
        heard, last = Heard(bytes(frame)), self.heard
        if last:
            _require((heard.run, heard.arm) == (last.run, last.arm), "for another run or arm")
            ahead = (heard.epoch - last.epoch) % 256
            is_late = heard.form and (not last.form or heard.number < last.number)
            if ahead > 127 or (not ahead and is_late):
                return None  # of long ago; or after it was dismissed
            if not ahead and heard.form and heard.number == last.number:
                _require(heard.frame == last.frame, "another question had this number before")
                return self.resume()
        if heard.form:
            _require(heard.until - self.count <= self.most_pulls, "more pulls than it may make")
            is_bet = self.count and heard.scale[0] and BOUNDED in (heard.scale[0], self.scale[0])
            _require(not (is_bet and heard.scale != self.scale), "bets that were not kept")
            self.scale = heard.scale if heard.scale[0] else self.scale
        self.heard, self.reply, self.wanted = heard, b"", 0
        if not heard.form:
            self.save()
        return self.resume()

    def observe(self, reward: int) -> "bytes | None":
        """Take in one reward; returns the frame to send, once an answer is due."""
        _require(self.wanted, "no reward is wanted", "misuse")
        x = self._scaled(reward << self._shift) if self.scale[0] == BOUNDED else 0
        _require(self.low <= reward <= self.high and 0 <= x <= ONE, "outside the bounds", "reward")
        if self.scale[0] == BOUNDED:
            self._bet(x)
        self.sum, self.count, self.wanted = self.sum + reward, self.count + 1, self.wanted - 1
        return None if self.wanted else self.resume()

    def resume(self) -> "bytes | None":
        """Go on with the question at hand: after a start, or after a write that failed."""
        asked, count, self.wanted = self.heard, self.count, 0
        look, last, word = 1, 1, ""  # of who is challenged, the next look and the one before
        if not asked or not asked.form or self.reply:
            return self.reply or None
        while look <= count:
            last, look = look, look + (look // 32 or 1)
        if asked.form == CHALLENGE and count <= asked.until and count in (last, asked.until):
            if self._saved != count:
                self.save()  # a power cut must not undo a look
            word = "0" if self._is_beaten(asked) else ""
        if count < asked.until and not word:
            look = min(asked.until, look) if asked.form == CHALLENGE else asked.until
            self.wanted = look - count
            return None
        word = word or (self._word(asked) if count == asked.until else "")
        self.save(asked.reply(word if len(word) <= self.most_bits else BEYOND, count))
        return self.reply

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

    def _scaled(self, length: int) -> int:  # where 0 and ONE are the bounds; rounded down
        return (length - self.scale[1] << 32) // self.scale[2]

    def _rate(self, rung: int, pulls: int = 1, less: int = 0) -> float:
        """λ of a rung, times so many pulls; less something, in its units."""
        power = (-4 if self.scale[0] == SIGMA else -6) - 2 * (rung // 3)
        return math.ldexp(NUMERATORS[rung % 3] * pulls - less, power)

    def _evidence(self, rung: int, side: int, edge: int, more: float = 0.0) -> float:
        """Evidence that the mean is above (side 1) or below (-1) an edge on the scale, and more;
        rounded down. With σ there is the second alone.
        """
        step, folded = self._rate(rung), 0.0
        if self.scale[0] == SIGMA:
            lost, total = -step * step / 2.0 * self.count, self._scaled(self.sum << self._shift) + 1
        elif rung < 8:
            bettor, total = rung if side > 0 else 8 + rung, self.predicted
            lost = math.log(math.ldexp(self.fortunes[bettor], -60))
            folded = (self.powers[bettor] + 60) * math.log(2.0)
        else:
            lost = -_curve(step) * step * step * (self.squares / ONE)
            total = self.total + (self.count if side < 0 else 0)  # each was rounded down
        won = side * step * ((total - self.count * edge) / ONE)
        made_of = abs(won) + abs(lost) + abs(folded) + abs(more)
        return won + lost + folded + more - ROUNDING * made_of

    def _is_beaten(self, asked: Heard) -> bool:
        """Whether the leader's evidence and its own say that the arm is not the best."""
        edge, terms = self._scaled(asked.place), []
        for place, byte in enumerate(asked.hurdles):
            hurdle = max(byte / 8.0, byte / 2.0 - 48.0, byte * 4.0 - 720.0)
            for climb in range(4 if byte < 255 else 0):
                winner, more = asked.rung + place, math.log(SHARES[climb]) - hurdle
                loser = max(winner - climb, 0)
                value = self._evidence(loser, -1, edge, more) - ROUNDING
                # Whole numbers are taken from each other: the two are often nearly the same.
                rise = NUMERATORS[loser % 3] * self.count << 2 * (winner // 3 - loser // 3)
                terms.append((value, -self._rate(winner, asked.until, rise)))
        low, high = -1e38, 1e38
        if self.scale[0] == BOUNDED:
            low, high = -edge / ONE - ROUNDING, 1.0 - edge / ONE + ROUNDING
        # One term alone is enough: if it is level and not below 0, or beyond these ends.
        if any(value >= 0.0 for value, slope in terms if not slope):
            return True
        low = max([low] + [-value / slope for value, slope in terms if slope < 0.0])
        high = min([high] + [-value / slope for value, slope in terms if slope > 0.0])
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

    def _edge(self, asked: Heard, top: int) -> str:
        """The spread, doubled until the model's cost is half of what the middle bettor lost; and
        with it the highest cell whose lower end is certified, from the mean's down.
        """
        mean, rung, spread, word = self.total // self.count, asked.rung + 1, asked.spread, ""
        lost = -self._evidence(rung, 1, mean) / self.count - self._rate(rung) / (1 << 30)
        while spread < 2 and 2.0 * self._cost(rung, mean / ONE, 2.0**spread) < lost:
            spread += 1
        while not word or (len(word) > self.most_bits and spread >= asked.spread):
            steps, tries = top, 0
            while not self._is_certified(asked, asked.place + steps * asked.step, 2.0**spread):
                steps, tries = steps - (1 << tries // 8), tries + 1
            word = _golomb(spread - asked.spread, 1, 20) + asked.signed(steps)
            spread -= 1  # rather a lower edge than none
        return word

    def _is_certified(self, asked: Heard, middle: int, spread: float) -> bool:
        mean, edge = self._scaled(middle) / ONE, self._scaled(middle - asked.step // 2) + 1
        for rung in range(asked.rung, asked.rung + 3):
            lost = self.count * self._cost(rung, mean, spread)
            if self._evidence(rung, 1, edge, lost) < ROUNDING * self.count * self._rate(rung):
                return False
        return True

    def _word(self, asked: Heard) -> str:
        """The answer to a question, but for "beaten"."""
        mean, cell = self.sum << self._shift, asked.step * self.count
        _require(abs(mean) < cell << 34, "the mean is too far from 0 for these steps", "reward")
        lead = mean - asked.place * self.count
        if asked.form == CHALLENGE:
            return "1" + _golomb(max(lead // cell + asked.below, 0), 1, 6)
        steps = (2 * lead + cell) // (2 * cell)
        if asked.form == EDGE:
            return self._edge(asked, steps)
        word = asked.signed(steps)
        if asked.form == PILOT:  # the variance, in parts of that of a coin
            told = self._clamped(self._scaled(asked.place + steps * asked.step) / ONE)
            ratio = self.squares / ONE / self.count / (told * (1.0 - told))
            word += "1" * sum(ratio < 0.5 * 0.25**n for n in range(8)) + "0"
        return word
