"""Defaults as they are told are those that a run gets."""

from typing import Any

import pytest

from bitarm.api.defaults import Default, default_of
from bitarm.api.scheme import build
from bitarm.api.words import vocabulary
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.schedule import GeometricSchedule, LooksSchedule, default_first
from bitarm.core.setup import Setup

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
    quantizer = {"quantizer": "dyadic"} if judged else {}
    spec = _setup({"bounds": _BOUNDS, **budget}, policy=policy, **quantizer).spec
    assert _told("width")[f"for {policy}"] == spec.width
    if judged:
        assert f"for {policy}" not in {*_told("growth"), *_told("first")}
        assert spec.schedule == LooksSchedule()
        unbounded = _setup({"sigma": 1.0}, policy=policy, **quantizer).spec
        assert unbounded.width == "sub-gaussian"
    elif not budget:
        growth, first = _told("growth")[f"for {policy}"], _told("first")[f"for {policy}"]
        first = default_first(growth) if first == "growth rounded up" else first
        assert spec.schedule == GeometricSchedule(growth=growth, first=first)


def test_words_of_every_run() -> None:
    spec = _setup({"bounds": _BOUNDS}).spec
    assert _told("delta") == {"": spec.delta}
    assert _told("quantizer") == {"": spec.quantizer.name}


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
    assert str(Default((("", True),))) == "true"


def test_a_word_without_a_default_has_none() -> None:
    assert default_of(vocabulary()["sigma"]) is None
    assert default_of(vocabulary()["pull_budget"]) is None
