"""Which scheme each partial choice of words gives, and that the default is sound."""

from typing import Any

import pytest

from bitarm.api.scheme import build, displaced_words
from bitarm.api.simulate import claim_of
from bitarm.core.policies import QuietElimination
from bitarm.core.quantizers import CHOICES, Dicq, Icq
from bitarm.core.schedule import GeometricSchedule, ListedSchedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.sim.models import Bernoulli
from bitarm.sim.tables import has_twin

_MIXTURE = "pairwise-mixture"


def _setup(problem: dict[str, Any] | None = None, **scheme: Any) -> Setup:
    given = {"bounds": (0.0, 1.0)} if problem is None else problem
    return build(("a", "b", "c"), seed=1, problem=given, scheme=scheme, limits={})


# Words that are given, then quantizer, policy, width, growth and first of what comes of them.
_TABLE: list[tuple[dict[str, Any], tuple[str, str, str, float, int]]] = [
    ({}, ("dicq", "quiet", _MIXTURE, 1.3, 2)),
    ({"quantizer": "dicq"}, ("dicq", "quiet", _MIXTURE, 1.3, 2)),
    ({"policy": "quiet"}, ("dicq", "quiet", _MIXTURE, 1.3, 2)),
    ({"width": "paper"}, ("dicq", "quiet", "paper", 1.3, 2)),
    ({"width": "pairwise"}, ("dicq", "quiet", "pairwise", 1.3, 2)),
    ({"growth": 2.0}, ("dicq", "quiet", _MIXTURE, 2.0, 2)),
    ({"first": 5}, ("dicq", "quiet", _MIXTURE, 1.3, 5)),
    ({"policy": "se"}, ("dicq", "se", _MIXTURE, 2.0, 2)),
    ({"policy": "se", "growth": 3.0}, ("dicq", "se", _MIXTURE, 3.0, 3)),
    ({"policy": "lucb"}, ("dicq", "lucb", "sub-gaussian", 2.0, 2)),
    ({"policy": "lucb", "width": "paper"}, ("dicq", "lucb", "paper", 2.0, 2)),
    ({"policy": "lil-ucb"}, ("dicq", "lil-ucb", "sub-gaussian", 2.0, 2)),
    ({"policy": "top-two"}, ("dicq", "top-two", "sub-gaussian", 2.0, 2)),
    ({"policy": "lil-ucb-count"}, ("dicq", "lil-ucb-count", "lil", 2.0, 2)),
    ({"quantizer": "dyadic"}, ("dyadic", "quiet", _MIXTURE, 1.3, 2)),
    ({"quantizer": "icq"}, ("icq", "se", _MIXTURE, 2.0, 2)),
    ({"quantizer": "icq", "width": "paper"}, ("icq", "se", "paper", 2.0, 2)),
    ({"quantizer": "icq", "policy": "lucb"}, ("icq", "lucb", "sub-gaussian", 2.0, 2)),
    ({"quantizer": "icq", "policy": "quiet"}, ("icq", "quiet", _MIXTURE, 1.3, 2)),
    ({"quantizer": "dyadic"}, ("dyadic", "quiet", _MIXTURE, 1.3, 2)),
    ({"quantizer": "exact"}, ("exact", "se", _MIXTURE, 2.0, 2)),
    ({"quantizer": "quban"}, ("quban", "se", _MIXTURE, 2.0, 2)),
    ({"quantizer": "fed-sel"}, ("fed-sel", "se", _MIXTURE, 2.0, 2)),
    ({"quantizer": "fed-sel-paper"}, ("fed-sel-paper", "se", _MIXTURE, 2.0, 2)),
]


@pytest.mark.parametrize(("words", "expected"), _TABLE, ids=lambda value: str(value))
def test_what_was_not_given_follows_from_what_was(
    words: dict[str, Any], expected: tuple[str, str, str, float, int]
) -> None:
    setup = _setup(**words)
    schedule = setup.spec.schedule
    assert isinstance(schedule, GeometricSchedule)
    found = (setup.spec.quantizer.name, setup.policy.name, setup.spec.width)
    assert (*found, schedule.growth, schedule.first) == expected


def test_every_quantizer_is_in_the_table() -> None:
    assert {expected[0] for _, expected in _TABLE} == set(CHOICES)


def test_the_default_has_the_parameters_that_its_parts_have() -> None:
    setup = _setup()
    assert (setup.spec.quantizer, setup.policy) == (Dicq(), QuietElimination())
    assert setup.spec.priors == ()


def test_the_papers_scheme_is_two_words() -> None:
    """α = 2 from t_1 = 2, three bits, a random prior, successive elimination, Eq. (1)."""
    setup = _setup(quantizer="icq", width="paper")
    assert setup.spec.quantizer == Icq(bits=3, prior="uniform")
    assert len(setup.spec.priors) == 3
    assert [setup.spec.schedule.pulls_at(i) for i in (1, 2, 3, 10)] == [2, 4, 8, 1024]


def test_a_tolerance_and_switches_reach_the_default_policy() -> None:
    problem = {"bounds": (0.0, 1.0), "epsilon": 0.1}
    setup = _setup(problem, cap=3.0, patience=2.0, leader_first=False, pilot=False)
    assert setup.policy == QuietElimination(
        epsilon=0.1, cap=3.0, patience=2.0, leader_first=False, pilot=False
    )


def test_a_list_of_checkpoints_takes_the_place_of_the_defaults_growth() -> None:
    assert _setup(checkpoints=[3, 9]).spec.schedule == ListedSchedule(checkpoints=(3, 9))


@pytest.mark.parametrize("problem", [{"bounds": (0.0, 1.0)}, {"sigma": 0.5}], ids=str)
@pytest.mark.parametrize("words", [words for words, _ in _TABLE[:7]], ids=str)
def test_the_default_and_its_neighbours_have_a_guarantee(
    problem: dict[str, Any], words: dict[str, Any]
) -> None:
    setup = _setup(problem, **words)
    scheme = setup
    claim = claim_of(scheme, [Bernoulli(mean=mean) for mean in (0.2, 0.5, 0.7)])
    assert claim.delta == 0.05, claim.reason
    assert has_twin(scheme)  # and a kernel


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"bits": 3}, "bits does not apply to the quantizer dicq; it is for icq"),
        ({"prior": "lower"}, "prior does not apply to the quantizer dicq; it is for icq"),
        ({"quantizer": "icq", "kappa": 1.0}, "kappa does not apply to the quantizer icq"),
        ({"quantizer": "icq", "cap": 2.0}, "cap does not apply to the policy se; it is for quiet"),
        ({"policy": "lucb", "pilot": False}, "pilot does not apply to the policy lucb"),
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
            "growth does not apply .* after every 1/32 more. Leave it",
        ),
        (
            {},
            {**_JUDGED, "checkpoints": [1, 2]},
            "checkpoints does not apply to the policy challenge",
        ),
        ({}, {**_JUDGED, "policy": "quiet"}, "use the policy challenge, or another width"),
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
def test_a_fixed_budget_has_the_same_quantizer(policy: str) -> None:
    problem: dict[str, Any] = {"bounds": (0.0, 1.0), "pull_budget": 60}
    assert isinstance(_setup(problem, policy=policy).spec.quantizer, Dicq)


def test_flags_that_name_the_papers_quantizer_displace_what_only_the_default_has() -> None:
    assert {"kappa", "kappa_first", "kappa_cut"} <= displaced_words({"quantizer": "icq"})
    assert {"cap", "patience", "leader_first", "pilot"} <= displaced_words({"policy": "se"})


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
        _setup(quantizer="dyadic", policy="quiet", width="bounded")
