"""What a policy is: views of the arms go in, actions come out (the paper's sampling, stopping and
recommendation rules).

Refuses to know quantizers, bits and messages: it sees estimates and how sure they are.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

from bitarm.core.confidence import ArmView, Confidence, Stride, Width
from bitarm.core.hint import Hint
from bitarm.core.outcome import Outcome
from bitarm.core.schedule import MAX_PULLS, Schedule
from bitarm.core.spec import RunSpec
from bitarm.core.words import Word, values_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """Pull the arm until `until` pulls in all, then hear from it, maybe after telling it `hint`."""

    arm: int
    until: int
    hint: Hint | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Take the arm out of the race because of another that is no worse."""

    arm: int
    because: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """End the run; `best_arm` only with an outcome that answers."""

    outcome: Outcome
    best_arm: int | None = None


Action = Advance | Drop | Stop


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """What a policy may consult beside the views; the same throughout a run."""

    arms: int  # K, the dropped ones included
    delta: float
    confidence: Confidence  # how far apart two decoded means must be
    schedule: Schedule  # the checkpoints to which arms are advanced
    ends: tuple[int, ...] = ()  # by arm, how many rewards were recorded; empty: nobody knows
    uneven: bool = False  # whether arms may be compared that have made different numbers of pulls

    def end(self, arm: int) -> int:
        """The most pulls that can be made of an arm."""
        return self.ends[arm] if self.ends else MAX_PULLS


class Policy(Protocol):
    """One rule set: its parameters are its fields; it keeps no state of its own.

    Laws: `decide` is a function of its arguments. The views are of the active arms, in the order
    of their indices, every one heard from as often as it was asked. The actions either stop or
    advance at least one arm that is not dropped; an advance always adds pulls. Arms move as
    `stride` says. `answers` is the outcome of a run that names an arm, and of no other.
    """

    __slots__ = ()

    name: ClassVar[str]  # how flags, files and journals call it
    stride: ClassVar[Stride]  # how it moves the arms that it compares
    answers: ClassVar[Outcome] = Outcome.DECIDED  # BUDGET_SPENT claims nothing of its answer
    growth: ClassVar[float] = 2.0  # of the checkpoints that suit it, where none are given
    first: ClassVar[int | None] = None  # pulls up to the first of them; None: as growth has it
    needs_width: ClassVar[type[Width] | None] = None  # the only one that its proof allows, if any

    @abstractmethod
    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """What to do next; called before the first round (no messages yet) and after each.

        `views` are the arms in the race, two or more; `context` is the same at every call. Actions
        are carried out in their order: drops, then either a stop or the advances of one round.
        """
        ...

    @abstractmethod
    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """Why an answer under this spec has no proof at level δ, in words; None if it has one.

        `views` are all arms as they stand at the end, the dropped ones included; before a run,
        one that has gone as far as any arm can. The result quotes the words beside
        `guarantee: null`.
        """
        ...


TOLERANCE = Word(
    "Tolerance: an arm this close to the best will do", sign="tolerance ", table="problem", least=0
)
"""ε, of every policy that has one: a difference of means."""


def tolerance_of(policy: Policy) -> float:
    """ε of a policy, 0 for one that has none."""
    return float(values_of(policy).get("epsilon", 0.0))


def unheard(views: Sequence[ArmView]) -> list[ArmView]:
    """The arms that have not reported yet."""
    return [view for view in views if view.messages == 0]


def highest(views: Sequence[ArmView], score: Callable[[ArmView], float]) -> ArmView:
    """The view with the highest score, the lowest arm of those that tie."""
    return max(views, key=score)  # max keeps the first of equals


def by_mean(view: ArmView) -> float:
    """Score by decoded mean."""
    return view.mean


def advance(
    views: Sequence[ArmView], context: PolicyContext, rest: Sequence[ArmView] = ()
) -> tuple[Action, ...]:
    """Move every given arm to its next checkpoint; the grid's end is a limit on samples.

    An arm whose recorded rewards end before that is passed over, if the others can go on alone. If
    no arm is left, those of the `rest` go on: for stopping rules that hold whoever is sampled.
    """
    actions: list[Action] = []
    for view in views:
        until = context.schedule.pulls_at(view.index + 1)
        if until is None:
            return (Stop(outcome=Outcome.SAMPLE_LIMIT),)
        if until <= context.end(view.arm):
            actions.append(Advance(arm=view.arm, until=until))
        elif not (context.uneven and view.messages):
            return (Stop(outcome=Outcome.DATA_EXHAUSTED),)
    if actions:
        return tuple(actions)
    return advance(rest, context) if rest else (Stop(outcome=Outcome.DATA_EXHAUSTED),)


def beats(winner: ArmView, loser: ArmView, confidence: Confidence, epsilon: float) -> bool:
    """Whether `winner` is surely no more than `epsilon` below `loser`.

    With an interval an arm this is LCB ≥ UCB − ε.
    """
    return winner.mean - loser.mean >= confidence.separation(loser, winner) - epsilon


def unbeaten(
    winner: ArmView, views: Sequence[ArmView], confidence: Confidence, epsilon: float
) -> list[ArmView]:
    """The other arms, those that `winner` does not beat: where there are none, it is the best."""
    return [
        view
        for view in views
        if view.arm != winner.arm and not beats(winner, view, confidence, epsilon)
    ]
