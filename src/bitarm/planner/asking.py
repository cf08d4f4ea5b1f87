"""From the words of a call to a question: what is missing gets its default, the rest is checked."""

import math
from typing import Any

from bitarm.api.words import number, whole_number
from bitarm.core.limits import Limits
from bitarm.core.spec import check_bounds, check_delta, check_sigma
from bitarm.errors import ConfigError
from bitarm.planner.frames import require_any_fit
from bitarm.planner.guess import guess_of
from bitarm.planner.prices import Prices
from bitarm.planner.question import Question
from bitarm.planner.rewards import rewards_of
from bitarm.runtime.links import find_link


def question_of(
    arms: int | None,
    *,
    guess: dict[str, Any],
    problem: dict[str, Any],
    simulated: dict[str, Any],
    prices: dict[str, float],
    link: str | None,
    per_frame_unit: float | None,
    limits: Limits,
) -> Question:
    """The question that these words ask, checked."""
    guessed = guess_of(**guess)
    if arms is None:
        if not guess["gaps"]:
            raise ConfigError("say how many arms there are")
        arms = len(guess["gaps"]) + 1
    bounds = problem["bounds"]
    check_delta(problem["delta"])
    check_bounds(bounds)
    sigma = problem["sigma"]
    if sigma is None:
        if bounds is None:
            raise ConfigError("sigma is needed: rewards without bounds have no default for it")
        sigma = (bounds[1] - bounds[0]) / 2
    check_sigma(number("sigma", sigma))
    epsilon = number("epsilon", problem["epsilon"])
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ConfigError(f"epsilon must be a finite number of 0 or more, got {epsilon}")
    profile = None if link is None else find_link(link)
    if profile is None and per_frame_unit is not None:
        raise ConfigError("per_frame_unit is the price of frames on a link: name the link")
    if profile is not None:
        require_any_fit(profile)
    charged = 0.0 if profile is None else 1.0 if per_frame_unit is None else per_frame_unit
    return Question(
        arms=whole_number("arms", arms),
        delta=number("delta", problem["delta"]),
        sigma=float(sigma),
        bounds=bounds,
        epsilon=epsilon,
        guess=guessed,
        rewards=rewards_of(
            simulated["family"], sigma=sigma, bounds=bounds, offset=simulated["offset"]
        ),
        prices=Prices(
            **{word: number(word, price) for word, price in prices.items()},
            link=profile,
            per_frame_unit=number("per_frame_unit", charged),
        ),
        limits=limits,
    )
