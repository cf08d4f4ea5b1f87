"""`identify` in Python: the answer, the words, what is refused, and what voids the guarantee."""

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import bitarm
from bitarm.api.identify import identify_problem
from bitarm.api.problem import parse_problem
from bitarm.api.words import new_seed
from bitarm.core.events import LearnerEvent, RunEnded, RunOpened
from bitarm.core.outcome import Outcome
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError, RewardError
from bitarm.rewards.draws import ModelSource
from bitarm.sim.models import Bernoulli, Gaussian
from bitarm.store import MemoryJournal, SqliteJournal

Rewards = dict[str, Callable[[], float]]


def _coins(seed: int = 1) -> Rewards:
    rng = random.Random(seed)
    return {
        "copper": lambda: float(rng.random() < 0.2),
        "silver": lambda: float(rng.random() < 0.5),
        "gold": lambda: float(rng.random() < 0.9),
    }


def _identify(arms: Any = None, **words: Any) -> bitarm.RunResult:
    given: dict[str, Any] = {"bounds": (0, 1), "seed": 1} | words
    return bitarm.identify(arms or _coins(), **given)


def test_the_best_arm_is_named_with_its_guarantee() -> None:
    result = _identify(delta=0.01)
    assert (result.best_arm, result.best_arm_name) == (2, "gold")
    assert (result.outcome, result.guarantee) == (Outcome.DECIDED, 0.01)
    assert (result.quantizer, result.bits, result.policy) == ("dyadic", None, "challenge")
    assert (result.growth, result.width) == (None, "bounded")


def test_the_papers_scheme_is_two_words_away() -> None:
    result = _identify(delta=0.01, quantizer="icq", width="paper")
    assert (result.best_arm_name, result.guarantee) == ("gold", 0.01)
    assert (result.quantizer, result.bits, result.policy) == ("icq", 3, "se")
    assert (result.sigma, result.growth, result.width) == (0.5, 2.0, "paper")


def test_words_reach_the_scheme() -> None:
    result = _identify(
        delta=0.2,
        sigma=0.6,
        epsilon=0.1,
        quantizer="quban",
        epsilon_quban=1.0,
        policy="lil-ucb",
        width="lil",
        growth=1.5,
        first=3,
    )
    assert (result.delta, result.sigma, result.epsilon) == (0.2, 0.6, 0.1)
    assert (result.quantizer, result.bits) == ("quban", None)
    assert (result.policy, result.width, result.growth) == ("lil-ucb", "lil", 1.5)


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [
        ({"max_rounds": 2}, Outcome.ROUND_LIMIT),
        ({"max_samples": 10}, Outcome.SAMPLE_LIMIT),
        ({"max_bits": 8}, Outcome.BIT_LIMIT),
        ({"checkpoints": [1, 2]}, Outcome.SAMPLE_LIMIT),
    ],
    ids=str,
)
def test_a_limit_is_an_outcome_without_an_answer(limit: dict[str, Any], outcome: Outcome) -> None:
    result = _identify(**limit)
    assert (result.outcome, result.best_arm, result.best_arm_name) == (outcome, None, None)
    assert result.guarantee is None
    assert result.contenders == ("copper", "silver", "gold")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"delta": 0}, r"delta must lie in \(0, 1\), got 0"),
        ({"delta": math.nan}, r"delta must lie in \(0, 1\), got nan"),
        ({"sigma": 0.0}, "sigma must be a finite number above 0, got 0.0"),
        ({"bounds": None}, "sigma is needed where rewards have no bounds: give bounds"),
        ({"bounds": (1, 0)}, "bounds must be two .*, the lower first, got 1"),
        ({"quantizer": "icq", "bits": 0}, "bits must lie between 1 and 32, got 0"),
        ({"growth": 1.0}, "growth must be a finite number above 1, got 1.0"),
        ({"max_rounds": 0}, "the limit on rounds must be at least 1, got 0"),
        ({"max_samples": 0}, "the limit on samples must be at least 1, got 0"),
        ({"max_bits": 0}, "the limit on bits must be at least 1, got 0"),
        ({"seed": -1}, "seed must be a whole number between 0 and 2.64 − 1, got -1"),
        ({"seed": 2**64}, "seed must be a whole number between 0 and 2.64 − 1, got"),
        ({"quantizer": "icg"}, "quantizer must be one of .* did you mean icq"),
        ({"policy": "luc"}, "policy must be one of .* did you mean lucb"),
        ({"width": "papre"}, "width must be one of .* did you mean paper"),
        ({"quantizer": "icq", "prior": "unifrom"}, "prior must be one of .* did you mean uniform"),
        ({"quantizer": "exact", "bits": 3}, "bits does not apply to the quantizer exact"),
        ({"bits": 3}, "bits does not apply to the quantizer dyadic; it is for icq"),
        ({"policy": "se", "cap": 3.0}, "cap does not apply to the policy se; it is for"),
        ({"quantizer": "icq", "aim": 0.5}, "aim does not apply to the policy se; it is for chal"),
        ({"policy": "lucb", "width": "pairwise-mixture"}, "use the width sub-gaussian"),
        ({"policy": "lil-ucb-count", "epsilon": 0.1}, "epsilon does not apply to the policy"),
        ({"checkpoints": [1, 2], "growth": 2}, "growth does not apply to a list of checkpoints"),
        # Wrong types.
        ({"delta": "high"}, "delta must be a number, got 'high'"),
        ({"delta": True}, "delta must be a number, got True"),
        ({"epsilon": "much"}, "epsilon must be a number, got 'much'"),
        ({"bits": 2.5}, "bits must be a whole number, got 2.5"),
        ({"bits": "3"}, "bits must be a whole number, got '3'"),
        ({"bounds": (0,)}, r"bounds must be two numbers, got \(0,\)"),
        ({"bounds": "01"}, "bounds must be two numbers, got '01'"),
        ({"bounds": 1}, "bounds must be two numbers, got 1"),
        (
            {"quantizer": ["icq"]},
            r"quantizer must be a name, or in Python an instance, got \['icq'\]",
        ),
        ({"prior": 3}, "prior must be a text, got 3"),
        ({"growth": "2"}, "growth must be a number, got '2'"),
        ({"first": 2.5}, "first must be a whole number, got 2.5"),
        ({"checkpoints": [1.5, 3]}, "checkpoints must be a whole number, got 1.5"),
        ({"checkpoints": 3}, "checkpoints must be a list of whole numbers, got 3"),
        ({"max_rounds": 1.5}, "rounds must be a whole number, got 1.5"),
        ({"max_samples": "10"}, "samples must be a whole number, got '10'"),
        ({"seed": "x"}, "seed"),
        ({"seed": 1.5}, "seed"),
    ],
    ids=str,
)
def test_words_that_cannot_be_used_are_refused(words: dict[str, Any], message: str) -> None:
    pulled: list[int] = []

    def reward() -> float:
        pulled.append(1)
        return 0.5

    arms = {"a": reward, "b": reward}
    with pytest.raises(ConfigError, match=message):
        _identify(arms, **words)
    assert pulled == []


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ({"a": float}, "at least 2 arms are needed to tell which is best, got 1"),
        ({"a": float, "b": 3}, "arm 'b' needs a function that returns a reward, .*, got 3"),
    ],
)
def test_arms_that_cannot_be_used_are_refused(arms: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        bitarm.identify(arms, bounds=(0, 1))


def test_no_arm_at_all_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"at least 2 arms are needed .* got 0"):
        bitarm.identify({}, bounds=(0, 1))


@pytest.mark.parametrize(
    ("reward", "message"),
    [
        (math.nan, "a reward must be a finite number, got nan"),
        (math.inf, "a reward must be a finite number, got inf"),
        (1.5, r"a reward of 1.5 lies outside the bounds \[0.0, 1.0\]"),
        ("x", "must return a number, got 'x'"),
    ],
)
def test_a_reward_that_cannot_be_used_names_its_arm(reward: Any, message: str) -> None:
    arms = _coins() | {"silver": lambda: reward}
    with pytest.raises(RewardError, match=rf"^silver \(arm 1\): .*{message}"):
        _identify(arms)


def test_clipped_rewards_void_the_guarantee() -> None:
    arms = _coins() | {"gold": lambda: 1.5}
    result = _identify(arms, clip=True)
    assert (result.best_arm_name, result.guarantee) == ("gold", None)
    assert "clipped" in result.guarantee_reason


@pytest.mark.parametrize(("sigma", "valid"), [(0.49, False), (0.5, True), (0.6, True)])
def test_a_sigma_that_is_too_small_for_a_model_voids_the_guarantee(
    sigma: float, *, valid: bool
) -> None:
    arms = {
        "low": ModelSource(Bernoulli(mean=0.1), seed=1, arm=0),
        "even": ModelSource(Bernoulli(mean=0.5), seed=1, arm=1),
    }
    result = _identify(arms, sigma=sigma)
    assert result.outcome is Outcome.DECIDED
    if valid:
        assert result.guarantee == 0.05
    else:
        assert result.guarantee is None
        assert f"sigma = {sigma} is too small" in result.guarantee_reason
        assert "0.5 is valid" in result.guarantee_reason


def test_unbounded_rewards_need_a_sigma_and_no_bounds() -> None:
    arms = {
        "left": ModelSource(Gaussian(mean=-50.0, sd=2.0), seed=1, arm=0),
        "right": ModelSource(Gaussian(mean=70.0, sd=2.0), seed=1, arm=1),
    }
    result = bitarm.identify(arms, sigma=2.0, seed=1)
    assert (result.best_arm_name, result.guarantee, result.bounds) == ("right", 0.05, None)


def test_the_same_seed_and_rewards_give_the_same_result() -> None:
    assert _identify(_coins(3), seed=8) == _identify(_coins(3), seed=8)


def test_without_a_seed_one_is_drawn_and_told() -> None:
    seeds = {_identify(seed=None).seed for _ in range(3)}
    assert len(seeds) == 3
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert new_seed() != new_seed()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_events_go_to_the_journal_and_then_to_the_watcher(kind: str, tmp_path: Path) -> None:
    journal = MemoryJournal() if kind == "memory" else SqliteJournal.open(tmp_path / "j.sqlite")
    told: list[LearnerEvent] = []

    def watch(events: Sequence[LearnerEvent]) -> None:
        told.extend(events)

    result = _identify(journal=journal, watch=watch)
    kept = [entry.event for entry in journal.read(journal.runs()[0].run)]
    journal.close()
    assert told == kept
    (ending,) = (event for event in kept if isinstance(event, RunEnded))
    assert ending.best_arm == result.best_arm
    # Arms that gave up early say after how many pulls when the run has ended.
    assert ending.samples >= result.samples == Standings.of(kept).samples


def test_a_failure_leaves_the_run_in_the_callers_journal() -> None:
    journal = MemoryJournal()
    calls: list[int] = []

    def flaky() -> float:
        calls.append(1)
        if len(calls) > 4:
            raise OSError("cable")
        return 0.5

    with pytest.raises(RewardError, match="raised OSError: cable"):
        _identify(_coins() | {"flaky": flaky}, journal=journal)
    (run,) = journal.runs()
    assert run.outcome == "interrupted"


def test_an_empty_journal_is_used_and_not_replaced() -> None:
    class Sized:
        """A journal that has a length, and so is false while it is empty."""

        def __init__(self) -> None:
            self.journal = MemoryJournal()

        def __len__(self) -> int:
            return len(self.journal.runs())

        def __getattr__(self, name: str) -> Any:
            return getattr(self.journal, name)

    journal: Any = Sized()
    _identify(journal=journal)
    assert len(journal) == 1


def test_a_problem_from_a_file_gives_the_same_as_the_words_in_python() -> None:
    text = """
        [problem]
        bounds = [0, 1]
        delta = 0.1
        [scheme]
        quantizer = "icq"
        bits = 2
        [limits]
        rounds = 20
        [[arm]]
        name = "low"
        source = "bernoulli"
        mean = 0.2
        [[arm]]
        name = "high"
        source = "bernoulli"
        mean = 0.9
    """
    by_file = identify_problem(parse_problem(text, Path()), seed=4)
    arms = {
        "low": ModelSource(Bernoulli(mean=0.2), seed=4, arm=0),
        "high": ModelSource(Bernoulli(mean=0.9), seed=4, arm=1),
    }
    words: dict[str, Any] = {"bounds": (0, 1), "delta": 0.1, "quantizer": "icq", "bits": 2}
    by_words = bitarm.identify(arms, seed=4, max_rounds=20, **words)
    assert by_file == by_words
    assert by_file.best_arm_name == "high"


def test_the_identity_of_a_run_covers_settings_limits_and_data() -> None:
    def opened(arms: Any, **words: Any) -> tuple[str, str]:
        events: list[LearnerEvent] = []
        given: dict[str, Any] = {"bounds": (0, 1), "seed": 1, "policy": "se"} | words
        result = bitarm.identify(arms, watch=events.extend, **given)
        assert isinstance(events[0], RunOpened)
        return result.fingerprint, events[0].opening

    zeros, ones = [0.0] * 900, [1.0] * 900
    fingerprint, opening = opened([zeros, ones])
    assert opened([zeros, ones]) == (fingerprint, opening)
    others: list[dict[str, Any]] = [
        {"epsilon": 0.1},
        {"max_samples": 10_000},
        {"policy": "lucb", "width": "sub-gaussian", "growth": 2.0, "first": 2},
        {"delta": 0.1},
        {"seed": 2},
    ]
    for words in others:
        assert opened([zeros, ones], **words)[0] != fingerprint, words
    same, elsewhere = opened([zeros, [*ones[:-1], 0.5]])
    assert same == fingerprint  # which names the settings
    assert elsewhere != opening  # as this does the run
