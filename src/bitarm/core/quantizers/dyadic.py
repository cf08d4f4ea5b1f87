"""Steps that are small numbers over powers of two, as wide as the mean is uncertain.

Like D-ICQ it says how far a mean is from where it was last, or from where another arm is, in steps
that shrink with its noise. But steps are 4 to 7 times a power of two and centres whole multiples of
that power: a question needs no float that both ends must share to the last bit, and fits into a
short frame. The noise is what the policy says of it, where it knows more than σ; so this scheme
also serves rewards of which no σ is known, and the agents that judge themselves.

The error is at most half a step, always. An arm whose link did not carry its answer is asked again
in steps eight times as large.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, final

from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Above, Nearest
from bitarm.core.codes.checks import require_step
from bitarm.core.codes.nearest import MOST_STEPS, ROUNDED_UP
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.evidence.tasks import MOST_BELOW, Challenge, Edge
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import Estimate, Occasion, Quantizer, middle_of, require_no_prior
from bitarm.core.quantizers.dicq import FIRST_ESCAPE, golomb_divisor_of
from bitarm.core.question import BEYOND, Question
from bitarm.core.words import Word, check_words

_COARSER = 8.0  # times, where a link did not carry an answer
_MOST_BEYOND = 20  # such answers that count: 2^60 covers all that a code can tell

NEAR_ESCAPE = 6
"""Ones after which a first word is in a universal code, where another arm's mean is known, or σ:
arms are seldom far from each other, and six steps are told in fewer bits without one. (With σ known
the very first word is counted from 0, in the same steps and code as the others.)"""

EDGE_OF_BETS, FIRST_OF_BETS = 2 / 3, 1.2
"""Times κ, and κ of first words, where agents bet on rewards of which no σ is known: what they tell
of an edge is what they can certify, a whole step below it at the worst; and first words are of many
more pulls, after which arms that differ are seldom in one cell."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dyadic(Quantizer):
    """Steps of κ deviations of a mean, rounded to 4, 5, 6 or 7 times a power of two."""

    name: ClassVar[str] = "dyadic"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = True
    asks_again: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = (Nearest.name, Above.name)

    kappa: Annotated[float, Word("Step of a mean, in deviations", sign="κ=", above=0)] = 1.8
    kappa_first: Annotated[float, Word("Step of the first mean", sign="κ₁=", above=0)] = 4.2
    kappa_cut: Annotated[float, Word("Step of a challenged arm's mean", sign="κ_cut=", above=0)] = (
        3.0
    )
    kappa_pilot: Annotated[
        float,
        Word("Step of the very first mean of all, where no σ is known", sign="κ_pilot=", above=0),
    ] = 3.0
    kappa_place: Annotated[
        float, Word("Step of a mean that may lead next", sign="κ_place=", above=0)
    ] = 3.0

    def __post_init__(self) -> None:
        check_words(self)

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The middle of the bounds, or 0."""
        require_no_prior(self.name, prior)
        return middle_of(bounds)

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """Half a step."""
        return self._step(held, occasion) / 2 * ROUNDED_UP

    def least_bits(self, occasion: Occasion) -> int:
        """One bit, with which nothing moved; where the spread is large, none is that short."""
        return 1

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The number of steps to the mean, with what the hint wants to be known beside."""
        hint, step = occasion.hint, self._step(held, occasion)
        until, unit = occasion.pulls, unit_of(step)
        if hint is not None and isinstance(hint.task, Challenge):
            require_step(step)
            edge = hint.task.edge
            below = math.ceil(min(max((edge - hint.value) / step, 0.0), float(MOST_BELOW)))
            above = Above(low=edge - below * step, step=step)
            return Question(until=until, code=above, scale=hint.scale, task=hint.task)
        centre = _centre(held, hint)
        reachable = abs(centre) < MOST_STEPS * step  # what is out of reach is no help
        nearest = Nearest(
            centre=math.floor(centre / unit + 0.5) * unit if reachable else 0.0,
            step=step,
            divisor=self._divisor(held, occasion, step),
            escape=_escape(held, hint),
        )
        if hint is None:
            return Question(until=until, code=nearest)
        return Question(until=until, code=nearest, scale=hint.scale, task=hint.task)

    def read(
        self, symbol: Symbol, question: Question, held: Estimate, occasion: Occasion
    ) -> Estimate:
        """The middle of the cell that was told; what is held stays, if the arm gave up, or if its
        link did not carry its answer.
        """
        if symbol == BEYOND and question.has_beyond:
            return replace(held, beyond=min(held.beyond + 1, _MOST_BEYOND))
        told, code, task = question.read(symbol), question.code, question.task
        if told is None:
            return held
        assert isinstance(code, Nearest | Above)  # our own question
        error = code.step / 2 * ROUNDED_UP
        estimate = Estimate.after(occasion, mean=told.mean, error=error)
        spread = held.spread if told.spread is None else told.spread
        return replace(
            estimate,
            spread=spread,
            open_below=isinstance(code, Above) and code.is_lowest(told.mean),
            open_above=isinstance(task, Edge),
            rung=task.first if isinstance(task, Edge) else None,
        )

    def objection(self) -> str | None:
        """None: half a step, always (docs/widths.md)."""
        return None

    def step_size(self, occasion: Occasion, coarser: float = 1.0) -> float:
        """s_n: so many deviations, rounded; never more than half of what the bounds allow."""
        step = dyadic(coarser * self._kappa(occasion) * _deviation(occasion))
        if occasion.bounds is None:
            return step
        a, b = occasion.bounds
        return min(step, dyadic((b - a) / 2))

    def _step(self, held: Estimate, occasion: Occasion) -> float:
        step, hint = self.step_size(occasion, _COARSER**held.beyond), occasion.hint
        if hint is not None and isinstance(hint.task, Challenge):
            return step_down_to(hint.value, hint.task.edge, step)
        return step

    def _kappa(self, occasion: Occasion) -> float:
        hint = occasion.hint
        bets = hint is not None and hint.scale is not None and hint.scale.bounded
        if hint is not None and hint.kind is HintKind.PILOT:
            return self.kappa_pilot
        if occasion.message == 1:
            return self.kappa_first * (FIRST_OF_BETS if bets else 1.0)
        if hint is not None and hint.kind is HintKind.CHALLENGE:
            return self.kappa_cut
        if hint is not None and hint.kind is HintKind.PLACE:
            return self.kappa_place
        return self.kappa * (EDGE_OF_BETS if bets else 1.0)

    def _divisor(self, held: Estimate, occasion: Occasion, step: float) -> int:
        """Golomb's divisor for the spread that the number of steps is expected to have."""
        if not held.pulls:
            return 1
        hint = occasion.hint
        if hint is not None and hint.deviation is not None:
            moved = hint.moved
        else:
            moved = occasion.sigma * math.sqrt(1 / held.pulls - 1 / occasion.pulls)
        error = held.error if math.isfinite(held.error) else 0.0
        return divisor_for(moved, error, step)


LEAST_EXPONENT = -1000
"""Far below that of any step: a unit must not vanish among the smallest floats."""


def dyadic(size: float) -> float:
    """The nearest number that is 4 to 8 times a power of two; 0 for some of the smallest floats."""
    if size == math.inf:
        return size  # which no code takes, and says so
    unit = unit_of(size)
    return math.floor(size / unit + 0.5) * unit


def divisor_for(moved: float, error: float, step: float) -> int:
    """Golomb's divisor for a mean that has moved by this deviation since it was told with an error.

    In units of the step's power of two: squares of the numbers themselves may be no floats.
    """
    if not 0.0 < step < math.inf:
        return 1  # with which no code is made, and says so
    unit = unit_of(step)
    moved, error, step = moved / unit, error / unit, step / unit
    return golomb_divisor_of((moved * moved + error * error / 3) / (step * step))


def step_down_to(cut: float, edge: float, step: float) -> float:
    """A step so wide that the steps below an edge which a question can name reach down to a cut.

    Else who asks for fine steps would hear less of who is between: all of them are in one cell.
    """
    while 0.0 < MOST_BELOW * step < edge - cut:
        step *= 2.0
    return step


def unit_of(size: float) -> float:
    """The power of two of which a size is 4 to 8 times as large."""
    return math.ldexp(1.0, max(math.frexp(size)[1], LEAST_EXPONENT) - 3)


def _deviation(occasion: Occasion) -> float:
    hint = occasion.hint
    if hint is not None and hint.deviation is not None:
        return hint.deviation
    return occasion.sigma / math.sqrt(occasion.pulls)


def _escape(held: Estimate, hint: Hint | None) -> int:
    if held.pulls:
        return ESCAPE
    return NEAR_ESCAPE if hint is not None and hint.kind is HintKind.CENTRE else FIRST_ESCAPE


def _centre(held: Estimate, hint: Hint | None) -> float:
    return held.mean if hint is None else hint.value
