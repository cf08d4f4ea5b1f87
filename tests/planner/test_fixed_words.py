"""Fixed words: which settings they leave, and which words are refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
from planner.plugins import Lattice, Timid, installed
from planner.tasks import task_of

from bitarm.core.guarantee import Guarantee
from bitarm.core.quantizers import Dicq, Icq
from bitarm.core.words import Word
from bitarm.errors import ConfigError
from bitarm.planner.candidates import (
    is_listed,
    mildest_of,
    neighbours,
    rescaled,
    starting_settings,
    tunable,
    worst_of,
)
from bitarm.planner.fixed_words import fixed_words, refuse_unplanned
from bitarm.planner.link_costs import LinkCheck
from bitarm.planner.plan import plan
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.search import Admission
from bitarm.planner.setting_simulator import SettingSimulator


@pytest.fixture
def plugins() -> Iterator[None]:
    with installed(Lattice, Timid):
        yield


def _values(settings: list[SchemeWords], word: str) -> set[Any]:
    return {setting.words.get(word) for setting in settings}


_FIXED: dict[str, tuple[dict[str, Any], dict[str, set[Any]]]] = {
    "a quantizer": ({"quantizer": "icq"}, {"quantizer": {"icq"}, "bits": {1, 2, 3, 5}}),
    "a quantizer and a word": (
        {"quantizer": "icq", "bits": 2},
        {"quantizer": {"icq"}, "bits": {2}},
    ),
    "a word of a quantizer": ({"bits": 7}, {"quantizer": {"icq"}, "bits": {7}}),
    "a word of a policy": ({"behind": 0.9}, {"policy": {"challenge"}, "behind": {0.9}}),
    "the beginning": ({"start": 77}, {"policy": {"challenge"}, "start": {77}}),
    "a policy": ({"policy": "se"}, {"policy": {"se"}, "cap": {None}}),
    "a width": ({"width": "lil"}, {"width": {"lil"}, "policy": {"se"}}),
    "a width of evidence": (
        {"width": "sub-gaussian", "policy": "challenge"},
        {"width": {"sub-gaussian"}, "policy": {"challenge"}},
    ),
    "the grid": ({"growth": 1.05, "first": 77}, {"growth": {1.05}, "first": {77}}),
    "a value": (
        {"quantizer": Dicq(kappa=1.5), "policy": "se"},
        {"kappa": {1.5}, "kappa_first": {4.0}, "policy": {"se"}},
    ),
    "a pair that is not listed": (
        {"quantizer": "dyadic", "policy": "se"},
        {"quantizer": {"dyadic"}, "policy": {"se"}, "kappa_place": {3.0}, "start": {None}},
    ),
    "a policy that is not listed": (
        {"policy": "lucb"},
        {
            "quantizer": {"dyadic", "dicq", "icq", "quban", "fed-sel", "exact"},
            "width": {"sub-gaussian"},
        },
    ),
    "a policy that is not listed, and a word": (
        {"policy": "lucb", "bits": 2},
        {"quantizer": {"icq"}, "bits": {2}},
    ),
}


@pytest.mark.parametrize(("fixed", "left"), _FIXED.values(), ids=_FIXED)
def test_fixed_words_leave_the_settings_that_have_them_and_nothing_varies_them(
    fixed: dict[str, Any], left: dict[str, set[Any]]
) -> None:
    task = task_of(fixed=fixed)
    starts = starting_settings(task)
    assert len(starts) == len(set(starts))
    for word, values in left.items():
        assert _values(starts, word) == values
    held = task.fixed.words
    for setting in starts[::5]:
        words = tunable(setting, task)
        assert not set(words) & held.keys()
        near = [neighbour for word in words for neighbour in neighbours(setting, word, task)]
        for other in (
            *near,
            rescaled(setting, 2.0, task),
            worst_of(setting, task),
            mildest_of(setting, task),
        ):
            assert {word: other.words[word] for word in held} == held


def test_without_fixed_words_nothing_is_restricted() -> None:
    assert task_of().fixed == task_of(fixed={}).fixed == SchemeWords(())
    assert all(is_listed(setting) for setting in starting_settings(task_of()))


def test_a_scheme_of_another_package_has_a_family_of_its_own(plugins: None) -> None:
    task = task_of(fixed={"quantizer": "lattice"})
    starts = starting_settings(task)
    assert _values(starts, "coarseness") == {1.0}
    assert _values(starts, "tilt") == {"flat"}
    assert _values(starts, "policy") == {"se"}
    assert _values(starts, "width") == {"pairwise-mixture"}
    assert _values(starts, "growth") == {1.3, 2.0, 4.0}
    assert tunable(starts[0], task) == ["first", "growth", "coarseness", "tilt"]
    assert [neighbour.words["tilt"] for neighbour in neighbours(starts[0], "tilt", task)] == [
        "steep"
    ]
    assert not any(map(is_listed, starts))


def test_a_word_that_only_another_package_has_names_its_scheme(plugins: None) -> None:
    assert _values(starting_settings(task_of(fixed={"coarseness": 3.0})), "quantizer") == {
        "lattice"
    }
    starts = starting_settings(task_of(fixed={"courage": 5}))
    assert _values(starts, "policy") == {"timid"}
    assert _values(starts, "quantizer") == {"dyadic", "dicq", "icq", "quban", "fed-sel", "exact"}


def test_nobody_asks_other_packages_if_nothing_is_fixed(plugins: None) -> None:
    assert "lattice" not in _values(starting_settings(task_of()), "quantizer")


def test_of_a_scheme_that_is_not_listed_the_setting_itself_is_judged(plugins: None) -> None:
    task = task_of(fixed={"quantizer": "lattice"}, link="nb-iot")
    simulator = SettingSimulator(task, seed=1)
    asked: list[SchemeWords] = []
    fit = LinkCheck(task, lambda setting: asked.append(setting) or simulator.spec_of(setting))  # type: ignore[func-returns-value]
    setting = starting_settings(task)[4]
    assert worst_of(setting, task) == mildest_of(setting, task) == setting
    assert fit.carries(setting)
    assert asked == [setting]


def test_a_fixed_value_beyond_its_axis_is_judged_as_it_is() -> None:
    task = task_of(fixed={"quantizer": "dicq", "kappa": 0.001}, link="nb-iot")
    for setting in starting_settings(task)[:3]:
        assert worst_of(setting, task).words["kappa"] == 0.001


# Who is admitted.


def _admission(task: PlanningTask) -> Admission:
    return Admission(task.fixed, SettingSimulator(task, seed=1).claim_of)


def test_what_has_a_proof_goes_before_what_has_none() -> None:
    proven, without = (SchemeWords.of({"first": first}) for first in (1, 2))

    def claim_of(setting: SchemeWords) -> Guarantee:
        return Guarantee(delta=0.1 if setting == proven else None, reason="as it is")

    both = Admission(SchemeWords.of({"growth": 2.0}), claim_of)
    assert both.starts([proven, without]) == [proven]
    assert not both.admits(without)
    alone = Admission(SchemeWords.of({"growth": 2.0}), claim_of)
    assert alone.starts([without]) == [without]
    assert alone.admits(without)


def test_a_scheme_without_a_proof_is_admitted_if_it_is_named(plugins: None) -> None:
    task = task_of(fixed={"quantizer": "lattice"})
    starts = starting_settings(task)
    assert _admission(task).starts(starts) == starts


def test_what_cannot_be_built_is_left_out_and_the_rest_is_kept() -> None:
    task = task_of(fixed={"policy": "lucb"})  # fed-sel needs bounds, and there are none
    left = _admission(task).starts(starting_settings(task))
    assert _values(left, "quantizer") == {"dyadic", "dicq", "icq", "quban", "exact"}


# What is refused.

_REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a word of another quantizer": (
        {"quantizer": "dicq", "bits": 2},
        "^bits does not apply to the quantizer dicq; it is for icq$",
    ),
    "a word of another policy": (
        {"policy": "se", "behind": 0.9},
        "^behind does not apply to the policy se; it is for challenge$",
    ),
    "a word of a policy that the quantizer is not used with": (
        {"quantizer": "icq", "behind": 0.9},
        "^behind does not apply to the policy se; it is for challenge$",
    ),
    "words of two quantizers": (
        {"kappa": 1.0, "bits": 2},
        "^bits and kappa together apply to none of the settings that a plan searches: "
        "no quantizer has all of these words$",
    ),
    "no such quantizer": ({"quantizer": "icp"}, "quantizer must be one of .* did you mean icq"),
    "no such policy": ({"policy": "sea"}, "policy must be one of .* did you mean se"),
    "no such width": ({"width": "wide"}, "width must be one of paper, lil"),
    "no such prior": ({"prior": "guess"}, "prior must be one of uniform, midpoint"),
    "too many bits": ({"bits": 99}, "^bits must lie between 1 and 32, got 99$"),
    "bits in a text": ({"bits": "two"}, "bits must be a whole number, got 'two'"),
    "no growth": ({"growth": 1.0}, "^growth must be a finite number above 1, got 1.0$"),
    "no pulls": ({"first": 0}, "first must lie between 1 and"),
    "a budget": (
        {"policy": "sequential-halving"},
        "^the policy sequential-halving does not apply to a plan: a plan is for runs that decide",
    ),
    "a pull budget": ({"pull_budget": 100}, "^pull_budget does not apply to a plan: a plan is for"),
    "a bit budget": ({"bit_budget": 100}, "^bit_budget does not apply to a plan: a plan is for"),
    "an interval": ({"interval_delta": 0.1}, "^interval_delta does not apply to a plan"),
    "checkpoints": (
        {"checkpoints": [1, 2]},
        "^checkpoints does not apply to a plan: a plan chooses",
    ),
    "a misspelt price": ({"per_bits": 1}, "^a word must be one of .* did you mean per_bit"),
    "a value and its word": (
        {"quantizer": Icq(), "bits": 3},
        "^bits belongs to the quantizer icq, which was given as a value: set it there$",
    ),
    "a value without a name": (
        {"quantizer": Lattice()},
        "^a plan needs a quantizer that has a name in a problem file, got Lattice",
    ),
    "a number for a name": (
        {"policy": 3},
        "^policy must be a name, or in Python an instance, got 3$",
    ),
    "a prior that needs bounds": (
        {"quantizer": "icq", "prior": "uniform"},
        "icq with a uniform prior needs bounded rewards",
    ),
    "a quantizer that needs bounds": ({"quantizer": "fed-sel"}, "fed-sel .*bound"),
    "a width for arms that move together": (
        {"policy": "lucb", "width": "pairwise-mixture"},
        "^the width pairwise-mixture compares arms with equally many pulls",
    ),
    "no limit": ({"max_rounds": 0}, "the limit on rounds must be at least 1, got 0"),
}


@pytest.mark.parametrize(("words", "said"), _REFUSED.values(), ids=_REFUSED)
def test_what_no_setting_can_have_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        plan(3, gap=0.5, sigma=1.0, per_bit=1.0, seed=1, **words)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Needy(Timid):  # type: ignore[misc]
    """A policy that does not say what it is without a word."""

    name: ClassVar[str] = "needy"

    need: Annotated[float, Word("Must be given", above=0)]


def test_a_word_without_a_default_must_be_given() -> None:
    with installed(_Needy):
        with pytest.raises(ConfigError, match="needy has no default for need: give the plan a val"):
            starting_settings(task_of(fixed={"policy": "needy"}))
        assert _values(
            starting_settings(task_of(fixed={"policy": "needy", "need": 2})), "need"
        ) == {2.0}


def test_words_of_a_problem_that_a_plan_does_not_know_are_refused() -> None:
    with pytest.raises(ConfigError, match="bit_budget does not apply to a plan"):
        refuse_unplanned({"delta": 0.1, "bit_budget": 3})
    refuse_unplanned({"delta": 0.1, "kappa": 3})
    assert fixed_words({"kappa": 3}).words == {"kappa": 3.0}
