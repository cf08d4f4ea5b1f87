"""A planning task for tests, with one word or two changed."""

from typing import Any

from bitarm.planner.fixed_words import PROBLEM_WORDS, fixed_words
from bitarm.planner.guessed_gaps import gap_guess_of
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.prices import prices_of

_PRICES = (
    *("per_bit", "per_message", "per_downlink", "per_pull", "per_round", "link", "per_frame_unit"),
    *("pull_packets", "pull_seconds"),
)
_GAPS = ("gap", "gaps", "gap_prior")


def task_of(
    arms: int | None = 4, *, fixed: dict[str, Any] | None = None, **words: Any
) -> PlanningTask:
    """Four arms with a gap of 0.5 at σ = 1 and a price per bit and pull, unless told otherwise."""
    if "bounds" not in words:
        words = {"sigma": 1.0} | words
    prices = {word: words.pop(word) for word in _PRICES if word in words}
    guess = {word: words.pop(word) for word in _GAPS if word in words} or {"gap": 0.5}
    problem = {word: words.pop(word) for word in PROBLEM_WORDS if word in words}
    return PlanningTask.of(
        arms,
        guess=gap_guess_of(**guess),
        prices=prices_of(**(prices or {"per_bit": 1.0, "per_pull": 0.05})),
        problem=problem,
        fixed=fixed_words(fixed or {}),
        **words,
    )
