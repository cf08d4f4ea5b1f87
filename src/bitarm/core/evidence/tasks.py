"""What an agent may be asked beside its mean: how its rewards spread, how sure it may be of being
good, or whether it is beaten.

Three tasks of a question. Each adds bits before the word of the question's code:

    pilot       the word, then how far the rewards' spread is below a coin's, unary in powers of ¼
    edge        0, or 1 and how the spread has changed; then the word of the edge
    challenge   0 if it is beaten; else 1 and the word

An **edge** is what the leader's evidence certifies. Its evidence at a rung is a line in m with the
slope −λt; the line λ_k·t·(edge − m) − cost_k·t lies below it at three neighbouring rungs k, where
cost_k is a formula of the edge and of a power of two, the spread (`account.cost`). So a number and
the spread tell three lines in a few bits; what they are rounded by only ever weakens them.

A **challenge** tells the leader's lines: the edge, and for each of the three rungs a hurdle, that
is L − ln w_k + cost_k·t, rounded up into a byte. The arm is beaten when

    Σ_k Σ_j share_j·exp(λ_k·t·(edge − m) − hurdle_k + ln e⁻(m) at rung k − j)  ≥  1   for every m:

evidence for the pair then is at least (K − 1)/δ. The test is the agent's own: nobody has to agree
with it on the last bit of a formula.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes.checks import require_finite, require_within
from bitarm.core.codes.nearest import Nearest
from bitarm.core.codes.prefix import read_golomb, unzigzag, write_golomb, zigzag
from bitarm.core.evidence.account import Account, Scale, clamped, cost, variance
from bitarm.core.evidence.ladder import FOLLOWING, RUNGS
from bitarm.core.evidence.least import Room, Row, reaches
from bitarm.errors import PeerProtocolError

BAND = 3
"""Neighbouring rungs at which a leader's evidence is told."""

MOST_BELOW = 15
"""Steps, at most, below the leader's edge from which a challenged arm counts how far up it is."""

LEAST_SPREAD, MOST_SPREAD = -40, 2
"""Exponents of a spread: a coin's variance, times 2^−40 to 2^2."""

_QUARTERS = 8  # most that a pilot tells
_CHANGED = 0.75  # powers of two by which a spread must be off to be told anew,
_WORTH = 0.5  # and deviations of the mean by which that must raise the edge
_MOST_CHANGE = 20
_PATIENCE = 8  # steps down, after which strides double
_LOWEST = -(2**36)  # steps from a centre, further than any code reaches
_ROUNDING = 2.0**-44

SHARES = tuple(math.log(share) for share in FOLLOWING)
"""Logarithms of the shares of losers 0 to 3 rungs above the winner's."""

_HOPELESS = -math.log(BAND * len(SHARES)) - _ROUNDING  # as many terms add up to less than 1

_FINE, _MEDIUM = 128, 192  # hurdles below these bytes are in eighths, and in halves of a nat
NO_HURDLE = 255
"""The byte of a rung at which the leader's evidence is worth nothing."""


@final
@dataclass(frozen=True, slots=True)
class Pilot:
    """Tell the mean, and how the rewards spread."""

    name: ClassVar[str] = "pilot"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Tell where the mean is at least, as far as the evidence at three rungs goes."""

    name: ClassVar[str] = "edge"
    first: int  # the highest of the rungs
    spread: int  # 2^spread times a coin's variance, as was told last

    def __post_init__(self) -> None:
        require_within("rung", self.first, 0, RUNGS - BAND)
        require_within("spread", self.spread, LEAST_SPREAD, MOST_SPREAD)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """Say whether the leader, which has as many pulls as the question asks for, beats this arm."""

    name: ClassVar[str] = "challenge"
    edge: float  # the leader's
    first: int  # the highest of the rungs at which it holds
    hurdles: tuple[int, int, int]  # bytes, see `hurdle`

    def __post_init__(self) -> None:
        require_finite("edge", self.edge)
        require_within("rung", self.first, 0, RUNGS - BAND)
        for byte in self.hurdles:
            require_within("hurdle", byte, 0, NO_HURDLE)


Task = Pilot | Edge | Challenge
TASKS: dict[str, type[Task]] = {task.name: task for task in (Pilot, Edge, Challenge)}


# -- hurdles ------------------------------------------------------------------------------------


def hurdle(byte: float) -> float:
    """The nats that a byte stands for."""
    if byte < _FINE:
        return byte / 8.0
    if byte < _MEDIUM:
        return 16.0 + (byte - _FINE) / 2.0
    return 48.0 + (byte - _MEDIUM) * 4.0 if byte < NO_HURDLE else math.inf


def hurdle_byte(nats: float) -> int:
    """The least byte that stands for at least so many nats."""
    if nats <= 15.875:
        return max(math.ceil(nats * 8.0), 0)
    if nats <= 47.5:
        return _FINE + max(math.ceil((nats - 16.0) * 2.0), 0)
    if nats <= 296.0:
        return _MEDIUM + max(math.ceil((nats - 48.0) / 4.0), 0)
    return NO_HURDLE


# -- pilot --------------------------------------------------------------------------------------


def write_spread(account: Account, told: float) -> Symbol:
    """How far below a coin's the variance is, of rewards whose mean was told so."""
    quarters = quarters_below(account.variance, account.scale.inward(told), account.pulls)
    return Symbol((1 << quarters + 1) - 2, quarters + 1)


def quarters_below(variance: float, mean: float, pulls: float) -> int:
    """The quarterings of a coin's variance that come nearest to this one, for such a mean."""
    mean = clamped(mean, pulls)
    ratio, quarters, bound = variance / (mean * (1.0 - mean)), 0, 0.5
    while quarters < _QUARTERS and ratio < bound:
        quarters += 1
        bound /= 4.0
    return quarters


def read_spread(reader: BitReader) -> int:
    """The spread's exponent."""
    quarters = 0
    while reader.take(1):
        quarters += 1
        if quarters > _QUARTERS:
            raise PeerProtocolError("symbol tells a spread that no agent tells")
    return -2 * quarters


# -- edge ---------------------------------------------------------------------------------------


def write_edge(task: Edge, code: Nearest, account: Account, most_bits: int | None = None) -> Symbol:
    """The highest edge that the evidence certifies, and the spread with which it does.

    Where that takes more than `most_bits`, the spread is changed by less: the edge is then lower,
    and as certain.
    """
    scale = account.scale
    rates = scale.rates[task.first : task.first + BAND]
    evidence = tuple(account.above(rung) for rung in range(task.first, task.first + BAND))
    steps, change = highest_edge(
        scale.bounded,
        code.steps_to(account.mean),
        code.centre,
        code.step,
        task.spread,
        account.mean,
        account.pulls,
        scale.low,
        scale.unit,
        rates,
        evidence,
    )
    symbol = _edge_symbol(code, steps, change)
    while most_bits is not None and symbol.nbits > most_bits and change:
        change -= 1 if change > 0 else -1
        steps = certified(
            scale.bounded,
            code.steps_to(account.mean),
            code.centre,
            code.step,
            task.spread + change,
            account.pulls,
            scale.low,
            scale.unit,
            rates,
            evidence,
        )
        symbol = _edge_symbol(code, steps, change)
    return symbol


def _edge_symbol(code: Nearest, steps: int, change: int) -> Symbol:
    told = concat(Symbol(1, 1), write_golomb(zigzag(change), 1)) if change else Symbol(0, 1)
    return concat(told, code.write_steps(steps))


def read_edge(task: Edge, code: Nearest, reader: BitReader) -> tuple[float, int]:
    """The middle of the cell whose lower end is the edge, and the spread's exponent."""
    change = unzigzag(read_golomb(reader, 1)) if reader.take(1) else 0
    spread = task.spread + change
    if not LEAST_SPREAD <= spread <= MOST_SPREAD:
        raise PeerProtocolError(f"symbol tells a spread of 2^{spread}, which no agent tells")
    return code.read_from(reader), spread


def highest_edge(
    bounded: bool,
    steps: int,
    centre: float,
    step: float,
    spread: int,
    mean: float,
    pulls: int,
    low: float,
    unit: float,
    rates: Row,
    evidence: Row,
) -> tuple[int, int]:
    """Steps from the centre to the highest cell whose lower end is certified; and the change of the
    spread, in powers of two, that makes it higher by more than its telling costs, else 0.

    `steps` is the mean's own cell; `rates` and `evidence` are those of three rungs, the latter as
    `Account.above` has it. Of numbers alone, since the simulator compiles this very function.
    """
    units = (mean - low) / unit
    kept = certified(bounded, steps, centre, step, spread, pulls, low, unit, rates, evidence)
    change = spread_change(bounded, spread, units, pulls, rates[1], evidence[1])
    if change != 0:
        anew = certified(
            bounded, steps, centre, step, spread + change, pulls, low, unit, rates, evidence
        )
        own = variance(bounded, units, math.ldexp(1.0, spread), pulls)
        if (anew - kept) * step > _WORTH * unit * math.sqrt(own / pulls):
            return anew, change
    return kept, 0


def certified(
    bounded: bool,
    steps: int,
    centre: float,
    step: float,
    spread: int,
    pulls: int,
    low: float,
    unit: float,
    rates: Row,
    evidence: Row,
) -> int:
    """Steps to the highest cell, at or below `steps`, at which evidence lies above the lines that
    its lower end and the spread stand for; out of every code's reach if none within it is.
    """
    tries, factor = 0, math.ldexp(1.0, spread)
    while True:
        middle = centre + steps * step
        edge = (middle - step / 2.0 - low) / unit
        holds = True
        for place in range(BAND):
            rate = rates[place]
            lost = cost(bounded, rate, (middle - low) / unit, factor, pulls, 1.0)
            told = pulls * (rate * edge - lost)
            if evidence[place] < told + _ROUNDING * (abs(told) + pulls * rate):
                holds = False
        if holds or steps < _LOWEST:
            return steps
        steps -= 1 << tries // _PATIENCE
        tries += 1


def spread_change(
    bounded: bool, spread: int, mean: float, pulls: int, rate: float, evidence: float
) -> int:
    """Powers of two by which the spread is off, judged by what the middle bettor lost; or 0."""
    lost = max(rate * mean - evidence / pulls, 1e-12)
    least, most = math.ldexp(1.0, LEAST_SPREAD), math.ldexp(1.0, MOST_SPREAD)
    fitted = math.ldexp(1.0, spread)
    for _ in range(6):  # cost is nearly in proportion to the spread
        fitted *= lost / cost(bounded, rate, mean, fitted, pulls, 1.0)
        fitted = min(max(fitted, least), most)
    off = math.log2(fitted) - spread
    if abs(off) < _CHANGED:
        return 0
    return max(min(math.floor(off + 0.5), _MOST_CHANGE), -_MOST_CHANGE)


# -- challenge ----------------------------------------------------------------------------------


def is_beaten(task: Challenge, leader_pulls: int, account: Account) -> bool:
    """Whether the pair's evidence says, for every mean in between, that the leader is better."""
    scale, lowest = account.scale, max(task.first + 1 - len(SHARES), 0)
    terms = BAND * len(SHARES)
    return weigh(
        scale.bounded,
        scale.inward(task.edge),
        scale.inward(account.mean),
        leader_pulls,
        account.pulls,
        task.first,
        task.hurdles,
        [account.below(rung) for rung in range(lowest, task.first + BAND)],
        scale.rates,
        [0.0] * terms,
        [0.0] * terms,
    )


def weigh(
    bounded: bool,
    edge: float,
    mean: float,
    leader_pulls: int,
    pulls: int,
    first: int,
    hurdles: Row,
    below: Row,
    rates: Row,
    values: Room,
    slopes: Room,
) -> bool:
    """`is_beaten` in numbers alone: the simulator compiles it.

    `below` is the arm's evidence from rung max(first − 3, 0) on; `values` and `slopes` are room.
    """
    lowest, count = max(first + 1 - len(SHARES), 0), 0
    low, high = (0.0, 1.0) if bounded else (-math.inf, math.inf)
    guess = min(max(0.6 * edge + 0.4 * mean, low), high)
    highest = -math.inf
    for place in range(BAND):
        if hurdles[place] == NO_HURDLE:
            continue
        winner = first + place
        gain = rates[winner] * leader_pulls
        base = gain * edge - hurdle(hurdles[place])
        for climb in range(len(SHARES)):
            loser = max(winner - climb, 0)
            values[count] = SHARES[climb] + base + below[loser - lowest]
            slopes[count] = rates[loser] * pulls - gain
            highest = max(highest, values[count] + slopes[count] * guess)
            count += 1
    if highest < _HOPELESS:
        return False  # all terms together are below 1 there: most looks end here, without an exp
    return reaches(values, slopes, count, 0.0, low, high, guess)[0]


def challenge(
    *,
    scale: Scale,
    edge: float,
    middle: float,
    spread: int,
    first: int,
    pulls: int,
    level: float,
    log_weights: Row,
) -> Challenge:
    """The challenge of a leader with this edge after so many pulls, at the level L.

    `middle` and `spread` are what the leader's costs were told by.
    """
    one, two, three = (
        challenge_byte(
            scale.bounded,
            level - log_weights[rung],
            scale.rates[rung],
            scale.inward(edge),
            scale.inward(middle),
            math.ldexp(1.0, spread),
            pulls,
        )
        for rung in range(first, first + BAND)
    )
    return Challenge(edge=edge, first=first, hurdles=(one, two, three))


def challenge_byte(
    bounded: bool,
    needed: float,
    rate: float,
    edge: float,
    middle: float,
    spread: float,
    pulls: int,
) -> int:
    """The hurdle of one rung: what is needed, what the leader's bettor lost, and a rounding as
    large as that of a mean in floats.
    """
    lost = pulls * cost(bounded, rate, middle, spread, pulls, 1.0)
    return hurdle_byte(needed + lost + _ROUNDING * (lost + pulls * rate * (1.0 + abs(edge))))
