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

A **challenge** tells the leader's lines: the edge, and for each of the three rungs a hurdle, that is
L − ln w_k + cost_k·t, rounded up into a byte. The arm is beaten when

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
from bitarm.core.evidence.least import reaches
from bitarm.errors import PeerProtocolError

BAND = 3
"""Neighbouring rungs at which a leader's evidence is told."""

MOST_BELOW = 15
"""Steps below the leader's edge from which on a challenged arm says how far above it is, at most."""

LEAST_SPREAD, MOST_SPREAD = -40, 2
"""Exponents of a spread: a coin's variance, times 2^−40 to 2^2."""

_QUARTERS = 8  # most that a pilot tells
_CHANGED = 0.75  # powers of two by which a spread must be off to be told anew,
_WORTH = 0.5  # and deviations of the mean by which that must raise the edge
_MOST_CHANGE = 20
_PATIENCE = 8  # steps down, after which strides double
_ROUNDING = 2.0**-44

_SHARES = tuple(math.log(share) for share in FOLLOWING)
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


def hurdle(byte: int) -> float:
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
    mean = clamped(account.scale.inward(told), account.pulls)
    ratio, quarters = account.variance / (mean * (1.0 - mean)), 0
    while quarters < _QUARTERS and ratio < 0.5 * 4.0**-quarters:
        quarters += 1
    return Symbol((1 << quarters + 1) - 2, quarters + 1)


def read_spread(reader: BitReader) -> int:
    """The spread's exponent."""
    quarters = 0
    while reader.take(1):
        quarters += 1
        if quarters > _QUARTERS:
            raise PeerProtocolError("symbol tells a spread that no agent tells")
    return -2 * quarters


# -- edge ---------------------------------------------------------------------------------------


def write_edge(task: Edge, code: Nearest, account: Account) -> Symbol:
    """The highest edge that the evidence certifies, and the spread with which it does."""
    steps = _highest(task, code, account, task.spread)
    change = _change(task, account)
    if change:
        anew = _highest(task, code, account, task.spread + change)
        scale, pulls = account.scale, account.pulls
        own = variance(scale.bounded, scale.inward(account.mean), 2.0**task.spread, pulls)
        worth = _WORTH * scale.unit * math.sqrt(own / pulls)
        if (anew - steps) * code.step > worth:
            told = concat(Symbol(1, 1), write_golomb(zigzag(change), 1))
            return concat(told, code.write_steps(anew))
    return concat(Symbol(0, 1), code.write_steps(steps))


def read_edge(task: Edge, code: Nearest, reader: BitReader) -> tuple[float, int]:
    """The middle of the cell whose lower end is the edge, and the spread's exponent."""
    change = unzigzag(read_golomb(reader, 1)) if reader.take(1) else 0
    spread = task.spread + change
    if not LEAST_SPREAD <= spread <= MOST_SPREAD:
        raise PeerProtocolError(f"symbol tells a spread of 2^{spread}, which no agent tells")
    return code.read_from(reader), spread


def _highest(task: Edge, code: Nearest, account: Account, spread: int) -> int:
    """Steps to the highest cell, at or below the mean's, whose lower end is certified."""
    steps, tries, stride = code.steps_to(account.mean), 0, 1
    while not _is_certified(task, account, code.middle(steps), code.step, spread):
        steps -= stride
        tries += 1
        stride = 1 << tries // _PATIENCE
    return steps


def _is_certified(task: Edge, account: Account, middle: float, step: float, spread: int) -> bool:
    """Whether the evidence lies above the lines that an edge and a spread stand for."""
    scale, pulls = account.scale, account.pulls
    edge = scale.inward(middle - step / 2.0)
    mean = scale.inward(middle)
    for rung in range(task.first, task.first + BAND):
        rate = scale.rates[rung]
        told = pulls * (rate * edge - cost(scale.bounded, rate, mean, 2.0**spread, pulls, 1.0))
        if account.above(rung) < told + _ROUNDING * (abs(told) + pulls * rate):
            return False
    return True


def _change(task: Edge, account: Account) -> int:
    """Powers of two by which the spread is off, judged by what the middle bettor lost; or 0."""
    scale, pulls = account.scale, account.pulls
    rate = scale.rates[task.first + 1]
    mean = scale.inward(account.mean)
    lost = max(rate * mean - account.above(task.first + 1) / pulls, 1e-12)
    fitted = 2.0**task.spread
    for _ in range(6):  # cost is nearly in proportion to the spread
        fitted *= lost / cost(scale.bounded, rate, mean, fitted, pulls, 1.0)
        fitted = min(max(fitted, 2.0**LEAST_SPREAD), 2.0**MOST_SPREAD)
    off = math.log2(fitted) - task.spread
    return 0 if abs(off) < _CHANGED else max(min(round(off), _MOST_CHANGE), -_MOST_CHANGE)


# -- challenge ----------------------------------------------------------------------------------


def is_beaten(task: Challenge, leader_pulls: int, account: Account) -> bool:
    """Whether the pair's evidence says, for every mean in between, that the leader is better."""
    scale, pulls = account.scale, account.pulls
    edge = scale.inward(task.edge)
    values: list[float] = []
    slopes: list[float] = []
    for place, byte in enumerate(task.hurdles):
        if byte == NO_HURDLE:
            continue
        winner = task.first + place
        gain = scale.rates[winner] * leader_pulls
        for climb, share in enumerate(_SHARES):
            loser = max(winner - climb, 0)
            values.append(share + gain * edge - hurdle(byte) + account.below(loser))
            slopes.append(scale.rates[loser] * pulls - gain)
    low, high = (0.0, 1.0) if scale.bounded else (-math.inf, math.inf)
    guess = 0.6 * edge + 0.4 * scale.inward(account.mean)
    return reaches(values, slopes, len(values), 0.0, low, high, guess)[0]


def challenge(
    *,
    scale: Scale,
    edge: float,
    middle: float,
    spread: int,
    first: int,
    pulls: int,
    level: float,
    log_weights: tuple[float, ...],
) -> Challenge:
    """The challenge of a leader with this edge after so many pulls, at the level L.

    `middle` and `spread` are what the leader's costs were told by.
    """
    mean, at = scale.inward(middle), abs(scale.inward(edge))
    nats = []
    for rung in range(first, first + BAND):
        rate = scale.rates[rung]
        lost = pulls * cost(scale.bounded, rate, mean, 2.0**spread, pulls, 1.0)
        rounded = _ROUNDING * (lost + pulls * rate * (1.0 + at))  # as a mean in floats may be
        nats.append(level - log_weights[rung] + lost + rounded)
    one, two, three = (hurdle_byte(each) for each in nats)
    return Challenge(edge=edge, first=first, hurdles=(one, two, three))
