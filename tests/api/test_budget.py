"""A fixed budget in words: what is refused, what follows from it, and that it is never exceeded."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitarm.api.identify import identify
from bitarm.api.scheme import build
from bitarm.api.simulate import simulate
from bitarm.api.words import split
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SequentialHalving, SuccessiveRejects
from bitarm.core.quantizers import BudgetedDicq, Dicq, Icq
from bitarm.core.schedule import ListedSchedule
from bitarm.errors import ConfigError
from bitarm.sim.models import Bernoulli

_HALVING: dict[str, Any] = {"policy": "sequential-halving", "pull_budget": 240}
_ICQ: dict[str, Any] = {"quantizer": "icq"}
_UNIT: dict[str, Any] = {"bounds": (0.0, 1.0)}


def _setup(arms: int = 8, **words: Any) -> Any:
    problem, scheme, limits = split(words)
    names = tuple(f"arm-{arm}" for arm in range(arms))
    return build(names, seed=1, problem=problem, scheme=scheme, limits=limits)


_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"policy": "sequential-halving"}, "sequential-halving needs a pull_budget"),
    (
        {"pull_budget": 100},
        "pull_budget does not apply to the policy challenge; it is for sequential-",
    ),
    (
        {"bit_budget": 100},
        "bit_budget does not apply to the policy challenge: it is for sequential-",
    ),
    ({"interval_delta": 0.1}, "interval_delta does not apply to the policy challenge: it is for s"),
    (_HALVING | {"pull_budget": 23}, "pull_budget must be at least 24 for sequential-halving"),
    (
        {"policy": "successive-rejects", "pull_budget": 7},
        "pull_budget must be at least 8 for successive-rejects with 8 arms, got 7",
    ),
    (_HALVING | {"delta": 0.1}, "delta does not apply to the policy sequential-halving: a fixed"),
    (_HALVING | {"epsilon": 0.1}, "epsilon does not apply to the policy sequential-halving"),
    (_HALVING | {"growth": 3.0}, "growth does not apply .* checkpoints follow from pull_budget"),
    (_HALVING | {"first": 3}, "first does not apply .* checkpoints follow from pull_budget"),
    (_HALVING | {"checkpoints": [3, 9]}, "checkpoints does not apply"),
    (_HALVING | {"max_rounds": 3}, "max_rounds does not apply .*: its budget is its limit"),
    (_HALVING | {"max_samples": 3}, "max_samples does not apply"),
    (_HALVING | {"max_bits": 3}, "max_bits does not apply"),
    (_HALVING | {"quantizer": "exact", "width": "paper"}, "width does not apply .* no interval"),
    (_HALVING | {"quantizer": "dicq", "interval_delta": 0.1}, "interval_delta does not apply"),
    (_HALVING | _ICQ | {"interval_delta": 1.0}, r"interval_delta must lie in \(0, 1\), got 1.0"),
    (_HALVING | _ICQ | {"bit_budget": 100, "bits": 3}, "bits does not apply .* bit_budget sets it"),
    (
        _HALVING | {"bit_budget": 100, "quantizer": "dicq", "kappa": 1.0},
        "kappa does not apply .* bit_budget sets it",
    ),
    (
        _HALVING | {"bit_budget": 100, "quantizer": "dicq", "kappa_first": 1.0},
        "kappa_first does not apply .* covers the bounds",
    ),
    (
        _HALVING | _ICQ | {"bit_budget": 13},
        "bit_budget must be at least 14, got 13, which does not suffice: sequential-halving hears "
        "14 messages of 8 arms, and icq needs 1 bit for each",
    ),
    (
        _HALVING | {"bit_budget": 7, "quantizer": "dicq"},
        r"at least 14, got 7, .* \(not even to hear from every arm once\): .* dicq needs 1 bit",
    ),
    (
        _HALVING | {"bit_budget": 895, "quantizer": "exact"},
        "bit_budget must be at least 896, got 895, .* exact needs 64 bits for each",
    ),
    (
        _HALVING | {"bit_budget": 100, "quantizer": "quban"},
        "quban have no fixed length, which a bit_budget needs",
    ),
    (
        _HALVING | _ICQ | {"bit_budget": 100, "prior": "quban"},
        "begins with a message of any length, .*: give bounds, or use the quantizer dicq",
    ),
    (_HALVING | {"quantizer": "dicq-budget"}, "quantizer must be one of .* got 'dicq-budget'"),
]


@pytest.mark.parametrize(("words", "message"), _REFUSED, ids=lambda value: str(value)[:60])
def test_what_makes_no_sense_is_refused_and_says_what_would(
    words: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        _setup(**_UNIT, **words)


def test_the_checkpoints_follow_from_the_budget() -> None:
    setup = _setup(**_UNIT, **_HALVING)
    assert setup.policy == SequentialHalving(pull_budget=240)
    assert setup.spec.schedule == ListedSchedule(checkpoints=(10, 30, 70))


def test_without_a_bit_budget_the_words_of_the_quantizer_apply() -> None:
    assert _setup(**_UNIT, **_HALVING, **_ICQ, bits=5).spec.quantizer.bits == 5
    fine = _setup(**_UNIT, **_HALVING, quantizer="dicq", kappa=0.1)
    assert fine.spec.quantizer == Dicq(kappa=0.1, kappa_first=0.5)


def test_the_bits_of_icq_are_an_equal_share() -> None:
    quantizer = _setup(**_UNIT, **_HALVING, **_ICQ, bit_budget=14 * 3 + 13).spec.quantizer
    assert quantizer == Icq(bits=3, prior="uniform")


def test_what_equal_shares_leave_goes_to_early_messages_of_dicq() -> None:
    quantizer = _setup(**_UNIT, **_HALVING, quantizer="dicq", bit_budget=14 * 3 + 11).spec.quantizer
    assert isinstance(quantizer, BudgetedDicq)
    assert quantizer.allowances == (4, 3, 4)  # 8 + 2 of the 11


def test_without_bounds_dicq_reaches_so_many_deviations() -> None:
    words = _HALVING | {"quantizer": "dicq", "bit_budget": 28, "sigma": 2.0, "kappa_first": 3.0}
    quantizer = _setup(**words).spec.quantizer
    assert isinstance(quantizer, BudgetedDicq)
    assert quantizer.reaches[0] == pytest.approx(3.0 * 2.0 / (1 - 1 / 4))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_neither_budget_is_ever_exceeded(data: st.DataObject) -> None:
    arms = data.draw(st.integers(2, 9))
    policy: Any = data.draw(st.sampled_from([SequentialHalving, SuccessiveRejects]))
    budget = data.draw(st.integers(arms * 4, 600))
    count = sum(phase.arms for phase in policy(pull_budget=budget).phases(arms))
    quantizer = data.draw(st.sampled_from(["icq", "dicq", "exact"]))
    bits = data.draw(
        st.integers(count, 40 * count) if quantizer != "exact" else st.just(64 * count)
    )
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    wild = data.draw(st.booleans())  # rewards that no model would expect

    def reward() -> float:
        return float(rng.random() < 0.5) if wild else min(max(rng.gauss(0.5, 0.2), 0.0), 1.0)

    result = identify(
        {f"arm-{arm}": reward for arm in range(arms)},
        seed=3,
        policy=policy.name,
        pull_budget=budget,
        quantizer=quantizer,
        bit_budget=bits,
        bounds=(0.0, 1.0),
        sigma=0.01 if wild else 0.5,
    )
    assert (result.outcome, result.guarantee) == (Outcome.BUDGET_SPENT, None)
    assert result.best_arm is not None
    assert budget - 1 <= result.samples <= budget
    assert result.payload_bits <= bits
    assert result.payload_bits > bits - count or quantizer == "icq" or bits > 32 * count


def test_the_result_has_budgets_in_place_of_delta() -> None:
    result = identify(
        {"a": lambda: 0.2, "b": lambda: 0.9}, seed=1, bit_budget=9, **_UNIT, **_HALVING, **_ICQ
    ).to_json()
    assert (result["best_arm"], result["outcome"], result["guarantee"]) == (1, "budget_spent", None)
    assert (result["delta"], result["interval_delta"], result["width"]) == (None, 0.05, "pairwise")
    assert (result["pull_budget"], result["bit_budget"]) == (240, 9)
    assert all(arm["radius"] is None for arm in result["arms"])  # nothing is claimed of any arm


def test_in_a_sweep_words_are_left_out_where_they_do_not_apply() -> None:
    points = simulate(
        [Bernoulli(mean=mean) for mean in (0.2, 0.5, 0.9)],
        trials=20,
        seed=1,
        policy=["se", "sequential-halving"],
        quantizer=["exact", "icq"],
        delta=0.1,
        growth=3.0,
        pull_budget=60,
        interval_delta=[0.1, 0.2],
        bounds=(0.0, 1.0),
    ).to_json()["results"]
    said = [
        (
            point["policy"],
            point["quantizer"],
            point["delta"],
            point.get("pull_budget"),
            point.get("interval_delta"),
        )
        for point in points
    ]
    assert said == [
        ("se", "exact", 0.1, None, None),
        ("se", "icq", 0.1, None, None),
        ("sequential-halving", "exact", None, 60, None),
        ("sequential-halving", "icq", None, 60, 0.1),
        ("sequential-halving", "icq", None, 60, 0.2),
    ]
    assert [point["guarantee"] for point in points] == [0.1, 0.1, None, None, None]
    assert points[2]["outcomes"] == {"budget_spent": 20}
