"""Quiet elimination: ask only when an answer can change something, and say what makes it short.

Three ways to fewer bits than successive elimination, each of which can be left out:

* Jumps. All active arms go to the first checkpoint at which one of them is likely to fall, judged
  by the means so far; those before it pass in silence.
* Leader first. The arm with the highest mean goes ahead and reports. From its mean follows the cut
  at or below which another arm falls. An arm that may be there is told the cut, and says in one
  bit that it falls, or that it does not and where it is. One that may be the new leader says where
  it is. Those in between stay silent; they make up for their pulls when they are asked again.
* Pilot. At the first checkpoint the arm in the middle of the list reports first, the first and the
  last one say how far they are from it, and the others how far from the median of the three: one
  odd arm does not make all others pay, nor does a list in the order of the means.

Sound for every width whose bounds hold at all checkpoints at once: which of them are visited, and
in which order arms speak, may depend on all that was heard. `docs/widths.md` has the proof.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.hint import Hint, HintKind
from bitarm.core.policy import (
    TOLERANCE,
    Action,
    Advance,
    Drop,
    Outcome,
    Policy,
    PolicyContext,
    Stop,
    beats_all,
    by_mean,
    highest,
)
from bitarm.core.spec import RunSpec
from bitarm.core.words import Word, check_words

PILOTS = 3
"""Arms that are heard before all others."""

REACH = 3.0
"""Errors by which a mean may have been too low: beyond, an arm is no new leader."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class QuietElimination(Policy):
    """Drops arm m when the edge of the leader's cell is a margin above that of m's cell.

    Arms are compared at equally many pulls only. With a tolerance all arms report at every
    checkpoint that is visited, since the answer then depends on all of them at once.
    """

    name: ClassVar[str] = "quiet"
    stride: ClassVar[Stride] = Stride.LEVEL
    growth: ClassVar[float] = 1.3  # it chooses among the checkpoints: more of them cost nothing
    first: ClassVar[int | None] = 2

    epsilon: Annotated[float, TOLERANCE] = 0.0
    cap: Annotated[float, Word("Longest jump, as a factor of the pulls", least=1)] = 6.0
    patience: Annotated[float, Word("How much of a drop must be in sight to ask", above=0)] = 1.1
    leader_first: Annotated[bool, Word("The leader reports before the others")] = True
    pilot: Annotated[bool, Word("Three arms report before all others")] = True

    def __post_init__(self) -> None:
        check_words(self)

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One broadcast: to the one that goes ahead, or to those that follow."""
        unheard = [view for view in views if view.messages == 0]
        if unheard:
            return self._first_words(views, unheard, context)
        pulls = max(view.pulls for view in views)
        level = [view for view in views if view.pulls == pulls]
        if len(level) == 1 and (asked := _asked(views, level[0], context)):
            return asked
        top = highest(level, lambda view: view.low)
        cut = _cut(top, context)
        fallen = {view.arm for view in level if view.arm != top.arm and cut >= view.high}
        drops = [Drop(arm=arm, because=top.arm) for arm in sorted(fallen)]
        return (*drops, *self._go_on([view for view in views if view.arm not in fallen], context))

    def _first_words(
        self, views: Sequence[ArmView], unheard: list[ArmView], context: PolicyContext
    ) -> tuple[Action, ...]:
        """All at once, or the pilot, then two more, then the rest around the median."""
        if not (self.pilot and context.hints):
            return _advance(unheard, 1, context)
        heard = sorted(view.mean for view in views if view.messages)
        if not heard:
            return _advance([unheard[len(unheard) // 2]], 1, context)
        centre = Hint(kind=HintKind.CENTRE, value=heard[len(heard) // 2])
        ends = len(heard) < PILOTS <= len(unheard)
        return _advance([unheard[0], unheard[-1]] if ends else unheard, 1, context, centre)

    def _go_on(self, active: list[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        leader = highest(active, _promise)
        if len(active) == 1 or (
            self.epsilon > 0 and beats_all(leader, active, context.confidence, self.epsilon)
        ):
            return (Stop(outcome=Outcome.DECIDED, best_arm=leader.arm),)
        alone = self.leader_first and context.hints and not self.epsilon
        index = self._next_visit(leader, active, context, alone=alone)
        return _advance([leader] if alone else active, index, context)

    def _next_visit(
        self, leader: ArmView, active: list[ArmView], context: PolicyContext, *, alone: bool
    ) -> int:
        """The first checkpoint at which a drop is in sight, or the last one under the cap."""
        others = [view for view in active if view.arm != leader.arm]
        last = min(others, key=_promise)
        lead = _promise(leader) - _promise(last)
        if self.epsilon > 0:
            lead = max(lead, leader.mean - highest(others, by_mean).mean + self.epsilon)
        error = leader.error if alone else leader.error + last.error
        newest = highest(active, lambda view: view.pulls)
        farthest = self.cap * newest.pulls
        index = newest.index + 1
        while (beyond := context.schedule.pulls_at(index + 1)) is not None and beyond <= farthest:
            pulls = context.schedule.pulls_at(index)
            assert pulls is not None  # there is one beyond it
            then = replace(leader, pulls=pulls, index=index)
            shrunk = error * math.sqrt(leader.pulls / pulls)  # what errors do, roughly
            if lead >= self.patience * (context.confidence.margin(then, then) + shrunk):
                break
            index += 1
        return index

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: drops are those of successive elimination, at checkpoints chosen from the data."""
        return None


def _promise(view: ArmView) -> float:
    """What is known of the newest mean: an arm that conceded to one since lost kept an old one."""
    return min(view.mean, view.ceiling)


def _cut(leader: ArmView, context: PolicyContext) -> float:
    """At or below it, the mean of an arm with as many pulls is a margin below the leader's."""
    return leader.low - context.confidence.margin(leader, leader)


def _advance(
    views: Sequence[ArmView], index: int, context: PolicyContext, hint: Hint | None = None
) -> tuple[Action, ...]:
    until = context.schedule.pulls_at(index)
    if until is None:
        return (Stop(outcome=Outcome.SAMPLE_LIMIT),)
    return tuple(Advance(arm=view.arm, until=until, hint=hint) for view in views)


def _asked(views: Sequence[ArmView], ahead: ArmView, context: PolicyContext) -> tuple[Action, ...]:
    """Up to the leader that went ahead: who may be at or below the cut, and who may be above all.

    Where there are no hints nobody goes ahead; all others may then be asked for the same reasons.
    """
    if math.isinf(ahead.error):  # it conceded to a leader that was lost: it told no mean to beat
        return ()
    cut = Hint(kind=HintKind.CUT, value=_cut(ahead, context))
    actions: list[Action] = []
    for view in views:
        near = view.low <= cut.value
        if view.arm == ahead.arm or not (near or view.mean + REACH * view.error >= ahead.mean):
            continue
        hint = cut if near and context.hints else None
        actions.append(Advance(arm=view.arm, until=ahead.pulls, hint=hint))
    return tuple(actions)
