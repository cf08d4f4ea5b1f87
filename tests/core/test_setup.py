"""A setup's fingerprint; and what a result says of δ, width and budgets."""

from dataclasses import replace

import pytest
from tapes import make_spec

from bitarm.core.limits import Limits
from bitarm.core.policies import SequentialHalving, SuccessiveElimination
from bitarm.core.quantizers import Exact, Icq
from bitarm.core.setup import Setup, Terms


def test_a_proof_has_a_delta_and_a_width() -> None:
    terms = Setup(
        spec=make_spec(delta=0.1), policy=SuccessiveElimination(), limits=Limits(bits=9)
    ).terms
    assert terms == Terms(
        delta=0.1, width="paper", interval_delta=None, pull_budget=None, bit_budget=None
    )
    assert terms.budgets() == {}


def test_a_budget_has_neither_unless_they_size_an_interval() -> None:
    policy = SequentialHalving(pull_budget=60)
    plain = Setup(spec=make_spec(quantizer=Exact()), policy=policy, limits=Limits(bits=900)).terms
    assert plain == Terms(
        delta=None, width=None, interval_delta=None, pull_budget=60, bit_budget=900
    )
    sized = Setup(spec=make_spec(quantizer=Icq(), delta=0.1), policy=policy, limits=Limits()).terms
    assert (sized.delta, sized.width) == (None, "paper")
    assert sized.budgets() == {"pull_budget": 60, "interval_delta": 0.1}


_SETUP = Setup(spec=make_spec(seed=7), policy=SuccessiveElimination())


def test_a_fingerprint_never_changes() -> None:
    assert f"{_SETUP.fingerprint:08x}" == "b7f1816c"


@pytest.mark.parametrize(
    "other",
    [
        replace(_SETUP, spec=make_spec(seed=8)),
        replace(_SETUP, policy=SuccessiveElimination(epsilon=0.1)),
        replace(_SETUP, limits=Limits(rounds=9)),
    ],
)
def test_any_difference_is_another_fingerprint(other: Setup) -> None:
    assert other.fingerprint != _SETUP.fingerprint
