"""The claim of a run that was decided, made by hand."""

from tapes import make_spec

from bitarm.core.confidence import ArmView
from bitarm.core.guarantee import Course, Guarantee, guarantee
from bitarm.core.outcome import Outcome
from bitarm.core.policies import ChallengeElimination, SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizers import Dyadic, Exact, Quantizer
from bitarm.core.setup import Setup

EVIDENCE = ("bounded", "sub-gaussian")
EVERY = Course(covered=range(3))


def claimed(
    width: str = "paper",
    course: Course = EVERY,
    policy: Policy | None = None,
    views: tuple[ArmView, ...] = (),
    *,
    arms: int = 3,
    quantizer: Quantizer | None = None,
    delta: float = 0.05,
    sigma: float = 0.5,
) -> Guarantee:
    """What is claimed at such a width after such a course, by the policy that is usual there."""
    judged = width in EVIDENCE
    spec = make_spec(
        arms=arms,
        width=width,
        delta=delta,
        sigma=sigma,
        quantizer=quantizer or (Dyadic() if judged else Exact()),
    )
    usual = ChallengeElimination() if judged else SuccessiveElimination()
    setup = Setup(spec=spec, policy=policy or usual)
    return guarantee(setup, Outcome.DECIDED, views, (), course)
