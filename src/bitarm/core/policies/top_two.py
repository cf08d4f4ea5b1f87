"""Top-two sampling: the leader, and the arm that is least separated from it (Russo 2016)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, level_of
from bitarm.core.policies.leader import Contest, LeaderPolicy
from bitarm.core.policy import TOLERANCE, highest
from bitarm.core.words import check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TopTwo(LeaderPolicy):
    """Advances b = argmax μ̃ or, of those that b does not beat, the one of least transport cost.

    The cost of an arm is the evidence that b is better, in nats, and ln t of its own pulls: EB-TCI
    of Jourdan et al. (2022). Without the logarithm an arm that began badly is never heard again
    while others that are as good as b stay near it. Stops when b beats every other arm.

    Departures from the published rules: they draw lots for which of the two is pulled, or give b a
    fixed share β of all pulls. Here b is due while t_b² < Σ t_a² over the others: what is best for
    Gaussian arms, and what a fixed half is not if there are more than two. And a pull is a batch,
    up to the arm's next checkpoint.
    """

    name: ClassVar[str] = "top-two"

    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def due(self, contest: Contest) -> Sequence[ArmView]:
        """b while it has too few pulls beside the others, and else its challenger."""
        leader, views, context = contest.leader, contest.views, contest.context
        if _square(leader) < sum(_square(view) for view in views if view.arm != leader.arm):
            return [leader]
        level = level_of(context.arms, context.delta)
        challenger = highest(
            contest.rest,
            lambda view: (
                -transport_cost(
                    leader.mean - view.mean,
                    context.confidence.separation(view, leader),
                    level,
                    float(view.pulls),
                )
            ),
        )
        return [challenger]


def transport_cost(lead: float, needed: float, level: float, pulls: float) -> float:
    """Evidence against an arm that is `lead` behind, and a logarithm of its pulls.

    A lead as large as the separation is evidence of `level` nats, and evidence grows with the
    square of a lead. So `level` times the squared share of the separation is nearly
    (μ̃_b − μ̃_a)²/(2σ²(1/t_a + 1/t_b)), for whatever width, and counts no noise that the quantizers
    made. Of numbers alone, since the simulator compiles this very function.
    """
    share = lead / needed
    return level * share * share + math.log(pulls)


def _square(view: ArmView) -> float:
    """t², as a float: the simulator has no longer integers."""
    return float(view.pulls) * float(view.pulls)
