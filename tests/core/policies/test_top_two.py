"""Top-two sampling on hand-made views."""

import math

import pytest
from core.hand_made import context, decided, seen, to, unheard

from bitarm.core.confidence import ArmView, level_of
from bitarm.core.outcome import Outcome
from bitarm.core.policies import TopTwo
from bitarm.core.policies.top_two import transport_cost
from bitarm.core.policy import Action, Stop
from bitarm.errors import ConfigError

CONTEXT = context(3)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        # every arm is heard once before any is heard twice
        ([unheard(0), unheard(1), unheard(2)], to((0, 2), (1, 2), (2, 2))),
        ([seen(0, 9.0, 0.1), unheard(1), seen(2, 1.0, 0.1)], to((1, 2))),
        # the leader is due: 2² < 2² + 2²
        ([seen(0, 0.0, 1.0), seen(1, 1.0, 1.0), seen(2, 0.5, 1.0)], to((1, 4))),
        # … and not any more: 4² ≥ 2² + 2²; of two that have as many pulls, the nearer one
        ([seen(0, 0.0, 1.0), seen(1, 1.0, 1.0, 2), seen(2, 0.5, 1.0)], to((2, 4))),
        # … nearer in shares of what would separate it: 1/6 is less than 0.5/2
        ([seen(0, 0.0, 5.0), seen(1, 1.0, 1.0, 2), seen(2, 0.5, 1.0)], to((0, 4))),
        # an arm with fewer pulls is heard before one that is a little nearer
        ([seen(0, 0.5, 1.0, 2), seen(1, 1.0, 1.0, 3), seen(2, 0.0, 1.0)], to((2, 4))),
        # … and after one that is much nearer
        ([seen(0, 1.0, 9.0, 2), seen(1, 1.0, 1.0, 3), seen(2, -0.9, 1.0)], to((0, 8))),
        # those that are beaten are not heard again, however few pulls they have
        ([seen(0, 0.5, 1.0, 2), seen(1, 1.0, 1.0, 3), seen(2, -9.0, 1.0)], to((0, 8))),
        # ties go to the lowest arm
        ([seen(0, 1.0, 1.0, 2), seen(1, 1.0, 1.0), seen(2, 1.0, 1.0)], to((1, 4))),
        # a lead that is just enough, against all others
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5), seen(2, -1.0, 1.5)], decided(1)),
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5, 2), seen(2, -1.0, 1.5625)], to((2, 4))),
        # the end of the grid is a limit on samples for the one that would move
        (
            [seen(0, 1.0, 1.0, 3), seen(1, 0.5, 1.0, 3), seen(2, 0.0, 1.0, 1)],
            (Stop(outcome=Outcome.SAMPLE_LIMIT),),
        ),
        # … and no limit for arms that need not move
        ([seen(0, 1.0, 1.0, 3), seen(1, 0.5, 1.0, 1), seen(2, 0.0, 1.0, 1)], to((1, 4))),
    ],
)
def test_decisions(views: list[ArmView], expected: tuple[Action, ...]) -> None:
    assert TopTwo().decide(views, CONTEXT) == expected


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(0.125, to((1, 4))), (0.25, decided(0)), (3.0, decided(0))]
)
def test_a_tolerance_stops_when_the_leader_is_within_it(
    epsilon: float, expected: tuple[Action, ...]
) -> None:
    views = [seen(0, 1.0, 0.25, 2), seen(1, 0.75, 0.25), seen(2, 0.0, 0.25)]
    assert TopTwo(epsilon=epsilon).decide(views, CONTEXT) == expected


@pytest.mark.parametrize("epsilon", [-0.1, math.inf, math.nan])
def test_a_tolerance_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon"):
        TopTwo(epsilon=epsilon)


def test_the_cost_is_evidence_in_nats_and_a_logarithm_of_pulls() -> None:
    level = level_of(5, 1e-5)
    assert level == pytest.approx(math.log(4 / 1e-5))
    assert transport_cost(0.0, 2.0, level, 8.0) == pytest.approx(math.log(8))
    assert transport_cost(2.0, 2.0, level, 1.0) == pytest.approx(level)
    assert transport_cost(1.0, 2.0, level, 1.0) == pytest.approx(level / 4)
    assert transport_cost(1.0, math.inf, level, 3.0) == pytest.approx(math.log(3))


def test_an_arm_that_began_badly_is_heard_again_while_two_others_stay_level() -> None:
    """Without the logarithm it would not be: two equal arms are never told apart."""
    views = [seen(0, 1.0, 0.5, 3), seen(1, 0.99, 0.5, 2), seen(2, 0.3, 1.4, 1)]
    assert TopTwo().decide(views, CONTEXT) == to((2, 4))
