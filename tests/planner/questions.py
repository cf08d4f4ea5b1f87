"""A question for tests, with one word or two changed."""

from typing import Any

from bitarm.planner.fixed import fixed_words
from bitarm.planner.prices import prices_of
from bitarm.planner.question import Question, question_of

_PRICES = ("per_bit", "per_message", "per_pull", "per_round", "link", "per_frame_unit")


def ask(arms: int | None = 4, *, fixed: dict[str, Any] | None = None, **words: Any) -> Question:
    """Four arms with a gap of 0.5 at σ = 1 and a price per bit and pull, unless told otherwise."""
    if not {"gap", "gaps", "gap_prior"} & words.keys():
        words["gap"] = 0.5
    if "bounds" not in words:
        words = {"sigma": 1.0} | words
    prices = {word: words.pop(word) for word in _PRICES if word in words}
    return question_of(
        arms,
        prices=prices_of(**(prices or {"per_bit": 1.0, "per_pull": 0.05})),
        fixed=fixed_words(fixed or {}),
        **words,
    )
