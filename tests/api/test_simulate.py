"""`simulate`: the settings that a sweep crosses, the shape of its results, paired differences."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bitarm.api.simulate import Simulation, crossed, simulate
from bitarm.errors import ConfigError
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Bernoulli, Gaussian, Poisson, RewardModel
from bitarm.sim.sweep import MEASURES
from bitarm.sim.trials import Trials

_COINS = (Bernoulli(mean=0.7), Bernoulli(mean=0.4))

_SETTINGS = [
    *("policy", "epsilon", "width", "delta", "sigma", "bounds", "growth", "first"),
    *("guarantee", "guarantee_reason", "assumptions"),
]
_RESULTS = [*MEASURES, "error_rate", "outcomes", "undecided", "less_first"]


def _text(simulation: Simulation) -> str:
    return json.dumps(simulation.to_json())


def _settings(point: dict[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in point.items() if word not in _RESULTS}


def _trials(simulation: Simulation, models: tuple[RewardModel, ...]) -> list[Trials]:
    """What the engine gives for the first chunk of a simulation, trial by trial."""
    seeds = np.random.SeedSequence(simulation.seed, spawn_key=(0,))
    engine = Engine([point.setup for point in simulation.points], environment_of(models))
    assert simulation.trials <= min(engine.block, 500)  # one chunk, one block
    return engine.run(np.random.Generator(np.random.SFC64(seeds)), simulation.trials)


# The shape of the results.


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ({"quantizer": "icq"}, ["bits", "prior"]),
        ({"quantizer": "exact"}, []),
        ({"quantizer": "quban"}, ["epsilon_quban"]),
        ({"quantizer": "fed-sel", "bounds": (0.0, 1.0)}, []),
    ],
)
def test_a_result_has_the_settings_of_its_point_and_its_averages(
    words: dict[str, Any], own: list[str]
) -> None:
    plain = simulate(_COINS, trials=20, seed=1, **words).to_json()
    assert list(plain) == ["trials", "seed", "means", "link", "most_bits", "results"]
    assert (plain["trials"], plain["seed"]) == (20, 1)
    (point,) = plain["results"]
    assert list(point) == ["quantizer", *own, *_SETTINGS, *_RESULTS]
    for measure in MEASURES:
        assert list(point[measure]) == ["mean", "sem", "median", "p99"]
        assert list(point["less_first"][measure]) == ["mean", "sem"]
    assert list(point["less_first"]) == list(MEASURES)
    assert list(point["error_rate"]) == ["value", "low", "high"]
    assert point["outcomes"] == {"decided": 20}


def test_the_settings_are_those_that_were_given() -> None:
    words: dict[str, Any] = {
        "quantizer": "icq",
        "bits": 5,
        "prior": "midpoint",
        "policy": "lucb",
        "width": "lil",
        "delta": 0.2,
        "sigma": 0.75,
        "bounds": (0.0, 1.0),
        "epsilon": 0.05,
        "growth": 3.0,
        "first": 7,
    }
    (point,) = simulate(_COINS, trials=10, seed=1, **words).to_json()["results"]
    assert {word: point[word] for word in words} == words


@pytest.mark.parametrize("limit", ["max_rounds", "max_samples", "max_bits"])
def test_points_that_differ_in_a_limit_can_be_told_apart(limit: str) -> None:
    words: dict[str, Any] = {limit: [50, 60]}
    one, other = simulate(_COINS, trials=10, seed=1, **words).to_json()["results"]
    assert (one[limit], other[limit]) == (50, 60)


def test_the_averages_are_those_of_the_trials() -> None:
    simulation = simulate(_COINS, trials=300, seed=4, quantizer=["icq", "exact"])
    points = simulation.to_json()["results"]
    for point, trials in zip(points, _trials(simulation, _COINS), strict=True):
        for measure in MEASURES:
            values = getattr(trials, measure)
            assert point[measure]["mean"] == pytest.approx(values.mean(), rel=1e-12)
            sem = np.std(values, ddof=1) / math.sqrt(values.size)
            assert point[measure]["sem"] == pytest.approx(sem, rel=1e-12)


def test_one_trial_has_no_standard_error() -> None:
    (point,) = simulate(_COINS, trials=1, seed=1).to_json()["results"]
    assert [point[measure]["sem"] for measure in MEASURES] == [None, None, None]
    assert point["error_rate"] == {"value": 0.0, "low": 0.0, "high": pytest.approx(0.975)}


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [("max_rounds", "round_limit"), ("max_samples", "sample_limit"), ("max_bits", "bit_limit")],
)
def test_a_trial_that_a_limit_ends_is_counted_as_such_and_not_as_wrong(
    limit: str, outcome: str
) -> None:
    words: dict[str, Any] = {limit: 8, "quantizer": "icq", "width": "paper"}
    (point,) = simulate(_COINS, trials=50, seed=1, **words).to_json()["results"]
    assert point["outcomes"] == {outcome: 50}
    assert point["error_rate"]["value"] == 0


# Repeatable to the byte.


def test_one_seed_gives_one_text_and_another_seed_another() -> None:
    def text(seed: int) -> str:
        return _text(simulate(_COINS, trials=700, seed=seed, delta=[0.1, 0.01], workers=1))

    assert text(1) == text(1)
    assert text(1) != text(2).replace('"seed": 2', '"seed": 1')


def test_a_seed_of_the_system_is_told_and_repeats_the_numbers() -> None:
    first = simulate(_COINS, trials=50)
    assert _text(simulate(_COINS, trials=50, seed=first.seed)) == _text(first)
    assert simulate(_COINS, trials=50).seed != first.seed


def test_a_cache_is_not_seen_in_the_results(tmp_path: Path) -> None:
    words: dict[str, Any] = {"trials": 1100, "seed": 3, "quantizer": "icq", "bits": [2, 3]}
    texts = {_text(simulate(_COINS, **words))}
    for _ in range(2):
        texts.add(_text(simulate(_COINS, **words, cache=tmp_path)))
    assert len(texts) == 1
    assert len(list(tmp_path.rglob("*.json"))) == 3


def test_progress_is_told_in_trials() -> None:
    told: list[tuple[int, int]] = []
    simulate(_COINS, trials=1100, seed=1, progress=lambda done, trials: told.append((done, trials)))
    assert told == [(0, 1100), (500, 1100), (1000, 1100), (1100, 1100)]


# Words that are swept.


def test_lists_are_crossed_with_the_first_slowest() -> None:
    assert crossed({"delta": [0.1, 0.2], "kappa": [3, 1]}) == [
        {"delta": 0.1, "kappa": 3},
        {"delta": 0.1, "kappa": 1},
        {"delta": 0.2, "kappa": 3},
        {"delta": 0.2, "kappa": 1},
    ]
    assert [list(point.values()) for point in crossed({"kappa": [3, 1], "delta": [0.1, 0.2]})] == [
        [3, 0.1],
        [3, 0.2],
        [1, 0.1],
        [1, 0.2],
    ]


def test_results_come_in_the_order_of_the_lists() -> None:
    simulation = simulate(_COINS, trials=10, seed=1, growth=[4.0, 2.0], delta=[0.2, 0.1])
    points = simulation.to_json()["results"]
    assert [(point["growth"], point["delta"]) for point in points] == [
        (4.0, 0.2),
        (4.0, 0.1),
        (2.0, 0.2),
        (2.0, 0.1),
    ]


def test_a_word_is_left_out_where_it_does_not_apply() -> None:
    assert crossed({"quantizer": ["exact", "icq", "quban"], "bits": [2, 3]}) == [
        {"quantizer": "exact"},
        {"quantizer": "icq", "bits": 2},
        {"quantizer": "icq", "bits": 3},
        {"quantizer": "quban"},
    ]
    assert crossed({"quantizer": ["dyadic", "icq"], "cap": [2.0, 6.0]}) == [
        {"quantizer": "dyadic", "cap": 2.0},
        {"quantizer": "dyadic", "cap": 6.0},
        {"quantizer": "icq"},
    ]
    assert crossed({"policy": ["challenge", "se"], "growth": [2.0, 3.0]}) == [
        {"policy": "challenge"},
        {"policy": "se", "growth": 2.0},
        {"policy": "se", "growth": 3.0},
    ]


def test_a_value_that_is_given_twice_is_run_once() -> None:
    assert crossed({"delta": [0.1, 0.2, 0.1], "quantizer": ["icq", "icq"]}) == [
        {"delta": 0.1, "quantizer": "icq"},
        {"delta": 0.2, "quantizer": "icq"},
    ]


def test_a_pair_of_bounds_is_one_value() -> None:
    assert crossed({"bounds": (0.0, 1.0)}) == [{"bounds": (0.0, 1.0)}]


def test_without_words_there_is_one_point() -> None:
    assert crossed({}) == [{}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"quantizer": "exact", "bits": 3}, "bits applies to none of these settings"),
        ({"quantizer": ["exact", "quban"], "bits": [2, 3]}, "bits applies to none"),
        ({"epsilon_quban": 1.0}, "epsilon_quban applies to none"),
        ({"bits": [2, 3]}, "bits applies to none of these settings; it is for icq"),
        (
            {"quantizer": "icq", "cap": 3.0},
            "cap applies to none of these settings; it is for challenge",
        ),
        ({"detla": 0.1}, "must be one of .*got 'detla'; did you mean delta"),
        ({"rounds": 3}, "must be one of .*max_rounds.*got 'rounds'"),
    ],
)
def test_a_word_that_applies_nowhere_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        crossed(words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"quantizer": "icg"}, "quantizer must be one of .*got 'icg'; did you mean icq"),
        ({"quantizer": ["icq", "icg"]}, "quantizer must be one of .*got 'icg'"),
        ({"quantizer": "icg", "bits": 3}, "quantizer must be one of .*got 'icg'"),
        ({"policy": "es"}, "policy must be one of .*got 'es'"),
        ({"policy": "es", "epsilon": 0.1}, "policy must be one of .*got 'es'"),
        (
            {"width": "papr"},
            "width must be one of paper, lil, intervals, .* got 'papr'",
        ),
        ({"delta": 1.2}, r"delta must lie in \(0, 1\), got 1.2"),
        ({"delta": [0.1, 0.0]}, r"delta must lie in \(0, 1\), got 0"),
        ({"quantizer": "icq", "bits": 0}, "bits must lie between 1 and 32, got 0"),
        ({"growth": 1.0}, "growth must be a finite number above 1, got 1"),
        ({"sigma": -1.0}, "sigma must be a finite number above 0, got -1"),
        ({"max_rounds": 0}, "the limit on rounds must be at least 1, got 0"),
        ({"quantizer": "fed-sel"}, "fed-sel needs bounded rewards"),
        ({"bounds": (0.0, 0.5)}, r"arm 0 is bernoulli, whose rewards leave the bounds \[0.0, 0.5"),
        ({"bounds": (0.5, 1.0)}, "arm 0 is bernoulli, whose rewards leave the bounds"),
        ({"bounds": (1.0, 0.0)}, "lower first, got 1.0 and 0.0"),
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"seed": -1}, "seed must be a whole number between 0 and .*, got -1"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"workers": 2, "cluster": "tcp://127.0.0.1:1"}, "workers does not apply to a cluster"),
    ],
)
def test_what_cannot_be_run_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        simulate(_COINS, **words)


@pytest.mark.parametrize("model", [Gaussian(mean=0.5, sd=0.1), Poisson(mean=1.0)])
def test_bounds_are_refused_for_rewards_without_any(model: RewardModel) -> None:
    with pytest.raises(ConfigError, match=r"arm 1 is .*, whose rewards leave the bounds"):
        simulate((Bernoulli(mean=0.5), model), bounds=(0.0, 1.0))


def test_less_than_two_arms_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"at least 2 arms are needed .* got 1"):
        simulate((Bernoulli(mean=0.5),))


# Comparisons.


@pytest.mark.parametrize(
    "words", [{"quantizer": "icq", "bits": [3, 4]}, {"quantizer": ["dicq", "icq"]}]
)
def test_differences_are_taken_trial_by_trial(words: dict[str, Any]) -> None:
    simulation = simulate(_COINS, trials=400, seed=9, **words)
    first, second = _trials(simulation, _COINS)
    point = simulation.to_json()["results"][1]
    for measure in MEASURES:
        differences = getattr(second, measure) - getattr(first, measure)
        assert point["less_first"][measure]["mean"] == pytest.approx(differences.mean(), rel=1e-12)
        sem = np.std(differences, ddof=1) / math.sqrt(differences.size)
        assert point["less_first"][measure]["sem"] == pytest.approx(sem, rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        {"quantizer": "icq", "width": "paper", "bits": [6, 7]},
        {"delta": [0.05, 0.04]},
        {"quantizer": ["exact", "icq"], "width": "paper", "bits": 6},
    ],
)
def test_a_paired_difference_is_surer_than_an_unpaired_one(words: dict[str, Any]) -> None:
    results = simulate(_COINS, trials=2000, seed=9, **words).to_json()["results"]
    for measure in ("rounds", "samples"):
        unpaired = math.hypot(*(point[measure]["sem"] for point in results))
        assert 0 < results[1]["less_first"][measure]["sem"] < 0.75 * unpaired


def test_a_scheme_that_spends_nothing_more_differs_by_nothing() -> None:
    """Two limits that no trial reaches: the same trials, to the last bit."""
    results = simulate(_COINS, trials=500, seed=2, max_rounds=[900, 901]).to_json()["results"]
    assert results[1]["less_first"]["samples"] == {"mean": 0.0, "sem": 0.0}


def test_an_answer_within_the_tolerance_counts_as_right() -> None:
    close = (Bernoulli(mean=0.5), Bernoulli(mean=0.48))
    simulation = simulate(close, trials=400, seed=1, epsilon=0.3)
    (trials,) = _trials(simulation, close)
    assert np.count_nonzero(trials.best_arm == 1) > 40
    (point,) = simulation.to_json()["results"]
    assert point["error_rate"]["value"] == 0
    assert point["outcomes"] == {"decided": 400}


def test_a_wrong_answer_counts_with_its_exact_interval() -> None:
    simulation = simulate(_COINS, trials=400, seed=1, sigma=0.02, quantizer="exact")
    (trials,) = _trials(simulation, _COINS)
    wrong = np.count_nonzero(trials.best_arm == 1)
    rate = simulation.to_json()["results"][0]["error_rate"]
    assert wrong > 20
    assert rate["value"] == wrong / 400
    assert 0 < rate["low"] < rate["value"] < rate["high"] < 1


def test_a_link_that_cuts_answers_short_is_simulated_by_the_machines() -> None:
    """Short frames count 57 messages, and have 16 bits: an arm at 10^6 says so in larger steps."""
    models = [Gaussian(mean=10.0**6 + mean, sd=1.0) for mean in (0.0, 4.0)]
    words: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge", "trials": 2, "seed": 1}
    free, cut = (simulate(models, **words, link=link) for link in (None, "lorawan-us915-dr0"))
    assert (free.most_bits, cut.most_bits) == (None, 16)
    assert cut.to_json()["link"] == "lorawan-us915-dr0"
    point = cut.points[0]
    assert point.setup.limits.rounds == 57
    assert point.result.errors == point.result.undecided == 0
    rounds = point.result.rounds.mean, free.points[0].result.rounds.mean
    assert rounds[0] > rounds[1]


def test_a_link_that_carries_every_answer_changes_nothing() -> None:
    words: dict[str, Any] = {"quantizer": "icq", "policy": "se", "bounds": (0, 1), "trials": 50}
    models = [Bernoulli(mean=mean) for mean in (0.3, 0.6)]
    free, carried = (
        simulate(models, **words, seed=1, link=link) for link in (None, "lorawan-eu868-dr0")
    )
    assert carried.most_bits is None
    assert carried.points == free.points


def test_a_setting_that_a_link_does_not_carry_is_refused() -> None:
    with pytest.raises(ConfigError, match="lorawan-us915-dr0 carries 11 bytes up"):
        simulate(
            [Bernoulli(mean=0.3), Bernoulli(mean=0.6)],
            quantizer="exact",
            policy="se",
            bounds=(0, 1),
            link="lorawan-us915-dr0",
        )
