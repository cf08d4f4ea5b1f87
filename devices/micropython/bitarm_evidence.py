"""How an agent weighs its rewards: MicroPython, and CPython too. bitarm_agent.py uses it.

docs/evidence.md has the proofs, docs/wire.md the formulas. Sums are whole numbers. Floats are as
short as the board's, and every rounding makes evidence weaker.
"""

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bitarm_agent import Question

    Term = tuple[float, float, float]

ONE = 1 << 32  # scaled rewards are counted in units of 1/ONE
SHARES = (0.5, 0.25, 0.15, 0.1)  # of losers 0 to 3 rungs above the winner
NUMERATORS = (62, 40, 25)  # of the rates: over 64, and over 4 for every three rungs
NONE, SIGMA, BOUNDED = 0, 1, 2  # kinds of scales
NO_SCALE = (NONE, 0, 0, 0, 0)  # the kind; low and unit, each an odd number and a power of two

EPSILON = 1.0  # half the distance from 1 to the next float: 2^-53, 2^-24, or what the board has
while 1.0 + EPSILON > 1.0:
    EPSILON /= 2.0
ROUNDING = 512.0 * EPSILON  # of the largest number that was added up: what all roundings come to
BARE = 1.0 - 8.0 * EPSILON - 2.0**-29  # a bettor's 1, less what its factor may be rounded up by


def rate(rung: int) -> float:
    """The rate of a rung, of bounded rewards; four times as much over σ."""
    return math.ldexp(NUMERATORS[rung % 3], -6 - 2 * (rung // 3))


def curve(y: float) -> float:
    """(-ln(1 - y) - y)/y², about 1/2: by its series where floats would cancel."""
    if abs(y) > 0.25:
        return (-math.log(1.0 - y) - y) / (y * y)
    total = 0.0
    for n in range(28, 1, -1):
        total = total * y + 1.0 / n
    return total


def clamped(mean: float, pulls: int) -> float:
    """A mean half a reward away from 0 and 1 at least: nobody saw that it is one of them."""
    least = 0.5 / (pulls + 1.0)
    return min(max(mean, least), 1.0 - least)


def cost(step: float, mean: float, spread: float, pulls: int) -> float:
    """What a bettor with this rate loses with each reward, by the model of docs/wire.md."""
    mean = clamped(mean, pulls)
    skew = (2.0 * mean - 1.0) * min(2.0 * spread / (1.0 + spread), 1.0)
    return spread * mean * (1.0 - mean) * step * step * curve(skew * step)


def reaches(terms: "list[Term]", low: float, high: float) -> bool:
    """Whether the sum of exp(value + slope·m) is at least 1 for all m in [low, high].

    A term is (value, slope, size of what the value was made of). The sum's logarithm is convex,
    hence above its tangents: it is looked at where two of them cross.
    """
    level = ROUNDING * max(term[2] for term in terms)
    for value, slope, _ in terms:  # beyond these ends one term alone is enough
        if slope < 0.0:
            low = max(low, (level - value) / slope)
        elif slope > 0.0:
            high = min(high, (level - value) / slope)
        elif value >= level:
            return True
    if low > high or high - low > 1e30:  # without end, some m explains everything
        return low > high
    level += ROUNDING * max(abs(term[1]) for term in terms) * max(abs(low), abs(high))

    def look(m: float) -> "tuple[float, float]":
        top = max(value + slope * m for value, slope, _ in terms)
        shares = [math.exp(value + slope * m - top) for value, slope, _ in terms]
        steep = sum(share * term[1] for share, term in zip(shares, terms))
        return top + math.log(sum(shares)), steep / sum(shares)

    (left, falling), (right, rising) = look(low), look(high)
    for _ in range(80):
        if min(left, right) < level or falling >= 0.0 or rising <= 0.0:  # or least at an end
            return min(left, right) >= level
        m = low + (right - left - rising * (high - low)) / (falling - rising)
        if left + falling * (m - low) >= level or not low < m < high:
            return left + falling * (m - low) >= level
        value, slope = look(m)
        if slope < 0.0:
            low, left, falling = m, value, slope
        else:
            high, right, rising = m, value, slope
    return False


class Evidence:
    """What is kept of rewards beside their count and sum, and what follows from it.

    `asked` is the question, `count` how many rewards there were.
    """

    def __init__(self, scale: "tuple[int, ...]" = NO_SCALE) -> None:
        self.scale, self.kind = scale, scale[0]
        self.total = self.predicted = self.squares = 0  # Σx, Σx̂ and V, in units of 1/ONE
        self.fortunes = [1.0] * 16  # of those who bet on high rewards, and on low ones,
        self.powers = [0] * 16  # times these powers of two

    def scaled(self, number: int, exponent: int) -> int:
        """A multiple of a power of two, where 0 and ONE are the bounds; rounded down."""
        _, low, low_power, unit, unit_power = self.scale
        least = min(exponent, low_power, unit_power)
        above = (number << exponent - least) - (low << low_power - least)
        return (above << 32) // (unit << unit_power - least)

    def bet(self, x: int, count: int) -> None:
        """Let all bettors play one reward, after so many."""
        guess = (ONE // 2 + self.total) // (1 + count)
        surprise = x - guess
        self.total, self.predicted = self.total + x, self.predicted + guess
        self.squares += (surprise * surprise >> 32) + 3  # up, by more than the guess was down
        for rung in range(8):
            stake = rate(rung) * (surprise / ONE)
            self.fortunes[rung] *= BARE + stake
            self.fortunes[8 + rung] *= BARE - stake
        for bettor in range(16) if count % 16 == 15 else ():
            self.fortunes[bettor], power = math.frexp(self.fortunes[bettor])
            self.powers[bettor] += power

    def at(self, rung: int, side: int, shift: int, count: int) -> "tuple[float, float]":
        """Of bounded rewards: evidence that the mean is above (side 1) or below (-1) what, times
        the count, is `shift`; and the size of what it was made of.
        """
        step, bettor = rate(rung), rung if side > 0 else 8 + rung
        if rung < 8:
            one, two = math.log(self.fortunes[bettor]), self.powers[bettor] * math.log(2.0)
            three = side * step * ((self.predicted - shift) / ONE)
        else:
            total = self.total - shift + (count if side < 0 else 0)  # each was rounded down
            one, two = side * step * (total / ONE), 0.0
            three = -curve(step) * step * step * (self.squares / ONE)
        return one + two + three, abs(one) + abs(two) + abs(three)

    def quarters(self, asked: "Question", steps: int, count: int) -> int:
        """How often a coin's variance is quartered to come near to that of the rewards."""
        if self.kind == SIGMA:
            return 0
        mean = clamped(self.scaled(asked.place + steps * asked.step, asked.half) / ONE, count)
        ratio, quarters = self.squares / ONE / count / (mean * (1.0 - mean)), 0
        while quarters < 8 and ratio < 0.5 * 0.25**quarters:
            quarters += 1
        return quarters

    def certified(self, asked: "Question", steps: int, count: int, spread: int) -> int:
        """Steps to the highest cell whose lower end is certified, from those to the mean."""
        tries = 0
        while True:
            middle = asked.place + steps * asked.step
            edge = self.scaled(middle - asked.step // 2, asked.half) + 1
            mean = self.scaled(middle, asked.half) / ONE
            holds = True
            for rung in range(asked.rung, asked.rung + 3):
                told, size = self.at(rung, 1, count * edge, count)
                lost = count * cost(rate(rung), mean, 2.0**spread, count)
                holds = holds and told + lost >= ROUNDING * (size + lost + count * rate(rung))
            if holds:
                return steps
            steps -= 1 << tries // 8
            tries += 1

    def edge(self, asked: "Question", steps: int, count: int) -> "tuple[int, int]":
        """Steps to the edge, from those to the mean; and by how much the spread is told anew."""
        kept, fitted = self.certified(asked, steps, count, asked.spread), 2.0**asked.spread
        lost = max(-self.at(asked.rung + 1, 1, self.total, count)[0] / count, 1e-12)
        mean = self.total / ONE / count
        for _ in range(6):  # cost is nearly in proportion to the spread
            fitted *= lost / max(cost(rate(asked.rung + 1), mean, fitted, count), 1e-37)
            fitted = min(max(fitted, 2.0**-40), 4.0)
        off = math.log(fitted) / math.log(2.0) - asked.spread
        if abs(off) < 0.75:
            return kept, 0
        change = max(min(math.floor(off + 0.5), 20), -20)
        anew = self.certified(asked, steps, count, asked.spread + change)
        mean = clamped(mean, count)
        deviation = math.sqrt(2.0**asked.spread * mean * (1.0 - mean) / count)
        unit = math.ldexp(self.scale[3], self.scale[4] - asked.half)
        is_worth_it = (anew - kept) * asked.step > 0.5 * unit * deviation
        return (anew, change) if is_worth_it else (kept, 0)

    def is_beaten(self, asked: "Question", count: int, ahead: int, rest: float) -> bool:
        """Whether a mean of `ahead` + `rest` halves above the edge is beaten by the leader's."""
        unit = math.ldexp(self.scale[3], self.scale[4] - asked.half)
        lead, lead_size = (ahead + rest) / unit, (abs(ahead) + 1) / unit
        is_sigma = self.kind == SIGMA
        edge = 0 if is_sigma else self.scaled(asked.place, asked.half)
        terms: "list[Term]" = []
        for winner, byte in enumerate(asked.hurdles, asked.rung):
            if byte == 255:
                continue
            needed, power = hurdle(byte), -2 * (winner // 3)
            for climb in range(4):
                loser = max(winner - climb, 0)
                if is_sigma:
                    step = 4.0 * rate(loser)
                    value = -count * step * (lead + step / 2.0)
                    size = count * step * (lead_size + step)
                else:
                    value, size = self.at(loser, -1, count * edge, count)
                own = NUMERATORS[loser % 3] * count << 2 * (winner // 3 - loser // 3)
                slope = math.ldexp(own - NUMERATORS[winner % 3] * asked.until, power - 6)
                value += math.log(SHARES[climb]) - needed
                terms.append((value, 4.0 * slope if is_sigma else slope, size + needed + 3.0))
        if not terms:
            return False
        if is_sigma:
            return reaches(terms, -1e38, 1e38)
        return reaches(terms, -edge / ONE - ROUNDING, 1.0 - edge / ONE + ROUNDING)


def hurdle(byte: int) -> float:
    """The nats that a byte stands for."""
    if byte < 128:
        return byte / 8.0
    return 16.0 + (byte - 128) / 2.0 if byte < 192 else 48.0 + (byte - 192) * 4.0
