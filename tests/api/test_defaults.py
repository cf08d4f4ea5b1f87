"""Defaults as they are told are those that a run gets."""

from typing import Any

import pytest

from bitarm.api.defaults import Default, default_of
from bitarm.api.scheme import build
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.schedule import GeometricSchedule, LooksSchedule, default_first
from bitarm.core.setup import Setup
from bitarm.core.vocabulary import vocabulary
from bitarm.core.widths import WIDTHS

_BOUNDS = (0.0, 1.0)


def _setup(problem: dict[str, Any], **scheme: Any) -> Setup:
    return build(("a", "b"), seed=1, problem=problem, scheme=scheme, limits={})


def _told(word: str) -> dict[str, Any]:
    default = default_of(vocabulary()[word])
    assert default is not None
    return dict(default.cases)


@pytest.mark.parametrize("quantizer", CHOICES.own)
def test_the_policy_of_every_quantizer(quantizer: str) -> None:
    made = _setup({"bounds": _BOUNDS}, quantizer=quantizer).policy.name
    assert _told("policy")[f"for {quantizer}"] == made


@pytest.mark.parametrize("policy", POLICIES.own)
def test_width_and_checkpoints_of_every_policy(policy: str) -> None:
    budget = {"pull_budget": 60} if is_budgeted(POLICIES[policy]) else {}
    judged = POLICIES[policy].stride is Stride.JUDGED
    spec = _setup({"bounds": _BOUNDS, **budget}, policy=policy).spec
    assert _told("quantizer")[f"for {policy}"] == spec.quantizer.name
    told = _told("width")
    if judged:
        assert told[f"for {policy} with bounds and no sigma"] == spec.width
        assert told[f"for {policy}"] == _setup({"sigma": 1.0}, policy=policy).spec.width
        assert f"for {policy}" not in {*_told("growth"), *_told("first")}
        assert spec.schedule == LooksSchedule()
        return
    assert told[f"for {policy}"] == spec.width
    if budget:
        return
    growth, first = _told("growth")[f"for {policy}"], _told("first")[f"for {policy}"]
    first = default_first(growth) if first == "growth rounded up" else first
    assert spec.schedule == GeometricSchedule(growth=growth, first=first)


@pytest.mark.parametrize("width", WIDTHS.own)
def test_the_policy_beside_every_width(width: str) -> None:
    made = _setup({"bounds": _BOUNDS}, width=width).policy.name
    assert _told("policy")[f"with the width {width}"] == made


@pytest.mark.parametrize(("word", "value"), [("growth", 1.5), ("first", 3), ("checkpoints", [1])])
def test_the_policy_beside_checkpoints(word: str, value: Any) -> None:
    made = _setup({"bounds": _BOUNDS}, **{word: value}).policy.name
    assert _told("policy")[f"with {word}"] == made


def test_words_of_every_run() -> None:
    setup = _setup({"bounds": _BOUNDS})
    assert _told("delta") == {"": setup.spec.delta}
    assert _told("quantizer")[""] == setup.spec.quantizer.name
    assert _told("policy")[""] == setup.policy.name


@pytest.mark.parametrize(
    ("quantizer", "word"),
    [("icq", "prior"), ("icq", "bits"), ("dicq", "kappa"), ("dicq", "kappa_first")],
)
def test_what_follows_from_the_problem(quantizer: str, word: str) -> None:
    told = _told(word)
    budget = {"bounds": _BOUNDS, "pull_budget": 60}
    made = {
        "": _setup({"bounds": _BOUNDS}, quantizer=quantizer),
        "without bounds": _setup({"sigma": 1}, quantizer=quantizer),
        "under a pull_budget": _setup(budget, quantizer=quantizer, policy="sequential-halving"),
    }
    for where, setup in made.items():
        others = told.get(f"for {quantizer}")  # where the word is of other quantizers too
        expected = told[where] if others is None else told.get(f"for {quantizer} {where}", others)
        assert getattr(setup.spec.quantizer, word) == expected


def test_a_default_says_where_it_holds() -> None:
    assert str(Default((("", 2.0),))) == "2"
    assert str(Default((("for a", 2.0), ("for b", 1.3), ("for c", 1.3)))) == "2; 1.3 for b, c"
    assert str(Default((("", "x"), ("without bounds", "y")))) == "x; y without bounds"
    places = ("for a", "with b", "for c", "with the width d", "with e", "with the width f")
    both = Default((("", 1), *((place, 2) for place in places)))
    assert str(both) == "1; 2 for a, c, or with the width d, f, or with b, e"
    assert str(Default((("", True),))) == "true"


def test_a_word_without_a_default_has_none() -> None:
    assert default_of(vocabulary()["sigma"]) is None
    assert default_of(vocabulary()["pull_budget"]) is None
