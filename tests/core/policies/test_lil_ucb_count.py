"""lil'UCB as published: its rule of counting pulls, and the constant in it."""

import math
from collections.abc import Iterable

import pytest
from core.hand_made import Given, unheard

from bitarm.core.confidence import ArmView
from bitarm.core.guarantee import claim_ahead
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb, LilUcbCount
from bitarm.core.policies.lil_ucb import lil_index
from bitarm.core.policies.lil_ucb_count import stop_ratio
from bitarm.core.policy import Action, Advance, PolicyContext, Stop
from bitarm.core.quantizers import Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.schedule import ListedSchedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.core.widths.lil import delta_prime

ARMS, DELTA = 3, 0.05
CONTEXT = PolicyContext(
    arms=ARMS,
    delta=DELTA,
    confidence=Given(),
    schedule=ListedSchedule(checkpoints=tuple(range(1, 1000))),
)


def seen(arm: int, mean: float, radius: float, pulls: int) -> ArmView:
    return ArmView(arm=arm, mean=mean, pulls=pulls, messages=pulls, index=pulls, error=radius)


def decide(*views: ArmView) -> tuple[Action, ...]:
    return LilUcbCount().decide(views, CONTEXT)


def test_every_arm_is_heard_once_first() -> None:
    assert decide(unheard(0), unheard(1)) == (Advance(arm=0, until=1), Advance(arm=1, until=1))
    assert decide(seen(0, 1.0, 1.0, 1), unheard(1)) == (Advance(arm=1, until=1),)


@pytest.mark.parametrize(
    ("first", "second", "advanced"),
    [  # mean and radius of two arms
        ((1.0, 0.125), (0.75, 0.3125), 1),  # UCB: 1.125 and 1.0625; 2·radius: 1.25 and 1.375
        ((1.0, 0.5), (0.5, 0.6875), 0),  # 2·radius: 2.0 and 1.875; 3·radius: 2.5 and 2.5625
    ],
)
def test_it_samples_by_twice_the_radius_as_lil_ucb_does(
    first: tuple[float, float], second: tuple[float, float], advanced: int
) -> None:
    views = [seen(0, *first, 5), seen(1, *second, 5), seen(2, 0.0, 0.25, 3)]
    assert LilUcbCount().decide(views, CONTEXT) == (Advance(arm=advanced, until=6),)
    assert LilUcb().decide(views, CONTEXT) == (Advance(arm=advanced, until=6),)


def test_the_index_is_the_mean_and_twice_the_radius() -> None:
    assert lil_index(Given())(seen(0, 0.75, 0.3125, 4)) == 1.375


@pytest.mark.parametrize("others", [(1, 1), (1, 7), (3, 4), (10, 20)])
def test_it_stops_at_one_more_than_lambda_times_the_other_pulls(others: tuple[int, int]) -> None:
    enough = math.ceil(1 + stop_ratio(ARMS, DELTA) * sum(others))

    def views(most: int) -> Iterable[ArmView]:
        yield seen(0, 5.0, 0.25, others[0])
        yield seen(1, 1.0, 9.0, most)  # the answer is the most pulled arm, whatever its mean
        yield seen(2, 0.0, 0.25, others[1])

    assert decide(*views(enough)) == (Stop(outcome=Outcome.DECIDED, best_arm=1),)
    assert decide(*views(enough - 1)) == (Advance(arm=1, until=enough),)


def test_the_end_of_the_grid_is_a_limit_on_samples() -> None:
    views = (seen(0, 5.0, 0.25, 999), seen(1, 1.0, 0.25, 900), seen(2, 0.0, 0.25, 1))
    assert decide(*views) == (Stop(outcome=Outcome.SAMPLE_LIMIT),)


SINGLE = (seen(0, 1.0, 0.1, 50), seen(1, 0.0, 0.1, 3))
BATCHED = (
    ArmView(arm=0, mean=1.0, pulls=64, messages=6, index=6, error=0.0),
    ArmView(arm=1, mean=0.0, pulls=2, messages=1, index=1, error=0.0),
)


def spec(quantizer: Quantizer, width: str) -> RunSpec:
    return RunSpec(
        arms=("a", "b"),
        delta=0.05,
        sigma=1.0,
        bounds=(0.0, 1.0),
        quantizer=quantizer,
        width=width,
        schedule=paper_schedule(2),
        priors=(),
        seed=0,
    )


@pytest.mark.parametrize(
    ("quantizer", "width", "views", "objection"),
    [
        (Exact(), "lil", SINGLE, None),
        (Icq(prior="midpoint"), "lil", SINGLE, "quantizer exact only, not icq"),
        (QuBan(), "lil", SINGLE, "quantizer exact only, not quban"),
        (FedSel(), "paper", BATCHED, "quantizer exact only, not fed-sel"),
        (Exact(), "paper", SINGLE, "width lil only, not paper"),
        (Exact(), "lil", BATCHED, "batches of one pull only"),
        (Exact(), "lil", (SINGLE[0], BATCHED[1]), "batches of one pull only"),
    ],
)
def test_it_claims_nothing_outside_its_proof(
    quantizer: Quantizer, width: str, views: tuple[ArmView, ...], objection: str | None
) -> None:
    said = LilUcbCount().objection(spec(quantizer, width), views)
    if objection is None:
        assert said is None
    else:
        assert said is not None
        assert objection in said


@pytest.mark.parametrize(
    ("checkpoints", "claims"), [((1, 2, 3), True), ((1, 2, 4), False), ((1, 3), False)]
)
def test_what_it_will_claim_is_known_from_its_checkpoints(
    checkpoints: tuple[int, ...], *, claims: bool
) -> None:
    setup = Setup(spec=spec(Exact(), "lil"), policy=LilUcbCount())
    assert (claim_ahead(setup, checkpoints).delta is not None) is claims


PROBLEMS = [
    (arms, delta)
    for arms in (2, 3, 5, 10, 50, 1000, 10**6)
    for delta in (0.999, 0.5, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-10, 1e-15)
]


def squared_width(pulls: float, omega: float) -> float:
    """L(N)/N, to which the squared lil width is proportional."""
    return math.log(math.log(1.01 * max(pulls, 2)) / omega) / pulls


def first_counts() -> list[int]:
    dense = list(range(1, 3000))
    sparse = [round(1.05**k) for k in range(165, 1200)]
    return dense + [n for n in sparse if n <= 10**24]


@pytest.mark.parametrize(("arms", "delta"), PROBLEMS)
def test_lambda_is_large_enough_for_the_proof(arms: int, delta: float) -> None:
    # The proof needs: from N ≥ λ·N_1 on, a width is at most a third of the one at N_1.
    lam, omega = stop_ratio(arms, delta), delta_prime(arms, delta)
    for n_1 in first_counts():
        for factor in (1, 1.01, 2, 100):
            n = lam * n_1 * factor
            assert 9 * squared_width(n, omega) <= squared_width(n_1, omega), (n_1, factor)


def test_the_published_constant_is_not_large_enough() -> None:
    short = [
        (arms, delta)
        for arms, delta in PROBLEMS
        if 9 * squared_width(9 * 2, delta_prime(arms, delta))
        > squared_width(2, delta_prime(arms, delta))
    ]
    assert short == PROBLEMS  # λ = 9 fails at N_1 = 2 whatever K and δ


@pytest.mark.parametrize(
    ("arms", "delta", "expected"),
    [  # computed with 50 decimal digits
        (2, 0.05, 11.212184573399738026),
        (5, 1e-5, 10.506803403257903153),
        (10, 0.1, 11.111417927040955346),
    ],
)
def test_lambda_values(arms: int, delta: float, expected: float) -> None:
    assert stop_ratio(arms, delta) == pytest.approx(expected, rel=1e-13)
