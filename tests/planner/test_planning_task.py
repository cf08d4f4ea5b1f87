"""Planning tasks: their scale, the same with other gaps, and what is refused."""

import math
from typing import Any

import pytest
from planner.tasks import task_of

from bitarm.core.widths.pairwise import mixture_margin
from bitarm.errors import ConfigError


def test_the_scale_is_where_margin_and_errors_fall_below_the_gap() -> None:
    task = task_of(gap=0.2)
    pulls = task.longest

    def needed(pulls: float) -> float:
        return mixture_margin(int(pulls), 4, 0.05, 1.0) + 2.5 / math.sqrt(pulls)

    assert needed(pulls) <= 0.2 < needed(pulls / 1.2)


def test_twice_the_gap_takes_about_a_quarter_of_the_pulls() -> None:
    task = task_of(gap=0.01)
    assert task.longest / task.if_gaps_were(2.0).longest == pytest.approx(4, rel=0.15)


def test_bounded_rewards_are_simulated_in_units_of_their_bounds() -> None:
    words = task_of(gap=2.0, bounds=(-10.0, 10.0), sigma=10.0, epsilon=0.4).simulated_words()
    assert words == {"delta": 0.05, "sigma": 0.5, "bounds": (0.0, 1.0), "epsilon": 0.02}


def test_with_bounds_alone_no_sigma_is_said_and_noise_is_what_was_guessed() -> None:
    coins = task_of(gap=1.0, bounds=(0.0, 10.0))
    narrow = task_of(gap=1.0, bounds=(0.0, 10.0), spread=0.5)
    assert "sigma" not in coins.simulated_words() | coins.problem_words()
    assert coins.is_bet_on
    assert coins.longest == narrow.longest == coins.longest_judged
    assert narrow.longest_judged < coins.longest_judged / 20
    assert narrow.draws(narrow.guess) == 4 * narrow.longest_judged


_REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "one arm": ({"arms": 1}, "at least 2 arms are needed to tell which is best, got 1"),
    "no arms": ({"arms": None}, "say how many arms there are"),
    "half an arm": ({"arms": 2.5}, "arms must be a whole number"),
    "gaps of other arms": ({"gaps": [0.1, 0.2]}, "4 arms have 3 gaps below the best, got 2"),
    "delta": ({"delta": 1.0}, r"delta must lie in \(0, 1\)"),
    "sigma": ({"sigma": 0.0}, "sigma must be a finite number above 0"),
    "sigma of a text": ({"sigma": "wide"}, "sigma must be a number, got 'wide'"),
    "no sigma": ({"sigma": None}, "sigma is needed"),
    "bounds of one number": ({"bounds": (1.0,)}, "bounds must be two numbers"),
    "delta of a text": ({"delta": "small"}, "delta must be a number, got 'small'"),
    "bounds": ({"bounds": (1.0, 0.0)}, "bounds must be two numbers"),
    "narrow bounds": ({"bounds": (0.0, 0.5)}, "bounds 0 and 0.5 are too narrow for a gap of 0.5"),
    "epsilon": ({"epsilon": -1.0}, "epsilon must be a finite number, 0 or more, got -1.0"),
    "a mean too low for the gap": (
        {"bounds": (0.0, 1.0), "mean": 0.4},
        "a best mean 0.4 above the lower bound leaves no room for a gap of 0.5",
    ),
    "negative packets": (
        {"link": "nb-iot", "pull_packets": -1},
        "pull_packets must be 0 or more, got -1",
    ),
    "packets without a link": ({"pull_packets": 3}, "pull_packets are sent over a link: name it"),
    "a pull that never ends": (
        {"per_bit": 1, "pull_seconds": math.inf},
        "pull_seconds must be finite, 0 or more, got inf",
    ),
    "tiny gap": ({"gap": 1e-7}, "a gap of 1e-07 is too small for sigma = 1"),
    "no price": ({"per_bit": 0.0}, "every price is 0"),
    "a frame's price alone": ({"per_frame_unit": 2.0}, "name the link"),
    "an unknown link": ({"link": "pigeon"}, "link must be one of lorawan-eu868-dr0"),
}


@pytest.mark.parametrize(("words", "said"), _REFUSED.values(), ids=_REFUSED)
def test_a_task_that_has_no_plan_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        task_of(**words)
