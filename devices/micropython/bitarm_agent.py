"""One arm of a bitarm run on a small board: MicroPython, and CPython too. One file, no dependency.

    agent = Agent(store, fraction=16, low=0, high=65536)    # rewards in units of 2^-16, in [0, 1]
    reply = agent.resume()                                  # what a power cut left unsaid
    reply = agent.receive(frame)                            # from the radio; send what it returns
    while agent.wanted:
        reply = agent.observe(read_sensor())                # a whole number of those units

docs/wire.md says what an agent does, docs/devices.md how to use this one. Rewards, sums and
positions are whole numbers, exact on every board. Floats only weigh evidence, and every rounding
makes that weaker: with short floats an arm gives up later than it might, never sooner.
"""

import struct

from bitarm_evidence import BOUNDED, NO_SCALE, ONE, SIGMA, Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Store(Protocol):
        """Two slots of bytes that outlive a power cut."""

        def read(self, slot: int) -> bytes:
            """What was written there; any bytes if nothing was, or if power failed meanwhile."""

        def write(self, slot: int, content: bytes) -> None:
            """Keep the content for good, or raise OSError."""


CODES = [code for code in range(64) if code & code - 1]  # of messages in short frames
REQUEST, DISMISS = 2, 3  # kinds of frames
NEAREST, EVIDENCE, PILOT, EDGE, CHALLENGE = 2, 5, 6, 7, 8  # forms of questions
POSITION = "+"  # in place of an answer's bits: more pulls were made than were asked for
_KEPT = ("saves", "fraction", "run", "arm", "epoch", "message", "count", "sum", "dismissed")
_LAYOUT = "<IBiQhQQqBBqhqhqqq16i16dB"  # those, the scale, the evidence, how long the request is


class Refusal(Exception):  # noqa: N818
    """What was refused, after which nothing has changed: (kind, why).

    Kinds: truncated, corrupt, version (of the frame); refused (not for this agent, or more than it
    can do); reward (outside the bounds: it was not counted, and a person must know).
    """


def _check_sum(data: bytes, bits: int = 16, poly: int = 0x1021) -> bytes:  # of frames: CCITT-FALSE
    crc = mask = (1 << bits) - 1
    for byte in data:
        crc ^= byte << bits - 8
        for _ in range(8):
            crc = (crc << 1 ^ (poly if crc >> bits - 1 else 0)) & mask
    return crc.to_bytes(bits // 8, "big")


def _long_frame(kind: int, run: int, numbers: "tuple[int, ...]", symbol: str = "") -> bytes:
    body = bytearray(run.to_bytes(4, "big"))
    for number in numbers:
        while number > 0x7F:
            body.append(0x80 | number & 0x7F)
            number >>= 7
        body.append(number)
    for first in range(0, len(symbol), 8):
        body.append(int((symbol[first : first + 8] + "0000000")[:8], 2))
    word = len(body) + 6
    word |= (bin(word).count("1") & 1) << 15
    frame = bytes((0x80, kind)) + word.to_bytes(2, "big") + bytes(body)
    return frame + _check_sum(frame)


class Fields:
    """The fields of a long frame that passed all checks of the envelope."""

    def __init__(self, frame: bytes) -> None:
        size, first = len(frame), frame[0] if frame else 0x80
        is_other = first < 0x80 or first == 0x81
        if size < (3 if is_other else 11):
            raise Refusal("truncated", "a frame has at least 11 bytes")
        word = frame[2] << 8 | frame[3] if first == 0x80 else size if is_other else 11
        length = word & 0x7FFF
        if first == 0x80 and (bin(word).count("1") & 1 or length < 12):
            raise Refusal("corrupt", "no frame has this length word")
        if size != length:
            raise Refusal("truncated" if size < length else "corrupt", "it says another length")
        if _check_sum(frame[:-2]) != bytes(frame[-2:]):
            raise Refusal("corrupt", "wrong check sum")
        if is_other:
            raise Refusal("version", "this agent reads version 2")
        kind = frame[1] if first == 0x80 else 1
        has_code = first >> 1 & 0x3F in CODES and (first & 1 or frame[1] or frame[2])
        if not 1 <= kind <= 8 or not (has_code or first == 0x80):
            raise Refusal("corrupt", "no message has this code or kind")
        if kind not in (REQUEST, DISMISS):
            raise Refusal("refused", "neither a request nor a dismissal of one arm")
        self.frame, self.at, self.end = frame, 4, size - 2
        self.run, self.epoch = self.take(3), self.take(1)
        self.arm, self.number = self.number_next(), self.number_next()
        self.question = Question(self) if kind == REQUEST else None
        if self.at != self.end or not self.number or (kind == DISMISS and self.number > 2):
            raise Refusal("corrupt", "fields must end at the check sum, and numbers begin at 1")

    def take(self, count: int) -> int:
        """The number of fixed width that comes next."""
        self.at += count
        if self.at > self.end:
            raise Refusal("corrupt", "a field runs into the check sum")
        return int.from_bytes(self.frame[self.at - count : self.at], "big")

    def number_next(self) -> int:
        """The number of variable width that comes next."""
        number, shift, byte = 0, 0, 0x80
        while byte & 0x80:
            byte = self.take(1)
            number |= (byte & 0x7F) << shift
            shift += 7
            if number >> 64 or shift > 70 or (byte == 0 and shift > 7):
                raise Refusal("corrupt", "a number is spelt at length, or not below 2^64")
        return number

    def signed_next(self) -> int:
        """The folded number that comes next."""
        folded = self.number_next()
        return folded + 1 >> 1 if folded & 1 else -(folded >> 1)

    def float_next(self) -> "tuple[int, int]":
        """The float that comes next, as an odd number and the power of two it is times."""
        bits = self.take(8)
        raised, mantissa = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
        if raised == 0x7FF or bits == 1 << 63:
            raise Refusal("corrupt", "a float is no number, or a zero with a sign")
        mantissa |= (1 << 52) if raised else 0
        exponent = max(raised, 1) - 1075 if mantissa else 0
        while mantissa and not mantissa & 1:
            mantissa, exponent = mantissa >> 1, exponent + 1
        return -mantissa if bits >> 63 else mantissa, exponent


class Question:
    """What is asked. Lengths are whole numbers of 2^half, which is half the frame's unit."""

    def __init__(self, fields: Fields) -> None:
        first, tag = fields.at, fields.take(1)
        number, signed = fields.number_next, fields.signed_next
        self.form = form = tag & 0x0F
        scaled, with_escape = tag & 0xC0, tag & 0x20
        if not (1 <= form <= 8 and scaled <= (0x80 if form >= EVIDENCE else 0)) or (
            (with_escape and form not in (NEAREST, EVIDENCE, PILOT, EDGE)) or tag & 0x10
        ):
            raise Refusal("corrupt", "no form of a question is called so")
        if form != NEAREST and form < EVIDENCE:
            raise Refusal("refused", "this agent knows the codes nearest and above")
        self.until, self.rung, self.below, self.spread, self.escape = number(), 0, 0, 0, 20
        self.hurdles = (255, 255, 255)
        if form == NEAREST:
            (place, exponent), (step, power) = fields.float_next(), fields.float_next()
        else:
            exponent = power = signed()
            place, step = signed(), number()
        is_sound = form == NEAREST or ((place | step) & 1 == 1 and not (abs(place) | step) >> 53)
        self.divisor = number() if form < CHALLENGE else 1
        if form == EDGE:
            self.rung, self.spread = number(), signed()
        elif form == CHALLENGE:
            self.rung, self.below = divmod(number(), 16)
            self.hurdles = (fields.take(1), fields.take(1), fields.take(1))
        if with_escape:
            self.escape = number()
            is_sound = is_sound and 1 <= self.escape <= 64 and self.escape != 20
        self.scale: "tuple[int, ...]" = NO_SCALE
        if form >= EVIDENCE:
            low = (0, 0) if scaled else (signed(), signed())
            unit = (1, 0) if scaled == 0x40 else (number(), signed())
            self.scale = (SIGMA if scaled == 0x80 else BOUNDED,) + low + unit
            is_sound = is_sound and unit[0] & 1 == 1 and (low[0] & 1 == 1 or low == (0, 0))
            is_sound = is_sound and not (abs(low[0]) | unit[0]) >> 53
            is_sound = is_sound and (scaled > 0 or low + unit != (0, 0, 1, 0))
        is_sound = is_sound and 1 <= self.until <= 10**12 and 1 <= self.divisor <= 1 << 40
        if not (is_sound and step > 0 and self.rung <= 61 and -40 <= self.spread <= 2):
            raise Refusal("corrupt", "nobody can answer this question")
        if max(abs(power), abs(exponent), abs(self.scale[2]), abs(self.scale[4])) > 960:
            raise Refusal("refused", "lengths beyond 2^960 do not fit")
        self.half = (min(power, exponent) if place else power) - 1
        self.place = place << exponent - self.half if place else 0
        self.step = step << power - self.half  # the width of a cell, in the same halves
        if abs(self.place - self.below * self.step) >= self.step << 34:
            raise Refusal("corrupt", "2^34 steps from 0 is too far")
        self.spelling = bytes(fields.frame[first : fields.at])


def _binary(number: int, bits: int) -> str:
    return bin(1 << bits | number)[3:]


def golomb(number: int, divisor: int, escape: int) -> str:
    """Golomb's word, past the escape Elias'."""
    quotient, remainder = divmod(number, divisor)
    if quotient >= escape:
        rest = bin(number - escape * divisor + 1)[2:]
        return "1" * escape + "0" * (len(rest) - 1) + rest
    length = len(bin(divisor - 1)) - 2 if divisor > 1 else 0
    short = (1 << length) - divisor
    if remainder < short or not length:
        return "1" * quotient + "0" + _binary(remainder, max(length - 1, 0))
    return "1" * quotient + "0" + _binary(remainder + short, length)


def _fold(number: int) -> int:
    return 2 * number - 1 if number > 0 else -2 * number


class Agent:
    """One arm. `store` keeps what a power cut must not take: see `Store`."""

    def __init__(
        self, store: "Store", fraction: int, low: int, high: int, most_pulls: int = 1 << 30
    ) -> None:
        self.store, self.fraction, self.low, self.high = store, fraction, low, high
        self.most_pulls = most_pulls  # for one question: who speaks must not wear a sensor out
        self.message = self.count = self.sum = self.dismissed = self.saves = self.arm = 0
        self.run, self.epoch, self.frame = -1, -1, b""
        self.question: "Question | None" = None
        self.answer: "str | None" = None
        self.evidence, self._target, self._saved = Evidence(), 0, 0
        for slot in (0, 1):
            kept = bytes(store.read(slot))
            if len(kept) > 4 and _check_sum(kept[:-4], 32, 0x4C11DB7) == kept[-4:]:
                self._remember(kept[:-4])

    def save(self) -> None:
        """Keep all that it holds; whenever you like: rewards since the last time can be lost."""
        self._save(self.answer)

    def _save(self, answer: "str | None") -> None:
        numbers = [getattr(self, name) for name in _KEPT]
        numbers[0] += 1
        held = self.evidence
        numbers += list(held.scale) + [held.total, held.predicted, held.squares] + held.powers
        kept = struct.pack(_LAYOUT, *numbers, *held.fortunes, len(self.frame))
        kept += self.frame + (answer or "?").encode()
        self.store.write(numbers[0] & 1, kept + _check_sum(kept, 32, 0x4C11DB7))
        self.saves, self._saved, self.answer = numbers[0], self.count, answer

    def _remember(self, kept: bytes) -> None:
        numbers, at = struct.unpack_from(_LAYOUT, kept, 0), struct.calcsize(_LAYOUT)
        if numbers[1] != self.fraction:
            raise ValueError("what is kept was counted in other units: erase it first")
        if self.saves and (numbers[0] - self.saves) & 0x80000000:
            return  # older than what the other slot has
        for place, name in enumerate(_KEPT):
            setattr(self, name, numbers[place])
        held = self.evidence = Evidence(tuple(numbers[9:14]))
        held.total, held.predicted, held.squares = numbers[14:17]
        held.powers, held.fortunes, self._saved = (
            list(numbers[17:33]),
            list(numbers[33:49]),
            self.count,
        )
        self.frame, answer = kept[at : at + numbers[49]], kept[at + numbers[49] :].decode()
        self.question = Fields(self.frame).question if self.frame else None
        self.answer = None if answer == "?" else answer

    @property
    def wanted(self) -> int:
        """Rewards to the next look or answer."""
        is_over = self.dismissed or not self.question or self.answer is not None
        return 0 if is_over else max(self._target - self.count, 0)

    def receive(self, frame: bytes) -> "bytes | None":
        """Take in a frame; returns the frame to send, if an answer is due at once."""
        heard = Fields(bytes(frame))
        asked, number = heard.question, heard.number
        if self.run >= 0 and (heard.run, heard.arm) != (self.run, self.arm):
            raise Refusal("refused", "for another run or another arm")
        ahead = (heard.epoch - self.epoch) % 256 if self.epoch >= 0 else 1
        if ahead > 127 or (asked and not ahead and (self.dismissed or number < self.message)):
            return None  # of long ago, or of no more use
        if asked and not ahead and number == self.message:
            if self.question is None or asked.spelling != self.question.spelling:
                raise Refusal("refused", "something else was asked under this number before")
            return self.resume()
        if asked:
            self._require_fit(asked)
        if ahead:
            self.run, self.arm, self.epoch, self.dismissed = heard.run, heard.arm, heard.epoch, 0
            self.message, self.question, self.frame, self.answer = 0, None, b"", None
        if not asked:
            self.dismissed = max(self.dismissed, number)
            self.save()
            return None
        self.message, self.question, self.frame, self.answer = number, asked, heard.frame, None
        if asked.scale not in (NO_SCALE, self.evidence.scale):
            self.evidence = Evidence(asked.scale)
        return self.resume()

    def _require_fit(self, asked: Question) -> None:
        if asked.until - self.count > self.most_pulls:
            raise Refusal("refused", "asks for more pulls than this device makes")
        if asked.scale[0] and abs(asked.scale[4] - asked.half) > 60:
            raise Refusal("refused", "short floats do not hold such steps on such a scale")
        if asked.scale not in (NO_SCALE, self.evidence.scale) and (
            self.evidence.kind == BOUNDED or (asked.scale[0] == BOUNDED and self.count)
        ):
            raise Refusal("refused", "is about bets on a scale on which none were kept")

    def observe(self, reward: int) -> "bytes | None":
        """Take in one reward; returns the frame to send, once an answer is due."""
        if not self.wanted:
            raise ValueError("no reward is wanted")
        is_bet = self.evidence.kind == BOUNDED
        x = self.evidence.scaled(reward, -self.fraction) if is_bet else 0
        if not (self.low <= reward <= self.high and 0 <= x <= ONE):
            raise Refusal("reward", "a reward lies outside the bounds", reward)
        if is_bet:
            self.evidence.bet(x, self.count)
        self.sum, self.count = self.sum + reward, self.count + 1
        return self.resume() if self.count == self._target else None

    def resume(self) -> "bytes | None":
        """Go on with the question at hand: after a start, or after a write that failed."""
        if not self.question or self.dismissed:
            return None
        if self.answer is None:
            answer = self._due(self.question)
            if answer is None:
                return None
            self._save(answer)
            return self._reply(answer)
        return self._reply(self.answer)

    def _due(self, asked: Question) -> "str | None":
        """The answer, if it is time for it; and until when to pull if it is not."""
        count, look = self.count, 1
        self._target = asked.until
        if count > asked.until:
            return POSITION
        if asked.form == CHALLENGE:
            while look < count:
                look += look // 32 or 1
            is_look, self._target = look == count, count  # until it has looked, it does not pull
            if is_look or count == asked.until:
                if self._saved != count:
                    self.save()  # a power cut must not undo a look
                place, rest, per = self._place(asked)
                if self.evidence.is_beaten(asked, count, place - asked.place, rest / per):
                    return "0"
            self._target = min(asked.until, look + (look // 32 or 1) if is_look else look)
        return self._word(asked) if count == asked.until else None

    def _place(self, asked: Question) -> "tuple[int, int, int]":
        """Where the mean is: whole halves, and what is left of how many."""
        shift = -self.fraction - asked.half
        per = self.count << max(-shift, 0)
        place, rest = divmod(self.sum << max(shift, 0), per)
        return place, rest, per

    def _word(self, asked: Question) -> str:
        place, rest, _ = self._place(asked)
        if abs(place) >= asked.step << 34:
            raise Refusal("reward", "the mean is too far from 0 for these steps")
        ahead = place - asked.place
        if asked.form == CHALLENGE:
            return "1" + golomb(max(ahead // asked.step + asked.below, 0), 1, 6)
        steps = (ahead + asked.step // 2) // asked.step
        change, before, after = 0, "", ""
        if asked.form == PILOT:
            after = "1" * self.evidence.quarters(asked, steps, self.count) + "0"
        elif asked.form == EDGE and self.evidence.kind == BOUNDED:
            steps, change = self.evidence.edge(asked, steps, self.count)
        elif asked.form == EDGE and rest == 0 and ahead == steps * asked.step - asked.step // 2:
            steps -= 1  # of σ the lines hold wherever the mean is above the cell's lower end
        if asked.form == EDGE:
            before = "1" + golomb(_fold(change), 1, 20) if change else "0"
        return before + golomb(_fold(steps), asked.divisor, asked.escape) + after

    def _reply(self, answer: str) -> bytes:
        run, bits = self.run << 8 | self.epoch, len(answer)
        if answer == POSITION:
            return _long_frame(4, run, (self.arm, self.message, self.count))
        if bits > 16 or self.arm >> 16 or self.message > len(CODES):
            return _long_frame(1, run, (self.arm, self.message, bits), answer)
        head = (0x40 | CODES[self.message - 1]) << 17 | int(answer + "1", 2) << 16 - bits
        frame = head.to_bytes(3, "big") + run.to_bytes(4, "big") + self.arm.to_bytes(2, "big")
        return frame + _check_sum(frame)
