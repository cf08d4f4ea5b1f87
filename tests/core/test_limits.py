"""Limits: each has its own outcome, none is exceeded, and none ends a run too early."""

from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from drives import Run, drive, drive_problem
from hypothesis import given, settings
from problems import problems
from tapes import UNIT, Problem, Tape, agents_of, make_spec

from bitarm.core.events import ReportAccepted, RoundOpened, RunEnded
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb, LilUcbCount, Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.schedule import ListedSchedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError

_POLICIES: tuple[Policy, ...] = (SuccessiveElimination(), Lucb(), LilUcb(), LilUcbCount())
_FIXED: tuple[Quantizer, ...] = (Exact(), Icq(bits=1), Icq(bits=3), FedSel())
_VARIABLE: tuple[Quantizer, ...] = (QuBan(), Icq(bits=2, prior="quban"))
_OUTCOMES = {
    "rounds": Outcome.ROUND_LIMIT,
    "samples": Outcome.SAMPLE_LIMIT,
    "bits": Outcome.BIT_LIMIT,
}


# -- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", _OUTCOMES)
@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_at_least_1(name: str, limit: int) -> None:
    with pytest.raises(ConfigError, match=f"limit on {name} must be at least 1, got {limit}"):
        Limits(**{name: limit})


@pytest.mark.parametrize(
    ("limits", "spent", "expected"),
    [
        (Limits(), (10**9, 10**12, 10**12), None),
        (Limits(rounds=2, samples=20, bits=200), (2, 20, 200), None),
        (Limits(rounds=2, samples=20, bits=200), (3, 20, 200), Outcome.ROUND_LIMIT),
        (Limits(rounds=2, samples=20, bits=200), (2, 21, 200), Outcome.SAMPLE_LIMIT),
        (Limits(rounds=2, samples=20, bits=200), (2, 20, 201), Outcome.BIT_LIMIT),
        (Limits(rounds=2, samples=20, bits=200), (3, 21, 201), Outcome.ROUND_LIMIT),
        (Limits(rounds=2, samples=20, bits=200), (2, 21, 201), Outcome.SAMPLE_LIMIT),
    ],
)
def test_a_limit_may_be_met_and_not_passed(
    limits: Limits, spent: tuple[int, int, int], expected: Outcome | None
) -> None:
    rounds, samples, bits = spent
    assert limits.reached(rounds=rounds, samples=samples, bits=bits) is expected


# -- runs -----------------------------------------------------------------------------------------


def _problem(policy: Policy, quantizer: Quantizer, limits: Limits) -> Problem:
    return Problem(
        spec=make_spec(quantizer=quantizer, sigma=0.1, seed=3),
        policy=policy,
        limits=limits,
        tape=Tape(seed=1, means=(820, 300, 600), spread=150, bounds=(0, UNIT)),
    )


def _bill(run: Run) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """What had been spent after each round, and what had to be reckoned with before each."""
    rounds = [event for event in run.events if isinstance(event, RoundOpened)]
    reports = [event for event in run.events if isinstance(event, ReportAccepted)]
    spec = run.learner.spec
    before = dict.fromkeys(range(len(spec.arms)), 0)
    samples, bits, least = [], [], []
    for opened in rounds:
        here = {event.arm: event for event in reports if event.round == opened.round}
        assert set(here) == {request.arm for request in opened.requests}
        steps = [spec.occasion(here[arm].message, here[arm].pulls) for arm in here]
        samples.append(sum(event.pulls - before[arm] for arm, event in here.items()))
        bits.append(sum(event.symbol.nbits for event in here.values()))
        least.append(sum(spec.quantizer.least_bits(step) for step in steps))
        before |= {arm: event.pulls for arm, event in here.items()}
    spent = {
        "rounds": list(accumulate(1 for _ in rounds)),
        "samples": list(accumulate(samples)),
        "bits": list(accumulate(bits)),
    }
    spent_bits = [0, *spent["bits"]]
    needed = spent | {"bits": [spent_bits[i] + extra for i, extra in enumerate(least)]}
    return spent, needed


@pytest.mark.parametrize("name", _OUTCOMES)
@pytest.mark.parametrize("quantizer", [*_FIXED, *_VARIABLE], ids=str)
@pytest.mark.parametrize("policy", _POLICIES, ids=lambda policy: policy.name)
def test_a_limited_run_ends_exactly_before_the_round_that_would_pass_the_limit(
    policy: Policy, quantizer: Quantizer, name: str
) -> None:
    free = drive_problem(_problem(policy, quantizer, Limits()))
    assert free.ending.outcome is Outcome.DECIDED
    spent, needed = _bill(free)
    caps = {cap for cost in needed[name] for cap in (cost - 1, cost, cost + 1) if cap >= 1}
    for cap in caps:
        ending = drive_problem(_problem(policy, quantizer, Limits(**{name: cap}))).ending
        passing = [number for number, cost in enumerate(needed[name]) if cost > cap]
        if not passing:
            assert ending == free.ending
            continue
        begun = passing[0]
        assert ending.outcome is _OUTCOMES[name]
        assert (ending.best_arm, ending.guarantee) == (None, None)
        assert ending.guarantee_reason == f"no answer: the run ended with {ending.outcome.value}"
        assert (ending.rounds, ending.samples, ending.payload_bits) == tuple(
            (spent[key][begun - 1] if begun else 0) for key in _OUTCOMES
        )
        if name != "bits" or quantizer in _FIXED:
            assert spent[name][begun - 1 : begun] <= [cap]


@settings(deadline=None, max_examples=200)
@given(problem=problems())
def test_rounds_and_samples_are_never_exceeded_nor_bits_of_fixed_length(problem: Problem) -> None:
    ending, limits = drive_problem(problem).ending, problem.limits
    assert limits.rounds is None or ending.rounds <= limits.rounds
    assert limits.samples is None or ending.samples <= limits.samples
    quantizer = problem.spec.quantizer
    varied = quantizer.name in ("quban", "dicq", "dyadic")
    fixed = not varied and getattr(quantizer, "prior", None) != "quban"
    if fixed and limits.bits is not None:
        assert ending.payload_bits <= limits.bits


def test_a_limit_below_the_first_round_ends_before_it() -> None:
    run = drive_problem(_problem(SuccessiveElimination(), Exact(), Limits(samples=5)))
    assert run.ending.outcome is Outcome.SAMPLE_LIMIT
    assert (run.ending.rounds, run.ending.samples, run.ending.payload_bits) == (0, 0, 0)
    assert len(run.dismissals) == 3


@pytest.mark.parametrize("name", _OUTCOMES)
@pytest.mark.parametrize("quantizer", [*_FIXED, *_VARIABLE], ids=str)
@pytest.mark.parametrize("policy", _POLICIES, ids=lambda policy: policy.name)
def test_equal_means_end_by_a_limit_and_without_an_answer(
    policy: Policy, quantizer: Quantizer, name: str
) -> None:
    # low enough that the schedule's own end, a limit on samples, lies beyond
    cap = {"rounds": 12, "samples": 100_000, "bits": 1_000 if quantizer == Exact() else 40}[name]
    spec = make_spec(arms=2, quantizer=quantizer)
    learner = Learner(Setup(spec=spec, policy=policy, limits=Limits(**{name: cap})))
    ending = drive(learner, agents_of(learner), lambda arm, done, count: 0.3 * count).ending
    assert ending.outcome is _OUTCOMES[name]
    assert ending.rounds > 1
    assert (ending.best_arm, ending.guarantee) == (None, None)


@pytest.mark.parametrize("quantizer", [*_FIXED, *_VARIABLE], ids=str)
@pytest.mark.parametrize("policy", _POLICIES, ids=lambda policy: policy.name)
def test_the_end_of_the_schedule_is_a_limit_on_samples(
    policy: Policy, quantizer: Quantizer
) -> None:
    spec = make_spec(quantizer=quantizer, schedule=ListedSchedule(checkpoints=(2, 5, 6)))
    learner = Learner(Setup(spec=spec, policy=policy))
    agents = agents_of(learner)
    ending = drive(learner, agents, lambda arm, done, count: 0.5 * count).ending
    assert ending.outcome is Outcome.SAMPLE_LIMIT
    assert (ending.best_arm, ending.guarantee) == (None, None)
    assert max(agent.state.pulls for agent in agents) == 6


# -- tolerance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantizer", [Exact(), Icq(bits=3), QuBan(), FedSel()], ids=str)
@pytest.mark.parametrize(
    "policy", [SuccessiveElimination(), Lucb(), LilUcb()], ids=lambda policy: policy.name
)
def test_a_tolerance_costs_fewer_samples_and_its_answer_lies_within_it(
    policy: SuccessiveElimination | Lucb | LilUcb, quantizer: Quantizer
) -> None:
    epsilon, means = 0.1, (0.50, 0.54, 0.30)  # either of the first two will do
    tolerant_policy = replace(policy, epsilon=epsilon)
    strict = [_noisy_ending(policy, quantizer, means, seed) for seed in range(20)]
    tolerant = [_noisy_ending(tolerant_policy, quantizer, means, seed) for seed in range(20)]
    assert all(ending.best_arm == 1 for ending in strict)
    for ending, dear in zip(tolerant, strict, strict=True):
        assert ending.outcome is Outcome.DECIDED
        assert ending.best_arm is not None
        assert max(means) - means[ending.best_arm] <= epsilon
        assert ending.samples < dear.samples / 2


def _noisy_ending(
    policy: Policy, quantizer: Quantizer, means: tuple[float, ...], seed: int
) -> RunEnded:
    rng = np.random.default_rng([2, seed])
    spec = make_spec(quantizer=quantizer, sigma=0.1, seed=seed)
    learner = Learner(Setup(spec=spec, policy=policy))

    def total(arm: int, done: int, count: int) -> float:
        return float(rng.normal(means[arm] * count, 0.1 * count**0.5))

    return drive(learner, agents_of(learner), total).ending
