"""When P(wrong) ≤ δ is claimed, and what is said when it is not."""

from collections.abc import Sequence

import numpy as np
import pytest
from chances import tail
from drives import drive
from tapes import Total, agents_of, make_spec

from bitarm.core.budget import NO_PROOF, BudgetPolicy
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.events import RunEnded
from bitarm.core.guarantee import Course, Guarantee, Incidents, guarantee
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import (
    POLICIES,
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
from bitarm.core.policies.leader import Contest, LeaderPolicy
from bitarm.core.policies.lil_ucb_count import stop_ratio
from bitarm.core.quantizers import Dyadic, Exact, FedSel, FedSelPaper, Icq, Quantizer, QuBan
from bitarm.core.schedule import ListedSchedule, LooksSchedule, Schedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS

_NOBODY = Course(covered=())
_UNIT_BATCHES = ListedSchedule(checkpoints=tuple(range(1, 400)))
_BUDGETED: tuple[BudgetPolicy, ...] = (
    SequentialHalving(pull_budget=100),
    SuccessiveRejects(pull_budget=100),
)
_BY_INTERVALS: tuple[Policy, ...] = (
    SuccessiveElimination(),
    SuccessiveElimination(epsilon=0.01),
    Lucb(),
    LilUcb(),
    TopTwo(),
)


def _end(
    spec: RunSpec,
    policy: Policy,
    total: Total,
    *,
    limits: Limits | None = None,
    caveat: str = "",
) -> RunEnded:
    learner = Learner(Setup(spec=spec, policy=policy, limits=limits or Limits(samples=10**9)))
    if caveat:
        learner.start()
        learner.note(caveat)
        run = _drive_started(learner, total)
    else:
        run = drive(learner, agents_of(learner), total).learner
    assert run.ending is not None
    return run.ending


def _drive_started(learner: Learner, total: Total) -> Learner:
    agents = agents_of(learner)
    while learner.pending:
        for request in learner.pending:
            agent = agents[request.arm]
            agent.receive(request)
            rewards = total(request.arm, agent.state.pulls, agent.wanted)
            for report in agent.observe(agent.wanted, rewards):
                learner.receive(report)
    return learner


def _wide(arm: int, done: int, count: int) -> float:
    return 0.9 * count if arm == 0 else 0.1 * count


def _equal(arm: int, done: int, count: int) -> float:
    return 0.5 * count


@pytest.mark.parametrize("policy", _BY_INTERVALS, ids=lambda policy: policy.name)
@pytest.mark.parametrize("width", ["paper", "lil"])
@pytest.mark.parametrize(
    "quantizer", [Exact(), Icq(bits=1), Icq(bits=3, prior="midpoint"), QuBan(), FedSel()], ids=str
)
def test_an_answer_by_intervals_holds_at_delta(
    policy: Policy, width: str, quantizer: Quantizer
) -> None:
    spec = make_spec(quantizer=quantizer, width=width, delta=0.07)
    ending = _end(spec, policy, _wide)
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    assert ending.guarantee == 0.07
    assert "at most 0.07" in ending.guarantee_reason
    assert f"{spec.sigma:g}-sub-Gaussian" in ending.guarantee_reason


_COUNTED = {
    "exact, lil, single pulls": (Exact(), "lil", _UNIT_BATCHES, None),
    "batches": (Exact(), "lil", paper_schedule(2.0), "batches of one pull"),
    "a first batch of two": (
        Exact(),
        "lil",
        ListedSchedule(checkpoints=tuple(range(2, 400))),
        "batches of one pull",
    ),
    "another width": (Exact(), "paper", _UNIT_BATCHES, "width lil only, not paper"),
    "icq": (Icq(bits=3), "lil", _UNIT_BATCHES, "exact only, not icq"),
    "quban": (QuBan(), "lil", _UNIT_BATCHES, "exact only, not quban"),
    "fed-sel": (FedSel(), "lil", _UNIT_BATCHES, "exact only, not fed-sel"),
    "fed-sel-paper": (FedSelPaper(), "lil", _UNIT_BATCHES, "exact only, not fed-sel-paper"),
}


@pytest.mark.parametrize(("quantizer", "width", "schedule", "why"), _COUNTED.values(), ids=_COUNTED)
def test_an_answer_by_counts_holds_only_where_it_is_proven(
    quantizer: Quantizer, width: str, schedule: Schedule, why: str | None
) -> None:
    spec = make_spec(arms=2, quantizer=quantizer, width=width, schedule=schedule, sigma=0.02)
    ending = _end(spec, LilUcbCount(), _wide)
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    if why is None:
        assert ending.guarantee == spec.delta
    else:
        assert ending.guarantee is None
        assert why in ending.guarantee_reason


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome != Outcome.DECIDED])
def test_no_answer_no_guarantee(outcome: Outcome) -> None:
    claim = guarantee(
        Setup(spec=make_spec(), policy=SuccessiveElimination()), outcome, [], [], _NOBODY
    )
    assert claim.delta is None
    assert claim.reason == f"no answer: the run ended with {outcome.value}"
    noted = guarantee(
        Setup(spec=make_spec(), policy=SuccessiveElimination()), outcome, [], ["a caveat"], _NOBODY
    )
    assert noted.delta is None
    assert noted.reason == f"{claim.reason}; a caveat"


@pytest.mark.parametrize("policy", [*_BY_INTERVALS, LilUcbCount()], ids=lambda policy: policy.name)
def test_a_limit_leaves_neither_answer_nor_guarantee(policy: Policy) -> None:
    ending = _end(make_spec(width="lil"), policy, _equal, limits=Limits(samples=2000))
    assert ending.outcome is Outcome.SAMPLE_LIMIT
    assert ending.best_arm is None
    assert ending.guarantee is None
    assert "sample_limit" in ending.guarantee_reason


@pytest.mark.parametrize("policy", [*_BY_INTERVALS, LilUcbCount()], ids=lambda policy: policy.name)
def test_a_caveat_voids_the_guarantee_and_is_the_reason(policy: Policy) -> None:
    spec = make_spec(arms=2, width="lil", schedule=_UNIT_BATCHES, sigma=0.02)
    assert _end(spec, policy, _wide).guarantee == spec.delta
    ending = _end(spec, policy, _wide, caveat="3 rewards were clipped")
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    assert ending.guarantee is None
    assert ending.guarantee_reason == "3 rewards were clipped"


def test_every_policy_was_asked() -> None:
    asked = (*_BY_INTERVALS, LilUcbCount(), *_BUDGETED, ChallengeElimination())
    assert {policy.name for policy in asked} == set(POLICIES)


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_an_answer_by_evidence_holds_at_delta(width: str) -> None:
    spec = make_spec(quantizer=Dyadic(), width=width, delta=0.07, schedule=LooksSchedule())
    ending = _end(spec, ChallengeElimination(), _wide)
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    assert ending.guarantee == 0.07
    assert "at most 0.07" in ending.guarantee_reason
    lie, are = "rewards lie in [0, 1]", " and are 0.25-sub-Gaussian"
    assert (lie if width == "bounded" else lie + are) in ending.assumptions


@pytest.mark.parametrize("policy", _BUDGETED, ids=lambda policy: policy.name)
def test_a_spent_budget_answers_and_claims_nothing(policy: BudgetPolicy) -> None:
    grid = tuple(phase.until for phase in policy.phases(3))
    spec = make_spec(arms=3, schedule=ListedSchedule(checkpoints=grid))
    ending = _end(spec, policy, _wide, caveat="3 rewards were clipped")
    assert (ending.outcome, ending.best_arm) == (Outcome.BUDGET_SPENT, 0)
    assert ending.guarantee is None
    assert ending.guarantee_reason == f"{NO_PROOF}; 3 rewards were clipped"


@pytest.mark.parametrize("policy", _BUDGETED, ids=lambda policy: policy.name)
def test_a_spent_budget_says_which_arms_it_speaks_of(policy: BudgetPolicy) -> None:
    course = Course(covered=(0, 2), lost=(1,))
    claim = guarantee(Setup(spec=make_spec(), policy=policy), Outcome.BUDGET_SPENT, [], [], course)
    assert claim.delta is None
    assert claim.reason.startswith(NO_PROOF)
    assert "not arm-1" in claim.reason


# -- what is left of δ once agents have forgotten -------------------------------------------------

_UNIONS = ("paper", "pairwise")
_PATHS = ("lil", "intervals", "pairwise-mixture", "sub-gaussian", "bounded")


def _claim(width: str, lives: tuple[int, ...], delta: float = 0.05) -> Guarantee:
    spec = make_spec(arms=len(lives), width=width, delta=delta)
    course = Course(covered=range(len(lives)), lives=lives)
    return guarantee(
        Setup(spec=spec, policy=SuccessiveElimination()), Outcome.DECIDED, [], [], course
    )


def test_every_width_says_whether_it_holds_along_a_path() -> None:
    unions = {name for name, width in WIDTHS.items() if not width.along_path}
    assert (unions, set(WIDTHS) - unions) == (set(_UNIONS), set(_PATHS))


@pytest.mark.parametrize("width", [*_UNIONS, *_PATHS])
def test_nothing_is_paid_for_agents_that_forgot_nothing(width: str) -> None:
    claim = _claim(width, (1, 1, 1))
    assert claim.delta == 0.05
    assert "forgot" not in claim.reason
    assert claim == guarantee(
        Setup(spec=make_spec(width=width, delta=0.05), policy=SuccessiveElimination()),
        Outcome.DECIDED,
        [],
        [],
        Course(covered=range(3)),
    )


@pytest.mark.parametrize("lives", [(2, 1, 1), (3, 1, 4), (50, 60, 70)])
@pytest.mark.parametrize("width", _UNIONS)
def test_a_union_over_checkpoints_keeps_delta_however_often_agents_forget(
    width: str, lives: tuple[int, ...]
) -> None:
    claim = _claim(width, lives)
    assert claim.delta == 0.05
    assert "what agents forgot does not depend on the rewards" in claim.assumptions[-1]
    assert "is counted" not in claim.reason


@pytest.mark.parametrize(
    ("lives", "factor"),
    [
        ((2, 1, 1), 2),  # once
        ((1, 3, 1), 3),
        ((2, 1, 2), 4),
        ((2, 2, 2), 4),  # the best arm and one other: two sequences each
        ((3, 1, 4), 12),
        ((1, 1, 19), 19),
        ((1, 1, 20), None),  # δ·20 = 1: nothing is left to claim
        ((5, 4, 1), None),
        ((50, 60, 70), None),
    ],
)
@pytest.mark.parametrize("width", _PATHS)
def test_a_width_along_a_path_pays_for_each_pair_of_sequences(
    width: str, lives: tuple[int, ...], factor: int | None
) -> None:
    claim, forgot = _claim(width, lives), sum(lives) - len(lives)
    if factor is None:
        assert claim.delta is None
        assert claim.reason.startswith(f"agents lost their memory {forgot} times")
        assert ";" not in claim.reason  # nothing else was paid for
        return
    assert claim.delta == pytest.approx(factor * 0.05)
    assert f"at most {claim.delta:g}" in claim.reason
    assert ("once" if forgot == 1 else f"{forgot} times") in claim.reason
    assert f"δ is counted {factor} times" in claim.reason


def test_a_caveat_outweighs_what_is_left_of_delta() -> None:
    spec, course = make_spec(width="lil"), Course(covered=range(3), lives=(2, 1, 1))
    claim = guarantee(
        Setup(spec=spec, policy=Lucb()), Outcome.DECIDED, [], ["two processes"], course
    )
    assert (claim.delta, claim.reason) == (None, "two processes")
    unproven = Setup(spec=spec, policy=LilUcbCount())
    claim = guarantee(unproven, Outcome.DECIDED, [], ["two processes"], course)
    assert (claim.delta, claim.reason) == (None, "two processes")


class _Wordless(LeaderPolicy):
    """A policy of somebody's own, which has an objection and no words for it."""

    name = "wordless"
    epsilon = 0.0

    def due(self, contest: Contest) -> Sequence[ArmView]:
        return [contest.leader]

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        return ""


@pytest.mark.parametrize(("policy", "caveats"), [(_Wordless(), []), (Lucb(), [""])])
def test_what_has_no_words_voids_the_guarantee_too(policy: Policy, caveats: list[str]) -> None:
    setup, course = Setup(spec=make_spec(width="lil"), policy=policy), Course(covered=range(3))
    assert guarantee(setup, Outcome.DECIDED, [], caveats, course).delta is None
    sound = Setup(spec=make_spec(width="lil"), policy=Lucb())
    assert guarantee(sound, Outcome.DECIDED, [], [], course).delta is not None


# -- why the count rule claims nothing over a quantizer -------------------------------------------

_RUNS = 300


@pytest.mark.parametrize(
    ("quantizer", "bounds"),
    [(Icq(bits=1, prior="midpoint"), (0.0, 1.0)), (Icq(bits=1, prior="quban"), None)],
    ids=str,
)
def test_the_count_rule_really_fails_over_one_bit_and_claims_nothing(
    quantizer: Quantizer, bounds: tuple[float, float] | None
) -> None:
    """δ = 0.05, K = 2, a gap of 0.01, α = 3: the notes' failure, with the larger, proven λ.

    With α = 3 pulls are powers of 3, and every λ between 9 and 26 stops at the same counts.
    """
    delta, means = 0.05, (0.49, 0.50)
    assert 9 < stop_ratio(2, delta) < 26
    wrong = 0
    for seed in range(_RUNS):
        rng = np.random.default_rng([1, seed])
        spec = make_spec(
            arms=2,
            delta=delta,
            sigma=0.5,
            bounds=bounds,
            quantizer=quantizer,
            width="lil",
            schedule=paper_schedule(3.0),
            seed=seed,
        )
        ending = _end(spec, LilUcbCount(), _bernoulli(rng, means), limits=Limits(rounds=100))
        assert ending.outcome is Outcome.DECIDED
        assert ending.guarantee is None
        assert "exact only" in ending.guarantee_reason
        wrong += ending.best_arm == 0
    assert tail(wrong, _RUNS, delta) < 1e-9  # far more wrong answers than δ allows


def _bernoulli(rng: np.random.Generator, means: tuple[float, ...]) -> Total:
    return lambda arm, done, count: float(rng.binomial(count, means[arm]))


# -- evidence along a pair's counts, which a restored learner may set back ------------------------


def _restored(policy: Policy, width: str, restores: int) -> Guarantee:
    quantizer = Dyadic() if policy.stride is Stride.JUDGED else Exact()
    setup = Setup(spec=make_spec(quantizer=quantizer, width=width, delta=0.05), policy=policy)
    course = Course(covered=range(3), incidents=Incidents(resumed=True, restores=restores))
    return guarantee(setup, Outcome.DECIDED, [], [], course)


_NEWEST = "the journal that the run was resumed from was its newest"


@pytest.mark.parametrize(
    ("policy", "width"), [(Lucb(), "sub-gaussian"), (ChallengeElimination(), "bounded")]
)
def test_a_lost_past_is_paid_for_where_counts_of_a_pair_may_go_back(
    policy: Policy, width: str
) -> None:
    assert [_restored(policy, width, times).delta for times in (0, 1, 2)] == pytest.approx(
        [0.05, 0.15, 0.45]
    )
    assert _NEWEST in _restored(policy, width, 0).assumptions
    others = "for that), and every other was its newest"  # who is not asked cannot tell
    assert f"noticed once: δ is counted 3 times {others}" in _restored(policy, width, 1).reason
    assert f"noticed 2 times: δ is counted 9 times {others}" in _restored(policy, width, 2).reason
    spent = _restored(policy, width, 3)
    assert spent.delta is None
    assert spent.reason.startswith("agents remember more than the journal")
    assert ";" not in spent.reason


@pytest.mark.parametrize(
    ("policy", "width"),
    [(Lucb(), "paper"), (SuccessiveElimination(), "sub-gaussian"), (Lucb(), "pairwise")],
)
def test_and_not_where_they_cannot(policy: Policy, width: str) -> None:
    claim = _restored(policy, width, 2)
    assert claim.delta == 0.05
    assert "journal" not in claim.reason
