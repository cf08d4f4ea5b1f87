"""Small problems of every kind, for property tests of whole runs."""

from hypothesis import strategies as st
from tapes import UNIT, Problem, Tape, make_spec

from bitarm.core.budget import has_phases
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.quantizers import (
    BudgetedDicq,
    Dicq,
    Dyadic,
    Exact,
    FedSel,
    FedSelPaper,
    Icq,
    Quantizer,
    QuBan,
)
from bitarm.core.schedule import (
    GeometricSchedule,
    ListedSchedule,
    LooksSchedule,
    Schedule,
    paper_schedule,
)

BOUNDED: tuple[Quantizer, ...] = (
    Exact(),
    Icq(bits=1, prior="midpoint"),
    Icq(bits=1, prior="uniform"),
    Icq(bits=3, prior="uniform"),
    Icq(bits=2, prior="quban"),
    QuBan(epsilon_quban=0.5),
    FedSel(),
    FedSelPaper(),
    Dicq(kappa=2.5),
    Dyadic(),
    BudgetedDicq(allowances=(2,) * 60, reaches=(0.6,) * 60),
)
UNBOUNDED: tuple[Quantizer, ...] = (
    Exact(),
    Icq(bits=1, prior="quban"),
    Icq(bits=3, prior="quban"),
    QuBan(epsilon_quban=0.5),
    QuBan(epsilon_quban=2.0),
    Dicq(kappa=1.0, kappa_first=3.0),
    Dyadic(kappa=0.5),
    BudgetedDicq(allowances=(5,) * 60, reaches=(3.0,) * 60),
)
POLICY_CHOICES: tuple[Policy, ...] = (
    SuccessiveElimination(),
    SuccessiveElimination(epsilon=0.1),
    Lucb(),
    Lucb(epsilon=0.1),
    LilUcb(),
    LilUcbCount(),
    TopTwo(),
    TopTwo(epsilon=0.1),
    SequentialHalving(pull_budget=200),
    SuccessiveRejects(pull_budget=200),
    ChallengeElimination(),
)
_SCHEDULES: tuple[Schedule, ...] = (
    paper_schedule(2.0),
    paper_schedule(3.0),
    GeometricSchedule(growth=1.5, first=1),
    ListedSchedule(checkpoints=tuple(range(1, 60))),
    ListedSchedule(checkpoints=(3, 4, 20, 21, 90)),
)
_MOST_SAMPLES = 3000  # always limited: equal means would otherwise never end


@st.composite
def problems(
    draw: st.DrawFn,
    quantizer: Quantizer | None = None,
    policy: Policy | None = None,
    *,
    bounded: bool | None = None,
) -> Problem:
    """Small problems of every kind; what is given stays fixed."""
    if bounded is None:
        bounded = draw(st.booleans())
    if quantizer is None:
        quantizer = draw(st.sampled_from(BOUNDED if bounded else UNBOUNDED))
    if policy is None:
        policy = draw(st.sampled_from(POLICY_CHOICES))
    arms = draw(st.integers(2, 5))
    schedule = draw(st.sampled_from(_SCHEDULES))
    if has_phases(policy):
        schedule = ListedSchedule(checkpoints=tuple(phase.until for phase in policy.phases(arms)))
    widths = ["paper", "lil", "intervals", "pairwise", "pairwise-mixture", "sub-gaussian"]
    if policy.stride is Stride.JUDGED:
        quantizer, schedule = Dyadic(), LooksSchedule()  # no other goes with such a policy
        widths = ["bounded", "sub-gaussian"] if bounded else ["sub-gaussian"]
    reach = (0, UNIT) if bounded else (-3 * UNIT, 3 * UNIT)
    tape = Tape(
        seed=draw(st.integers(0, 2**16)),
        means=tuple(draw(st.integers(*reach)) for _ in range(arms)),
        spread=draw(st.sampled_from([0, 100, 500])),
        bounds=(0, UNIT) if bounded else None,
    )
    spec = make_spec(
        arms=arms,
        delta=draw(st.sampled_from([0.3, 0.01])),
        sigma=draw(st.sampled_from([0.03, 0.125, 0.5])),
        bounds=draw(st.sampled_from([(0.0, 1.0), (-1.0, 3.0)])) if bounded else None,
        quantizer=quantizer,
        width=draw(st.sampled_from(widths)),
        schedule=schedule,
        seed=draw(st.integers(0, 2**16)),
    )
    limits = Limits(
        rounds=draw(st.none() | st.integers(5, 40)),
        samples=draw(st.sampled_from([_MOST_SAMPLES, 300, 40])),
        bits=draw(st.sampled_from([None, None, 50, 700])),
    )
    return Problem(spec=spec, policy=policy, limits=limits, tape=tape)
