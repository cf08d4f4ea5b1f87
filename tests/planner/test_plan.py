"""Plans: repeatable, with a proof, near the best that there is, and honest about their guess."""

import itertools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from planner.efforts import quick_searches
from planner.plugins import Lattice, Timid, installed

import bitarm
from bitarm.api.problem import parse_problem
from bitarm.core.limits import Limits
from bitarm.core.quantizers import QUANTIZERS
from bitarm.errors import ConfigError
from bitarm.links.airtime import LoRa, air_seconds
from bitarm.planner.link_costs import LinkCheck
from bitarm.planner.plan import Plan, plan, plan_problem
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.theory import lower_bound

pytestmark = pytest.mark.slow  # compiles kernels

_WORDS: dict[str, Any] = {"gap": 0.5, "sigma": 1.0, "per_bit": 1.0, "per_pull": 0.05, "seed": 1}
_EASY = _WORDS | {"gap": 2.0}  # found in half the time


@pytest.fixture(scope="module", autouse=True)
def _quickly() -> Iterator[None]:
    with quick_searches():
        yield


@pytest.fixture(scope="module")
def made() -> Plan:
    return plan(4, **_WORDS)


def test_the_same_seed_gives_the_same_plan(made: Plan) -> None:
    assert plan(4, **_WORDS).to_json() == made.to_json()


def test_without_a_seed_one_is_drawn_and_told() -> None:
    words = {word: value for word, value in _EASY.items() if word != "seed"}
    first = plan(2, **words)
    assert plan(2, **words, seed=first.seed).to_json() == first.to_json()


def test_a_problem_file_tells_what_is_known_and_words_win() -> None:
    arms = "".join(f'[[arm]]\nname = "{name}"\nsource = "bernoulli"\nmean = 0.5\n' for name in "ab")
    text = f"[problem]\nsigma = 2.0\ndelta = 0.2\n[limits]\nrounds = 900\n{arms}"
    problem = parse_problem(text, Path())
    by_file = plan_problem(problem, **_EASY)
    by_words = plan(2, **_EASY, delta=0.2, max_rounds=900)
    assert by_file.to_json() == by_words.to_json()


def test_json_is_plain_and_complete(made: Plan) -> None:
    plain = json.loads(json.dumps(made.to_json()))
    assert plain["quantizer"] in QUANTIZERS
    assert plain["guarantee"] == plain["delta"] == 0.05
    for measure in ("cost", "samples", "rounds", "messages", "payload_bits"):
        assert plain[measure]["mean"] > 0
        assert plain[measure]["sd"] >= 0
        assert plain[measure]["sem"] >= 0
    assert plain["seed"] == 1
    assert plain["prices"]["per_pull"] == 0.05
    assert plain["guess"] == {"gap": 0.5}


def test_the_lower_bound_is_that_of_the_guess(made: Plan) -> None:
    bound = lower_bound([0.5, 0, 0, 0], sigma=1.0, delta=0.05).samples
    assert made.lower_bound == pytest.approx(bound)
    assert made.figures.samples.mean > bound


def test_the_table_of_a_plan_runs_as_it_was_planned(made: Plan) -> None:
    saved = tomllib.loads(made.to_toml())
    scheme = saved["scheme"]
    assert scheme == made.words
    assert saved["problem"] == {"delta": 0.05, "sigma": 1.0}
    draws = {name: itertools.repeat(mean) for name, mean in (("a", 0.0), ("b", 0.5), ("c", 0.1))}
    result = bitarm.identify(
        {name: values.__next__ for name, values in draws.items()}, sigma=1.0, seed=1, **made.words
    )
    assert result.best_arm_name == "b"
    assert result.guarantee == 0.05
    assert (result.quantizer, result.width) == (scheme["quantizer"], scheme["width"])


def test_the_curve_falls_in_bits_as_samples_rise(made: Plan) -> None:
    samples = [tried.figures.samples.mean for tried in made.curve]
    bits = [tried.figures.payload_bits.mean for tried in made.curve]
    assert len(made.curve) >= 4
    assert samples == sorted(samples)
    assert bits == sorted(bits, reverse=True)
    assert [tried.figures for tried in made.curve if tried.setting == made.setting] == [
        made.figures
    ]


def test_no_setting_of_the_curve_is_beaten_by_the_plan_by_more_than_noise(made: Plan) -> None:
    figures = made.figures
    for tried in made.curve:
        assert not (
            figures.samples.mean < 0.9 * tried.figures.samples.mean
            and figures.payload_bits.mean < 0.9 * tried.figures.payload_bits.mean
        )


def test_a_wrong_guess_costs_more_than_knowing_better(made: Plan) -> None:
    assert [other.what for other in made.misjudged] == [
        "gaps half as large",
        "gaps twice as large",
    ]
    for other in made.misjudged:
        assert other.planned is not None
        assert 1.0 <= other.regret < 4
    half, double = made.misjudged
    assert half.best_cost > made.figures.cost.mean > double.best_cost


def test_what_is_told_of_a_wrong_guess_is_what_a_plan_for_it_costs(made: Plan) -> None:
    known = plan(4, **_WORDS | {"gap": 0.25})
    assert made.misjudged[0].best_cost == pytest.approx(known.figures.cost.mean, rel=0.1)


def test_a_list_of_gaps_says_how_many_arms_there_are() -> None:
    assert plan(gaps=[2.0, 3.0], sigma=1.0, per_bit=1, seed=1).task.arms == 3


def test_bounds_alone_are_planned_for_with_a_stated_guess_and_what_if_it_is_wrong() -> None:
    made = plan(3, gap=0.6, bounds=(0.0, 1.0), per_bit=1, per_pull=0.05, seed=1)
    assert made.rewards == "rewards at either bound (bernoulli), means in the middle"
    assert ("dyadic", "challenge", "bounded") in {tried.setting.kind for tried in made.others}
    assert made.guarantee.delta == 0.05
    assert made.to_json()["sigma"] is None
    assert [other.what for other in made.misjudged] == [
        "gaps half as large",
        "spread half as much",
    ]
    narrow = made.misjudged[1]
    assert narrow.planned is not None
    assert narrow.planned.samples.mean < made.figures.samples.mean
    ((what, why),) = made.impossible
    assert what == "gaps twice as large"
    assert "too narrow for a gap of 1.2" in why


def test_small_gaps_within_bounds_are_rehearsed_with_larger_ones_and_that_is_told() -> None:
    words: dict[str, Any] = {"bounds": (0.0, 1.0), "policy": "challenge"}
    made = plan(2, gap=0.002, per_bit=1, per_pull=1e-6, seed=1, **words)
    assert made.rewards.endswith("times as large, pulls counted up")
    assert made.to_json()["stretch"] == made.figures.stretch > 1
    assert made.figures.samples.mean > 10**6


def test_pulls_that_send_packets_are_priced_and_last() -> None:
    scheme = {"quantizer": "icq", "policy": "se"}
    words: dict[str, Any] = {"gap": 0.5, "sigma": 1.0, "link": "lorawan-eu868-dr0", **scheme}
    words["seed"] = 1
    silent, sending = plan(3, **words), plan(3, **words, pull_packets=20)
    assert sending.figures.samples.mean < silent.figures.samples.mean
    pulls = sending.figures.samples.mean
    air = 20 * air_seconds(LoRa(spreading_factor=12, bandwidth=125_000), 11, up=True)
    assert sending.figures.cost.mean > pulls * air
    assert sending.least_hours > pulls / 3 * air / 0.01 / 3600 > 100 * silent.least_hours
    slow = plan(3, **words, pull_seconds=3600.0)
    assert slow.least_hours == pytest.approx(slow.figures.samples.mean / 3, rel=0.01)


def test_beta_rewards_are_drawn_one_by_one_where_they_are_few() -> None:
    few = plan(3, gap=0.3, bounds=(0.0, 1.0), sigma=0.2, per_bit=1, per_pull=0.1, seed=1)
    assert few.rewards == "beta rewards of concentration 5.25 within the bounds"
    many = plan(2, gap=1e-3, bounds=(0.0, 1.0), sigma=0.2, per_bit=1, per_pull=1e-5, seed=1)
    assert many.rewards.endswith("their sums drawn as normal ones")


def test_a_tolerance_is_planned_for_and_saves_pulls(made: Plan) -> None:
    easier = plan(4, **_WORDS, epsilon=0.3)
    assert easier.words["policy"] == "challenge"
    assert easier.figures.cost.mean < made.figures.cost.mean


def test_hundreds_of_arms_and_a_tiny_gap_are_planned_too() -> None:
    made = plan(300, gap=0.3, sigma=1.0, per_bit=1, per_pull=0.01, seed=1)
    assert made.figures.messages.mean >= 300
    tiny = plan(3, gap=1e-4, sigma=1.0, per_bit=1, per_pull=1e-9, seed=1)
    assert tiny.figures.samples.mean > 1e8


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_is_none_is_refused(seed: int) -> None:
    with pytest.raises(ConfigError, match="seed must be a whole number between"):
        plan(2, **_WORDS | {"seed": seed})


# With fixed words.


def test_fixed_words_are_in_every_setting_of_a_plan() -> None:
    made = plan(4, **_WORDS, quantizer="icq", bits=2)
    settings = [made.setting, *(tried.setting for tried in (*made.curve, *made.others))]
    settings += [other.best.setting for other in made.misjudged]
    assert {(setting.words["quantizer"], setting.words["bits"]) for setting in settings} == {
        ("icq", 2)
    }
    assert made.guarantee.delta == 0.05
    plain = made.to_json()
    assert plain["fixed"] == {"quantizer": "icq", "bits": 2}
    assert plain["measured_by"] == "kernels"


def test_what_is_fixed_as_the_plan_has_it_costs_as_much(made: Plan) -> None:
    names = {word: made.words[word] for word in ("quantizer", "policy", "start", "cap")}
    again = plan(4, **_WORDS, **names)
    assert {word: again.words[word] for word in names} == names
    assert again.figures.cost.mean == pytest.approx(made.figures.cost.mean, rel=0.1)


def test_our_own_policies_that_no_family_lists_are_planned_if_named() -> None:
    made = plan(3, **_WORDS | {"gap": 1.0}, policy="lucb", quantizer="dicq")
    assert made.setting.kind == ("dicq", "lucb", "sub-gaussian")
    assert made.figures.measured_by == "kernels"
    assert made.guarantee.delta == 0.05


def test_a_scheme_without_a_kernel_is_measured_by_the_machines_and_its_words_are_tuned(
    made: Plan,
) -> None:
    runs_by_kernels = made.to_json()["trials"]
    with installed(Lattice):
        made = plan(3, **_WORDS | {"gap": 1.0}, quantizer="lattice")
        plain = json.loads(json.dumps(made.to_json()))
        assert made.setting.describe().startswith("lattice se c=")
    assert made.setting.kind == ("lattice", "se", "pairwise-mixture")
    assert plain["measured_by"] == "machines"
    assert all(point["measured_by"] == "machines" for point in plain["curve"])
    assert 0 < plain["trials"] < runs_by_kernels
    assert made.words["coarseness"] != 1.0


def test_a_scheme_without_a_proof_is_planned_without_a_guarantee() -> None:
    with installed(Lattice):
        made = plan(3, **_WORDS | {"gap": 1.0}, quantizer="lattice", coarseness=0.5, growth=2)
    assert made.guarantee.delta is None
    assert made.to_json()["guarantee"] is None
    assert made.to_json()["guarantee_reason"].startswith("the lattice has no proof")


def test_a_policy_of_another_package_keeps_its_proof() -> None:
    with installed(Timid):
        made = plan(2, **_WORDS | {"gap": 1.0}, courage=3, quantizer="exact", policy="timid")
    assert (made.words["policy"], made.words["courage"]) == ("timid", 3)
    assert made.guarantee.delta == 0.05
    assert made.figures.measured_by == "machines"


def test_a_setting_without_a_proof_that_nobody_named_is_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = {"quantizer": "dicq", "policy": "lil-ucb-count", "width": "paper", "kappa": 1.0}
    starts = [SchemeWords.of(words | {"growth": 2.0, "first": 16})]
    monkeypatch.setattr("bitarm.planner.plan.starting_settings", lambda task: starts)
    with pytest.raises(AssertionError, match="a setting without a proof was searched"):
        plan(2, **_WORDS | {"gap": 1.0})


def test_the_trade_off_has_nothing_that_the_link_does_not_carry() -> None:
    words: dict[str, Any] = {"gap": 0.3, "sigma": 0.5, "bounds": (0.0, 1.0), "per_pull": 0.01}
    made = plan(4, **words, link="lorawan-us915-dr0", policy="se", seed=1)
    check = LinkCheck(made.task, SettingSimulator(made.task, 1).spec_of)
    assert len(made.curve) > 1
    assert all(check.carries(point.setting) for point in made.curve)


def test_limits_and_a_link_go_with_fixed_words() -> None:
    made = plan(
        3, gap=0.5, bounds=(0.0, 1.0), link="lorawan-us915-dr0", seed=1, bits=3, max_rounds=40
    )
    assert made.task.limits == Limits(rounds=40)
    assert (made.words["quantizer"], made.words["bits"]) == ("icq", 3)
