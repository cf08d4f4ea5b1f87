"""Elimination by challenge: one arm goes ahead, and the others judge themselves by its evidence.

* The arm that leads pulls alone, as far as it takes for another to fall by the forecast, and tells
  how sure one may be that it is good.
* The others are told that. An arm that may fall pulls on, weighs its own rewards against the
  leader's evidence as it goes, and stops as soon as it is beaten: it says so in one bit. One that
  gets as far as the leader without being beaten says where it is. One that may be the next leader
  only says where it is. All others stay silent, and make up for their pulls when they are asked.
* The first words: the arm in the middle of the list reports first, and how its rewards spread;
  the first and the last one say how far they are from it, and the others how far from the median
  of the three.

So no arm waits for a checkpoint to find out that it is beaten, and no σ is needed where rewards
have bounds. Sound whatever is chosen from the data, since evidence is: `docs/evidence.md`.

With a tolerance ε an arm is challenged by what the leader would have ε higher. Who loses that
*yields* to this leader: it rests while that one leads, but is not out, since an arm that beats the
leader may be beaten by less than ε. The run ends when all others yield to the leader.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.forecast import band
from bitarm.core.evidence.tasks import Edge, Pilot, Task
from bitarm.core.evidence.verdict import challenge
from bitarm.core.hint import Hint, HintKind
from bitarm.core.outcome import Outcome
from bitarm.core.policies.prospects import (
    LIKELY,
    MAY_FALL,
    MAY_LEAD,
    is_too_soon,
    raised,
    reach,
    target,
)
from bitarm.core.policies.recorded_ends import RecordedEnds
from bitarm.core.policy import (
    TOLERANCE,
    Action,
    Advance,
    Drop,
    Policy,
    PolicyContext,
    Stop,
    by_mean,
    highest,
    unheard,
)
from bitarm.core.quantizers.dyadic import dyadic
from bitarm.core.schedule import Schedule
from bitarm.core.spec import RunSpec
from bitarm.core.words import Word, check_words

PILOTS = 3
"""Arms that are heard before all others."""

SHORT = 2.0
"""Times its pulls that a first leader makes at most, with σ known, if a few others may be as high:
which of them is to lead is found out at less than it costs to go far ahead. Without σ first
words are of so many pulls that such cells are rare."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeElimination(Policy):
    """Drops arms that say that they are beaten.

    `start` and `cap` bound how far arms pull before they are heard from again; `patience`, `behind`
    and `aim` say how far a leader goes before it challenges. All five move the price alone: an
    answer is as sure with any of them.
    """

    name: ClassVar[str] = "challenge"
    stride: ClassVar[Stride] = Stride.JUDGED

    start: Annotated[int, Word("Least pulls before an arm first reports", least=1)] = 2
    cap: Annotated[float, Word("Longest jump, as a factor of the pulls", least=1)] = 4.0
    patience: Annotated[float, Word("How much of a drop must be in sight to ask", above=0)] = 1.2
    behind: Annotated[
        float, Word("Share of the leader's pulls at which an arm is to fall", above=0, most=1)
    ] = 0.58
    aim: Annotated[
        float, Word("Which arm is to fall: 0 the last, ½ the mean one, 1 the next", least=0, most=1)
    ] = 0.7
    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One broadcast: to the one that goes ahead, or to those that it challenges."""
        evidence = context.confidence
        assert isinstance(evidence, Evidence)  # no width fits a policy whose agents judge
        turn = _Turn(self, evidence, context.schedule, RecordedEnds(context))
        if unheard(views):
            return turn.first_words(views)
        drops = [] if self.epsilon else _given_up(views)
        fallen = {drop.arm for drop in drops}
        left = [view for view in views if view.arm not in fallen]
        top = highest(candidates(left), by_mean)
        drops += [
            Drop(arm=view.arm, because=top.arm)
            for view in left
            if view.arm != top.arm and evidence.separates(view, top)
        ]
        fallen = {drop.arm for drop in drops}
        left = [view for view in left if view.arm not in fallen]
        # an arm whose conqueror falls now too is worse than the arm before which that one falls
        drops = [
            replace(drop, because=top.arm) if drop.because in fallen else drop for drop in drops
        ]
        if not turn.rivals(top, left):
            return (*drops, Stop(outcome=Outcome.DECIDED, best_arm=top.arm))
        return (*drops, *turn.go_on(left))

    def first_pulls(self, evidence: Evidence) -> int:
        """Enough to know roughly where an arm is: more where its noise is not known.

        Who knows how far arms are apart begins later, by `start`, and hears fewer words.
        """
        least = math.ceil(pulls_to_place(evidence.level)) if evidence.scale.bounded else 1
        return max(self.start, least)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: docs/evidence.md has the proof."""
        return None


@final
@dataclass(frozen=True, slots=True)
class _Turn:
    """One decision: what was chosen, and what it is decided with."""

    policy: ChallengeElimination
    evidence: Evidence
    schedule: Schedule
    ends: RecordedEnds

    # -- first words -----------------------------------------------------------------------------

    def first_words(self, views: Sequence[ArmView]) -> tuple[Action, ...]:
        """The pilot, then two more, then the rest around the median."""
        silent = unheard(views)
        heard = sorted((view for view in views if view.messages), key=by_mean)
        until = self._first_pulls()
        if until is None:
            return (Stop(outcome=Outcome.SAMPLE_LIMIT),)
        if not heard:
            pilot = silent[len(silent) // 2]
            return (self._pilot(pilot, min(until, self.ends.last_look(pilot, 1))),)
        told = heard[len(heard) // 2]
        outermost = len(heard) < PILOTS <= len(silent)
        asked = [silent[0], silent[-1]] if outermost else silent
        noise = self.evidence.noise(told.mean, _spread(views), until)
        return tuple(
            self._asked(
                view, min(until, self.ends.last_look(view, 1)), HintKind.CENTRE, told.mean, noise
            )
            for view in asked
        )

    def _pilot(self, view: ArmView, until: int) -> Advance:
        scale = self.evidence.scale
        if not scale.bounded:
            return self._asked(view, until, HintKind.CENTRE, 0.0, scale.unit)
        middle = scale.low + scale.unit / 2
        noise = self.evidence.noise(middle, 0, until)
        return self._asked(view, until, HintKind.PILOT, middle, noise, task=Pilot())

    def _first_pulls(self) -> int | None:
        wanted = self.policy.first_pulls(self.evidence)
        return self.schedule.pulls_at(self.schedule.index_at(wanted - 1) + 1)

    # -- rounds ----------------------------------------------------------------------------------

    def rivals(self, leader: ArmView, active: Sequence[ArmView]) -> list[ArmView]:
        """The arms that may still be better than an arm, by more than the tolerance."""
        epsilon = self.policy.epsilon
        return [
            view
            for view in active
            if view.arm != leader.arm
            and not (epsilon and view.beaten_by == leader.arm)
            and not (epsilon and self.evidence.separates(view, leader, epsilon))
        ]

    def go_on(self, active: Sequence[ArmView]) -> tuple[Action, ...]:
        """The challenges of an arm that has gone ahead; if there are none, the next to go ahead."""
        most = max(view.pulls for view in active)
        ahead = [view for view in active if view.pulls == most]
        if len(ahead) == 1 and self._has_edge(ahead[0]):
            able = [view for view in active if self.ends.of(view) >= most]
            is_last = most >= self.ends.last_look(ahead[0])
            rivals = self.rivals(ahead[0], able)
            challenged = self._challenges(ahead[0], active, rivals, everybody=is_last)
            if challenged:
                return challenged
        return self._lead(highest(candidates(active), by_mean), active, most)

    def _has_edge(self, view: ArmView) -> bool:
        """Whether others can be held against what was told of an arm."""
        if not math.isfinite(view.low):  # as after a challenge that it lost to an arm now lost
            return False
        return view.rung is not None or not self.evidence.scale.bounded

    def _lead(self, leader: ArmView, active: Sequence[ArmView], most: int) -> tuple[Action, ...]:
        """Send the leader as far as another is to fall, by the forecast."""
        policy, evidence, spread = self.policy, self.evidence, _spread(active)
        if self.ends.last_look(leader) <= most:
            able = [view for view in candidates(active) if self.ends.last_look(view) > most]
            if not able:
                return self._last_words(active)
            leader = highest(able, by_mean)
        rivals = self.rivals(leader, active)
        others = [view.mean for view in rivals]
        farthest = self._farthest(leader, rivals, most)
        share = min(1.0, policy.behind * math.sqrt(3.0 / len(others)))
        if max(self.ends.of(view) for view in rivals) <= most:
            return self._last_words(active)  # nobody else can get as far any more
        forecast = evidence.falls(
            leader,
            target(others, len(others), policy.aim) - policy.epsilon,
            spread,
            pulls=most,
            most=farthest,
            share=share,
        )
        wanted = min(forecast.pulls * policy.patience, farthest)
        until = self._checkpoint(most, wanted, farthest)
        if until is None:
            return (Stop(outcome=Outcome.SAMPLE_LIMIT),)
        until = self.ends.within(until, leader, active, most)
        own = spread if leader.spread is None else leader.spread
        task = Edge(first=band(forecast.rung), spread=own) if evidence.scale.bounded else None
        noise = evidence.noise(leader.mean, own, until)
        return (self._asked(leader, until, HintKind.LEADER, leader.mean, noise, task=task),)

    def _farthest(self, leader: ArmView, rivals: Sequence[ArmView], most: int) -> float:
        """The most pulls that a leader may go ahead to, where nobody has made more than `most`."""
        evidence = self.evidence
        if not evidence.scale.bounded and leader.messages == 1 and leader.pulls == most:
            unit = evidence.scale.unit
            tied = sum(
                view.mean + reach(view.error, unit / math.sqrt(view.pulls), 0.0, 0.0) >= leader.mean
                for view in rivals
            )
            if 0 < 2 * tied <= len(rivals):
                return SHORT * most
        return max(self.policy.cap * most, evidence.level)  # fewer pulls than L never do

    def _checkpoint(self, most: int, wanted: float, farthest: float) -> int | None:
        """The first checkpoint after `most` that is as far as wanted, or the last one in reach."""
        index = self.schedule.index_at(most) + 1
        until = self.schedule.pulls_at(index)
        while until is not None and until < wanted:
            index += 1
            beyond = self.schedule.pulls_at(index)
            if beyond is None or beyond > farthest:
                break
            until = beyond
        return until

    def _challenges(
        self,
        leader: ArmView,
        active: Sequence[ArmView],
        rivals: Sequence[ArmView],
        *,
        everybody: bool,
    ) -> tuple[Action, ...]:
        """Questions up to the leader's pulls, to those of the rivals that may fall or lead.

        Or to all of them, with `everybody`. To nobody, if few are likely to fall so soon: then the
        leader goes on.
        """
        evidence, spread, until = self.evidence, _spread(active), leader.pulls
        own = spread if leader.spread is None else leader.spread
        sharpest = evidence.sharpest(leader, own, spread)
        first = band(sharpest) if leader.rung is None else leader.rung
        cut = evidence.cut(leader, own, spread, first) + self.policy.epsilon
        task = challenge(
            scale=evidence.scale,
            edge=raised(told_edge(leader), self.policy.epsilon, 2 * leader.error),
            middle=leader.mean,
            spread=own,
            first=first,
            pulls=until,
            level=evidence.level,
            log_weights=evidence.log_weights,
        )
        actions = []
        challenged = likely = 0
        for view in rivals:
            noise = evidence.noise(view.mean, spread, view.pulls)
            moved = noise * math.sqrt(max(0.0, 1 / view.pulls - 1 / until))
            was = noise / math.sqrt(view.pulls)
            if everybody or view.mean - reach(view.error, was, moved, MAY_FALL) <= cut:
                asked = self._asked(
                    view, until, HintKind.CHALLENGE, cut, noise, task=task, rival=leader.arm
                )
                challenged += 1
                likely += view.mean + LIKELY * noise / math.sqrt(until) <= cut
            elif view.mean + reach(view.error, was, moved, MAY_LEAD) >= leader.mean:
                asked = self._asked(view, until, HintKind.PLACE, view.mean, noise)
            else:
                continue
            actions.append(asked)
        leads = highest(candidates(active), by_mean).arm == leader.arm
        if leads and not everybody and is_too_soon(challenged, likely, leader.messages):
            return ()
        return tuple(actions)

    def _last_words(self, active: Sequence[ArmView]) -> tuple[Action, ...]:
        """What recorded rewards still allow, where nobody can go ahead any more.

        Who told its evidence challenges those that it can, and then, one at a time, those whose
        rewards end before they are as far. Such an arm gives up on the way, or the run ends
        with its rewards: so the lowest is asked first.
        """
        for view in sorted(candidates(active), key=by_mean, reverse=True):
            if self._has_edge(view):
                behind = [one for one in self.rivals(view, active) if one.pulls < view.pulls]
                able = [one for one in behind if self.ends.of(one) >= view.pulls]
                short = sorted((one for one in behind if one not in able), key=by_mean)
                if behind:
                    return self._challenges(view, active, able or short[:1], everybody=True)
        return (Stop(outcome=Outcome.DATA_EXHAUSTED),)

    def _asked(
        self,
        view: ArmView,
        until: int,
        kind: HintKind,
        value: float,
        noise: float,
        *,
        task: Task | None = None,
        rival: int | None = None,
    ) -> Advance:
        """An arm is asked; `noise` is the deviation of one of its rewards."""
        since = 1 / view.pulls if view.messages else 1 / until
        hint = Hint(
            kind=kind,
            value=value,
            deviation=noise / math.sqrt(until),
            moved=noise * math.sqrt(max(0.0, since - 1 / until)),
            scale=self.evidence.scale,
            task=task,
            rival=rival,
        )
        return Advance(arm=view.arm, until=until, hint=hint)


def pulls_to_place(level: float) -> float:
    """Pulls after which it is known roughly where an arm is whose noise is not known."""
    return 12 + 2 * level


def told_edge(view: ArmView) -> float:
    """The lower end of the cell that an arm told, to the last bit.

    An error is half a step and a rounding; the rounding is a hurdle's to pay.
    """
    return view.mean - dyadic(2 * view.error) / 2


def _given_up(views: Sequence[ArmView]) -> list[Drop]:
    """Arms that said that they are beaten, by arms that are still in the race."""
    active = {view.arm for view in views}
    return [
        Drop(arm=view.arm, because=view.beaten_by)
        for view in views
        if view.beaten_by is not None and view.beaten_by in active
    ]


def candidates(active: Sequence[ArmView]) -> list[ArmView]:
    """The arms that may lead: those that do not yield to an arm in the race.

    There always is one, since an arm only ever yields to a leader.
    """
    arms = {view.arm for view in active}
    return [view for view in active if view.beaten_by not in arms]


def _spread(views: Sequence[ArmView]) -> int:
    """The spread that was told last, by the arm with most pulls; a coin's before any was."""
    told = [view for view in views if view.spread is not None]
    latest = max(told, key=lambda view: view.pulls, default=None)
    return 0 if latest is None or latest.spread is None else latest.spread
