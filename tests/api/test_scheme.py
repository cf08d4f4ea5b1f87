"""Which scheme each partial choice of words gives, and that the default is sound."""

from typing import Any

import pytest

from bitarm.api.applicable import displaced_words
from bitarm.api.scheme import build
from bitarm.api.simulate import claim_of
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import CHOICES, Dicq, Dyadic, Icq
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, LooksSchedule, Schedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.sim.models import Bernoulli
from bitarm.sim.twins import has_twin

_MIXTURE = "pairwise-mixture"


def _setup(problem: dict[str, Any] | None = None, **scheme: Any) -> Setup:
    given = {"bounds": (0.0, 1.0)} if problem is None else problem
    return build(("a", "b", "c"), seed=1, problem=given, scheme=scheme, limits={})


# Words that are given, then quantizer, policy, width and schedule of what comes of them.
_LOOKS = LooksSchedule()
_DOUBLING = GeometricSchedule(growth=2.0, first=2)
_TABLE: list[tuple[dict[str, Any], tuple[str, str, str, Schedule]]] = [
    ({}, ("dyadic", "challenge", "bounded", _LOOKS)),
    ({"quantizer": "dyadic"}, ("dyadic", "challenge", "bounded", _LOOKS)),
    ({"policy": "challenge"}, ("dyadic", "challenge", "bounded", _LOOKS)),
    ({"width": "bounded"}, ("dyadic", "challenge", "bounded", _LOOKS)),
    ({"width": "sub-gaussian"}, ("dyadic", "challenge", "sub-gaussian", _LOOKS)),
    ({"width": "paper"}, ("dicq", "se", "paper", _DOUBLING)),
    ({"width": "pairwise"}, ("dicq", "se", "pairwise", _DOUBLING)),
    ({"width": _MIXTURE}, ("dicq", "se", _MIXTURE, _DOUBLING)),
    ({"width": "lil"}, ("dicq", "se", "lil", _DOUBLING)),
    ({"quantizer": "dyadic", "width": "paper"}, ("dyadic", "se", "paper", _DOUBLING)),
    ({"growth": 3.0}, ("dicq", "se", _MIXTURE, GeometricSchedule(growth=3.0, first=3))),
    ({"first": 5}, ("dicq", "se", _MIXTURE, GeometricSchedule(growth=2.0, first=5))),
    ({"checkpoints": [3, 9]}, ("dicq", "se", _MIXTURE, ListedSchedule(checkpoints=(3, 9)))),
    ({"quantizer": "dyadic", "first": 2}, ("dyadic", "se", _MIXTURE, _DOUBLING)),
    ({"policy": "se"}, ("dicq", "se", _MIXTURE, _DOUBLING)),
    ({"policy": "lucb"}, ("dicq", "lucb", "sub-gaussian", _DOUBLING)),
    ({"policy": "lucb", "width": "paper"}, ("dicq", "lucb", "paper", _DOUBLING)),
    ({"policy": "lil-ucb"}, ("dicq", "lil-ucb", "sub-gaussian", _DOUBLING)),
    ({"policy": "top-two"}, ("dicq", "top-two", "sub-gaussian", _DOUBLING)),
    ({"policy": "lil-ucb-count"}, ("dicq", "lil-ucb-count", "lil", _DOUBLING)),
    ({"quantizer": "dicq"}, ("dicq", "se", _MIXTURE, _DOUBLING)),
    ({"quantizer": "icq"}, ("icq", "se", _MIXTURE, _DOUBLING)),
    ({"quantizer": "icq", "width": "paper"}, ("icq", "se", "paper", _DOUBLING)),
    ({"quantizer": "icq", "width": "sub-gaussian"}, ("icq", "se", "sub-gaussian", _DOUBLING)),
    ({"quantizer": "icq", "policy": "lucb"}, ("icq", "lucb", "sub-gaussian", _DOUBLING)),
    ({"quantizer": "exact"}, ("exact", "se", _MIXTURE, _DOUBLING)),
    ({"quantizer": "quban"}, ("quban", "se", _MIXTURE, _DOUBLING)),
    ({"quantizer": "fed-sel"}, ("fed-sel", "se", _MIXTURE, _DOUBLING)),
    ({"quantizer": "fed-sel-paper"}, ("fed-sel-paper", "se", _MIXTURE, _DOUBLING)),
]


@pytest.mark.parametrize(("words", "expected"), _TABLE, ids=lambda value: str(value))
def test_what_was_not_given_follows_from_what_was(
    words: dict[str, Any], expected: tuple[str, str, str, Schedule]
) -> None:
    setup = _setup(**words)
    spec = setup.spec
    assert (spec.quantizer.name, setup.policy.name, spec.width, spec.schedule) == expected


def test_every_quantizer_is_in_the_table() -> None:
    assert {expected[0] for _, expected in _TABLE} == set(CHOICES)


@pytest.mark.parametrize(
    ("problem", "width"),
    [
        ({"bounds": (0.0, 1.0)}, "bounded"),
        ({"bounds": (0.0, 1.0), "sigma": 0.1}, "sub-gaussian"),
        ({"sigma": 2.0}, "sub-gaussian"),
    ],
    ids=str,
)
def test_sigma_sharpens_and_is_needed_only_where_there_are_no_bounds(
    problem: dict[str, Any], width: str
) -> None:
    setup = _setup(problem)
    found = (setup.spec.quantizer.name, setup.policy.name, setup.spec.width)
    assert found == ("dyadic", "challenge", width)
    claim = claim_of(setup, [Bernoulli(mean=mean) for mean in (0.2, 0.5, 0.7)])
    too_small = problem.get("sigma", 1.0) < 0.5
    assert claim.delta == (None if too_small else 0.05), claim.reason
    assert has_twin(setup)  # and a kernel


@pytest.mark.parametrize("words", [{}, {"policy": "se"}, {"quantizer": "icq"}], ids=str)
def test_rewards_of_which_nothing_is_known_are_refused_with_what_to_give(
    words: dict[str, Any],
) -> None:
    with pytest.raises(ConfigError, match=r"give bounds .* \[0.0, 1.0\], or a sigma .* deviation"):
        _setup({}, **words)


def test_the_default_has_the_parameters_that_its_parts_have() -> None:
    setup = _setup()
    assert (setup.spec.quantizer, setup.policy) == (Dyadic(), ChallengeElimination())
    assert setup.spec.priors == ()


def test_words_reach_the_parts_of_the_default() -> None:
    setup = _setup(kappa=1.5, kappa_place=2.0, cap=3.0, patience=2.0, behind=0.5, aim=0.4)
    assert setup.spec.quantizer == Dyadic(kappa=1.5, kappa_place=2.0)
    assert setup.policy == ChallengeElimination(cap=3.0, patience=2.0, behind=0.5, aim=0.4)


def test_a_tolerance_reaches_the_default_policy() -> None:
    setup = _setup({"bounds": (0.0, 1.0), "epsilon": 0.1})
    assert setup.policy == ChallengeElimination(epsilon=0.1)


def test_the_papers_scheme_is_two_words() -> None:
    """α = 2 from t_1 = 2, three bits, a random prior, successive elimination, Eq. (1)."""
    setup = _setup(quantizer="icq", width="paper")
    assert setup.spec.quantizer == Icq(bits=3, prior="uniform")
    assert len(setup.spec.priors) == 3
    assert [setup.spec.schedule.pulls_at(i) for i in (1, 2, 3, 10)] == [2, 4, 8, 1024]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"bits": 3}, "bits does not apply to the quantizer dyadic; it is for icq"),
        ({"prior": "lower"}, "prior does not apply to the quantizer dyadic; it is for icq"),
        (
            {"policy": "se", "kappa_place": 1.0},
            "does not apply to the quantizer dicq; it is for dy",
        ),
        ({"growth": 1.5, "cap": 2.0}, "cap does not apply to the policy se; it is for"),
        ({"quantizer": "icq", "kappa": 1.0}, "kappa does not apply to the quantizer icq"),
        ({"quantizer": "icq", "cap": 2.0}, "cap does not apply to the policy se; it is for"),
        ({"policy": "lucb", "aim": 0.5}, "aim does not apply to the policy lucb; it is for chall"),
        ({"width": "no-such"}, "width must be one of .*paper"),
        ({"policy": "lucb", "width": _MIXTURE}, "use the width sub-gaussian"),
    ],
    ids=str,
)
def test_words_of_another_scheme_are_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        _setup(**words)


_JUDGED = {"policy": "challenge", "quantizer": "dyadic", "width": "bounded"}


@pytest.mark.parametrize(
    ("problem", "words", "message"),
    [
        ({}, {**_JUDGED, "width": "paper"}, "use the width bounded, which takes the bounds .* or"),
        ({}, {**_JUDGED, "quantizer": "dicq"}, "use the quantizer dyadic"),
        ({}, {**_JUDGED, "quantizer": "icq"}, "use the quantizer dyadic"),
        (
            {},
            {**_JUDGED, "growth": 1.5},
            "growth does not apply .* after every 1/32 more. Leave it out, or use .*: se",
        ),
        (
            {},
            {**_JUDGED, "checkpoints": [1, 2]},
            "checkpoints does not apply to the policy challenge",
        ),
        ({}, {**_JUDGED, "policy": "se"}, "use the policy challenge, or another width"),
        ({"sigma": 0.1}, _JUDGED, "leave sigma out, or use the width sub-gaussian"),
        (
            {"sigma": 0.1, "bounds": None},
            _JUDGED,
            "needs the bounds .* give sigma and use sub-gaus",
        ),
        ({"bounds": None}, _JUDGED, "the width bounded needs the bounds"),
    ],
    ids=str,
)
def test_what_agents_that_judge_themselves_cannot_use_is_refused_with_a_way_out(
    problem: dict[str, Any], words: dict[str, Any], message: str
) -> None:
    given = {"bounds": (0.0, 1.0)} | problem
    with pytest.raises(ConfigError, match=message):
        _setup({word: value for word, value in given.items() if value is not None}, **words)


def test_flags_that_ask_for_bounded_evidence_displace_a_files_sigma_and_schedule() -> None:
    assert "sigma" in displaced_words({"width": "bounded"})
    assert {"growth", "first", "checkpoints"} <= displaced_words({"policy": "challenge"})


@pytest.mark.parametrize("policy", ["sequential-halving", "successive-rejects"])
def test_a_fixed_budget_has_a_quantizer_of_its_own(policy: str) -> None:
    problem: dict[str, Any] = {"bounds": (0.0, 1.0), "pull_budget": 60}
    assert isinstance(_setup(problem, policy=policy).spec.quantizer, Dicq)


def test_flags_that_name_the_papers_quantizer_displace_what_only_the_default_has() -> None:
    assert {"kappa", "kappa_first", "kappa_place"} <= displaced_words({"quantizer": "icq"})
    assert {"cap", "patience", "behind", "aim"} <= displaced_words({"policy": "se"})


@pytest.mark.parametrize("word", ["growth", "first", "checkpoints"])
def test_agents_that_judge_look_when_they_look(word: str) -> None:
    value: Any = {"growth": 2.0, "first": 3, "checkpoints": (1, 2)}[word]
    with pytest.raises(ConfigError, match=f"{word} does not apply to the policy challenge"):
        _setup(quantizer="dyadic", policy="challenge", **{word: value})


def test_what_does_not_go_with_agents_that_judge_is_refused() -> None:
    with pytest.raises(ConfigError, match="weigh evidence, which the width pairwise is not"):
        _setup(quantizer="dyadic", policy="challenge", width="pairwise")
    with pytest.raises(ConfigError, match="icq has no question for the policy challenge"):
        _setup(quantizer="icq", policy="challenge")
    with pytest.raises(ConfigError, match="is for agents that judge themselves"):
        _setup(quantizer="dyadic", policy="se", width="bounded")
