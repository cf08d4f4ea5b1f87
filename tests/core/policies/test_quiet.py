"""Quiet elimination, decision by decision: who goes ahead, how far, who is told what, who falls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from bitarm.core.confidence import ArmView
from bitarm.core.hint import Hint, HintKind
from bitarm.core.policies import QuietElimination
from bitarm.core.policy import Action, Advance, Drop, Outcome, PolicyContext, Stop
from bitarm.core.schedule import ListedSchedule
from bitarm.errors import ConfigError


@dataclass(frozen=True)
class Given:
    """A margin of 8/t: 2 after 4 pulls, 1 after 8, and so on."""

    def radius(self, view: ArmView) -> float:
        return self.margin(view, view) / 2 + view.error

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        return 8 / loser.pulls if loser.pulls == winner.pulls else math.inf

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        return self.margin(loser, winner) + loser.error + winner.error


GRID = (4, 8, 16, 32, 64, 128)


def context(*, hints: bool = True, grid: tuple[int, ...] = GRID) -> PolicyContext:
    return PolicyContext(
        arms=4,
        delta=0.1,
        confidence=Given(),
        schedule=ListedSchedule(checkpoints=grid),
        hints=hints,
    )


def unheard(*arms: int) -> list[ArmView]:
    return [
        ArmView(arm=arm, mean=0.5, pulls=0, messages=0, index=0, error=math.inf) for arm in arms
    ]


def told(arm: int, mean: float, pulls: int = 4, error: float = 0.0) -> ArmView:
    """An arm that has told its mean at a checkpoint."""
    index = GRID.index(pulls) + 1
    return ArmView(arm=arm, mean=mean, pulls=pulls, messages=index, index=index, error=error)


def conceded(arm: int, ceiling: float, mean: float, pulls: int = 8) -> ArmView:
    """An arm that was not above a cut, and told its mean some time before."""
    index = GRID.index(pulls) + 1
    return ArmView(
        arm=arm,
        mean=mean,
        pulls=pulls,
        messages=index,
        index=index,
        error=math.inf,
        ceiling=ceiling,
    )


def centre(value: float) -> Hint:
    return Hint(kind=HintKind.CENTRE, value=value)


def cut(value: float) -> Hint:
    return Hint(kind=HintKind.CUT, value=value)


DECIDED_FOR_0 = Stop(outcome=Outcome.DECIDED, best_arm=0)


@dataclass(frozen=True, kw_only=True)
class Case:
    views: Sequence[ArmView]
    does: tuple[Action, ...]
    policy: QuietElimination = field(default_factory=QuietElimination)
    given: PolicyContext = field(default_factory=context)


CASES = {
    # -- the first checkpoint
    "a pilot goes first": Case(views=unheard(0, 1, 2), does=(Advance(arm=1, until=4),)),
    "the pilot is in the middle of those that are left": Case(
        views=unheard(2, 3, 5, 6), does=(Advance(arm=5, until=4),)
    ),
    "no pilot: all at once": Case(
        views=unheard(0, 1),
        policy=QuietElimination(pilot=False),
        does=(Advance(arm=0, until=4), Advance(arm=1, until=4)),
    ),
    "agents that know no hints: no pilot": Case(
        views=unheard(0, 1),
        given=context(hints=False),
        does=(Advance(arm=0, until=4), Advance(arm=1, until=4)),
    ),
    "a pilot with a tolerance": Case(
        views=unheard(0, 1), policy=QuietElimination(epsilon=0.1), does=(Advance(arm=1, until=4),)
    ),
    "the first and the last are told the pilot's mean": Case(
        views=[*unheard(0, 1), told(2, 0.7), *unheard(3, 4)],
        does=(
            Advance(arm=0, until=4, hint=centre(0.7)),
            Advance(arm=4, until=4, hint=centre(0.7)),
        ),
    ),
    "two others are told the pilot's mean at once": Case(
        views=[*unheard(0), told(1, 0.7), *unheard(2)],
        does=(
            Advance(arm=0, until=4, hint=centre(0.7)),
            Advance(arm=2, until=4, hint=centre(0.7)),
        ),
    ),
    "one of them was lost: another takes its place": Case(
        views=[told(0, 0.7), told(2, 0.1), *unheard(3)],
        does=(Advance(arm=3, until=4, hint=centre(0.7)),),
    ),
    "the others are told the median of the three": Case(
        views=[told(0, 0.7), told(1, 0.1), told(2, 0.3), *unheard(3, 4)],
        does=(
            Advance(arm=3, until=4, hint=centre(0.3)),
            Advance(arm=4, until=4, hint=centre(0.3)),
        ),
    ),
    # -- the leader first
    "the leader goes ahead alone": Case(
        views=[told(0, 0.1), told(1, 0.9), told(2, 0.2)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=1, until=8),),
    ),
    "of leaders that tie the first": Case(
        views=[told(0, 0.1), told(1, 0.9), told(2, 0.9)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=1, until=8),),
    ),
    "a cut is told to those whose cell reaches it": Case(
        # the edge of the leader's cell is 0.75, the margin 1: the cut is -0.25
        views=[
            told(0, 1.0, pulls=8, error=0.25),
            told(1, 0.0, error=0.5),
            told(2, 0.5, error=0.5),
            told(3, 0.25, error=0.5),
        ],
        does=(
            Advance(arm=1, until=8, hint=cut(-0.25)),
            Advance(arm=2, until=8),  # no; but it may be above the leader
            Advance(arm=3, until=8, hint=cut(-0.25)),
        ),
    ),
    "who can neither fall nor lead is not asked": Case(
        views=[
            told(0, 1.0, pulls=8),  # the cut is 0
            told(1, 0.5, error=0.125),  # up to 0.875, if it was three errors too low
            told(2, 0.625, error=0.125),  # up to 1
            told(3, 0.125, error=0.125),  # down to 0
        ],
        does=(Advance(arm=2, until=8), Advance(arm=3, until=8, hint=cut(0.0))),
    ),
    "if nobody is asked the leader goes on": Case(
        views=[told(0, 1.0, pulls=8), told(1, 0.5, error=0.125)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=16),),
    ),
    "those that stayed silent do not fall": Case(
        views=[told(0, 9.0, pulls=8), told(1, 8.5, pulls=8), told(2, -9.0)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=16),),
    ),
    "an arm that stayed silent goes past the newest when it leads": Case(
        views=[told(0, 0.9), told(1, 0.5, pulls=16), told(2, 0.4, pulls=16)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=32),),
    ),
    "an arm that conceded before is told the cut": Case(
        views=[told(0, 1.0, pulls=16), conceded(1, ceiling=0.8, mean=0.9)],
        does=(Advance(arm=1, until=16, hint=cut(0.5)),),
    ),
    "no leader first: all together": Case(
        views=[told(0, 0.1), told(1, 0.9)],
        policy=QuietElimination(leader_first=False, cap=1.0),
        does=(Advance(arm=0, until=8), Advance(arm=1, until=8)),
    ),
    "agents that know no hints: all together": Case(
        views=[told(0, 0.1), told(1, 0.9)],
        policy=QuietElimination(cap=1.0),
        given=context(hints=False),
        does=(Advance(arm=0, until=8), Advance(arm=1, until=8)),
    ),
    "a tolerance: all together": Case(
        views=[told(0, 0.1), told(1, 0.9)],
        policy=QuietElimination(epsilon=0.1, cap=1.0),
        does=(Advance(arm=0, until=8), Advance(arm=1, until=8)),
    ),
    "agents that know no hints, and one is ahead all the same": Case(
        views=[told(0, 0.9, pulls=8), told(1, -0.2)],
        given=context(hints=False),
        does=(Advance(arm=1, until=8),),
    ),
    # -- jumps: the margin is 1 at 8, 1/2 at 16, 1/4 at 32, 1/8 at 64, 1/16 at 128
    "to where the last may fall": Case(
        views=[told(0, 0.5), told(1, 0.45), told(2, 0.25)],
        policy=QuietElimination(patience=1.0, leader_first=False, cap=100.0),
        does=tuple(Advance(arm=arm, until=32) for arm in range(3)),
    ),
    "with patience a little farther": Case(
        views=[told(0, 0.5), told(1, 0.45), told(2, 0.25)],
        policy=QuietElimination(patience=1.1, leader_first=False, cap=100.0),
        does=tuple(Advance(arm=arm, until=64) for arm in range(3)),
    ),
    "alone, only the leader's own error counts": Case(
        # at 16: 0.5 + 0.125/2, shrunk as the pulls grew
        views=[told(0, 0.6, error=0.125), told(1, 0.0, error=0.125)],
        policy=QuietElimination(patience=1.0, cap=100.0),
        does=(Advance(arm=0, until=16),),
    ),
    "together, both errors count": Case(
        views=[told(0, 0.6, error=0.125), told(1, 0.0, error=0.125)],
        policy=QuietElimination(patience=1.0, cap=100.0, leader_first=False),
        does=(Advance(arm=0, until=32), Advance(arm=1, until=32)),
    ),
    "no farther than the cap": Case(
        views=[told(0, 0.5), told(1, 0.499)],
        does=(Advance(arm=0, until=16),),  # 6 times 4 is under 32
    ),
    "exactly as far as the cap": Case(
        views=[told(0, 0.5), told(1, 0.499)],
        policy=QuietElimination(cap=8.0),
        does=(Advance(arm=0, until=32),),
    ),
    "one checkpoint at least, whatever the cap": Case(
        views=[told(0, 0.5), told(1, 0.499)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=8),),
    ),
    "a drop that is in sight at once needs no jump": Case(
        views=[told(0, 1.5), told(1, 0.0)],
        does=(Advance(arm=0, until=8),),
    ),
    "to the last checkpoint at most": Case(
        views=[told(0, 0.5), told(1, 0.499)],
        policy=QuietElimination(cap=1e300),
        does=(Advance(arm=0, until=128),),
    ),
    "at the end of the schedule": Case(
        views=[told(0, 0.5, pulls=128), told(1, 0.499, pulls=128)],
        does=(Stop(outcome=Outcome.SAMPLE_LIMIT),),
    ),
    "a tolerance brings the end into sight": Case(
        # the lead of the leader over the second, 0.01, and the tolerance, 0.5: at 16 pulls
        views=[told(0, 0.5), told(1, 0.49)],
        policy=QuietElimination(epsilon=0.5, patience=1.0, cap=100.0),
        does=(Advance(arm=0, until=16), Advance(arm=1, until=16)),
    ),
    # -- drops
    "an arm falls at a margin between the cells": Case(
        views=[told(0, 2.5, error=0.25), told(1, 0.0, error=0.25), told(2, 0.1, error=0.25)],
        policy=QuietElimination(cap=1.0),
        does=(Drop(arm=1, because=0), Advance(arm=0, until=8)),
    ),
    "the last one standing is the answer": Case(
        views=[told(0, 2.0), told(1, 0.0)], does=(Drop(arm=1, because=0), DECIDED_FOR_0)
    ),
    "the arm with the highest edge drops, not the highest mean": Case(
        views=[told(0, 2.5, error=1.0), told(1, 2.25), told(2, 0.25)],
        policy=QuietElimination(cap=1.0),
        does=(Drop(arm=2, because=1), Advance(arm=0, until=8)),
    ),
    "an arm that conceded falls": Case(
        # as the learner sees it after the cut 0.75 - 1
        views=[told(0, 1.0, pulls=8, error=0.25), conceded(1, ceiling=-0.25, mean=0.3)],
        does=(Drop(arm=1, because=0), DECIDED_FOR_0),
    ),
    "to an arm that overtook the leader": Case(
        views=[
            told(0, 1.0, pulls=8),
            told(1, 1.5, pulls=8),
            conceded(2, ceiling=0.0, mean=0.3),
        ],
        policy=QuietElimination(cap=1.0),
        does=(Drop(arm=2, because=1), Advance(arm=1, until=16)),
    ),
    "all but one at once, lowest arm first": Case(
        views=[told(0, 9.0), told(1, 0.0), told(2, 0.0), told(3, -1.0)],
        does=(
            Drop(arm=1, because=0),
            Drop(arm=2, because=0),
            Drop(arm=3, because=0),
            DECIDED_FOR_0,
        ),
    ),
    "equal means never fall": Case(
        views=[told(0, 0.5), told(1, 0.5)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=8),),
    ),
    "a tolerance ends it when the leader is surely within": Case(
        views=[told(0, 0.5, pulls=16), told(1, 0.5, pulls=16)],
        policy=QuietElimination(epsilon=0.5),
        does=(DECIDED_FOR_0,),
    ),
    # -- the leader was lost after it had reported: nobody else may be dropped for it
    "those that conceded stay": Case(
        views=[conceded(1, ceiling=0.2, mean=0.6), conceded(2, ceiling=0.2, mean=0.3)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=1, until=16),),
    ),
    "unless one that remains is a margin above the ceiling": Case(
        views=[told(0, 1.25, pulls=8), conceded(1, ceiling=0.25, mean=0.9)],
        does=(Drop(arm=1, because=0), DECIDED_FOR_0),
    ),
    "an old mean does not make a leader of an arm that conceded": Case(
        views=[told(0, 0.6, pulls=8), conceded(1, ceiling=0.2, mean=0.9)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=0, until=16),),
    ),
    "nor does it hide that the arm is last": Case(
        # the lead is 0.4, over the ceiling: at 32 the margin is 1/4
        views=[
            told(0, 0.6, pulls=8),
            conceded(1, ceiling=0.2, mean=0.9),
            told(2, 0.5, pulls=8),
        ],
        policy=QuietElimination(patience=1.0, cap=100.0),
        does=(Advance(arm=0, until=32),),
    ),
    "a leader that conceded goes as far as it may": Case(
        views=[conceded(1, ceiling=0.2, mean=0.6), conceded(2, ceiling=0.2, mean=-9.0)],
        policy=QuietElimination(cap=8.0),
        does=(Advance(arm=1, until=64),),
    ),
    "nobody is measured by an arm that conceded": Case(
        # two leaders were lost, one after the other
        views=[conceded(1, ceiling=0.2, mean=0.6, pulls=16), conceded(2, ceiling=0.3, mean=0.5)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=2, until=32),),
    ),
    "the pilot was lost before it spoke": Case(
        views=unheard(1, 2), does=(Advance(arm=2, until=4),)
    ),
    "the pilot was lost after it spoke": Case(
        views=[told(1, 0.5), told(2, 0.4)],
        policy=QuietElimination(cap=1.0),
        does=(Advance(arm=1, until=8),),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_decided(case: Case) -> None:
    assert case.policy.decide(case.views, case.given) == case.does


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"cap": 0.999}, "cap must be a finite number, 1 or more, got 0.999"),
        ({"cap": math.inf}, "cap must be a finite number, 1 or more, got inf"),
        ({"cap": math.nan}, "cap must be a finite number, 1 or more, got nan"),
        ({"patience": 0}, "patience must be a finite number above 0, got 0.0"),
        ({"patience": -1.0}, "patience must be .*, got -1.0"),
        ({"patience": math.inf}, "patience must be .*, got inf"),
        ({"patience": math.nan}, "patience must be .*, got nan"),
        ({"epsilon": -0.1}, "epsilon must be a finite number, 0 or more, got -0.1"),
    ],
)
def test_refused_parameters(words: dict[str, float], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        QuietElimination(**words)  # type: ignore[arg-type]


def test_whole_numbers_are_numbers() -> None:
    assert QuietElimination(cap=6, patience=1) == QuietElimination(cap=6.0, patience=1.0)
