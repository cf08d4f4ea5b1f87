"""Guesses of the gaps: what they draw, how they scale, and what is refused."""

import numpy as np
import pytest

from bitarm.errors import ConfigError
from bitarm.planner.guessed_gaps import GapGuess, GapPrior, GuessedGaps, gap_guess_of, parse_prior

_GUESSES: list[GapGuess] = [
    GuessedGaps(gaps=(0.3,)),
    GuessedGaps(gaps=(0.1, 0.2, 0.4)),
    GapPrior(law="uniform", low=0.05, high=0.5),
    GapPrior(law="loguniform", low=0.001, high=1.0),
]


@pytest.mark.parametrize("guess", _GUESSES, ids=str)
def test_every_gap_lies_between_the_smallest_and_the_largest(guess: GapGuess) -> None:
    drawn = np.array([guess.draw(np.random.default_rng(seed), 3) for seed in range(200)])
    assert drawn.shape == (200, 3)
    assert drawn.min() >= guess.smallest > 0
    assert drawn.max() <= guess.largest


@pytest.mark.parametrize("guess", _GUESSES, ids=str)
def test_a_scaled_guess_draws_scaled_gaps(guess: GapGuess) -> None:
    plain = guess.draw(np.random.default_rng(1), 3)
    assert guess.scaled(2.0).draw(np.random.default_rng(1), 3) == pytest.approx(2 * plain)


def test_a_log_uniform_prior_halves_at_the_geometric_mean() -> None:
    drawn = GapPrior(law="loguniform", low=0.01, high=1.0).draw(np.random.default_rng(2), 4000)
    assert np.mean(drawn < 0.1) == pytest.approx(0.5, abs=0.05)


def test_a_prior_is_written_with_colons() -> None:
    assert parse_prior("uniform:0.05:0.5") == GapPrior(law="uniform", low=0.05, high=0.5)
    exactly = parse_prior("uniform:0.123456789:12345678.9")
    assert parse_prior(exactly.to_json()["gap_prior"]) == exactly
    assert gap_guess_of(gap=None, gaps=None, gap_prior="loguniform:0.1:1").to_json() == {
        "gap_prior": "loguniform:0.1:1"
    }


@pytest.mark.parametrize("gap", [0.0, -0.1, float("nan"), float("inf")])
def test_a_gap_that_is_none_is_refused(gap: float) -> None:
    with pytest.raises(ConfigError, match="a gap must be a finite number above 0"):
        gap_guess_of(gap=gap, gaps=None, gap_prior=None)
    with pytest.raises(ConfigError, match="a gap must be a finite number above 0"):
        gap_guess_of(gap=None, gaps=[0.1, gap], gap_prior=None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("normal:0:1", "the law of a gap prior must be one of uniform, loguniform, got 'normal'"),
        ("uniform:0:1", "the low end of a gap prior must be .* above 0"),
        ("uniform:0.5:0.1", "low end first, got 0.5 and 0.1"),
        ("uniform:0.5", "is written as uniform:0.05:0.5"),
        ("uniform:a:b", "is written as uniform:0.05:0.5"),
        ("", "is written as uniform:0.05:0.5"),
    ],
)
def test_a_prior_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_prior(text)


def test_one_guess_is_wanted_neither_none_nor_two() -> None:
    with pytest.raises(ConfigError, match="give one guess of the gaps"):
        gap_guess_of(gap=None, gaps=None, gap_prior=None)
    with pytest.raises(ConfigError, match="give one guess of the gaps"):
        gap_guess_of(gap=0.1, gaps=[0.1], gap_prior=None)
    with pytest.raises(ConfigError, match="at least one gap"):
        gap_guess_of(gap=None, gaps=[], gap_prior=None)


def test_no_raised_gap_is_below_the_least() -> None:
    assert GuessedGaps(gaps=(0.1, 0.4)).raised(0.2) == GuessedGaps(gaps=(0.2, 0.4))
    assert parse_prior("uniform:0.1:0.4").raised(0.2) == parse_prior("uniform:0.2:0.4")
    assert parse_prior("loguniform:0.1:0.4").raised(0.6) == parse_prior("loguniform:0.6:0.6")
