"""A question for tests, with one word or two changed."""

from typing import Any

from bitarm.core.limits import Limits
from bitarm.planner.asking import question_of
from bitarm.planner.question import Question


def ask(arms: int | None = 4, **words: Any) -> Question:
    """Four arms with a gap of 0.5 at σ = 1 and a price per bit and pull, unless told otherwise."""
    guess = {word: words.pop(word, None) for word in ("gap", "gaps", "gap_prior")}
    if not any(value is not None for value in guess.values()):
        guess["gap"] = 0.5
    problem = {
        "delta": words.pop("delta", 0.05),
        "sigma": words.pop("sigma", None if "bounds" in words else 1.0),
        "bounds": words.pop("bounds", None),
        "epsilon": words.pop("epsilon", 0.0),
    }
    link = words.pop("link", None)
    per_frame_unit = words.pop("per_frame_unit", None)
    simulated = {"family": words.pop("rewards", None), "offset": words.pop("offset", None)}
    prices = words or ({} if link else {"per_bit": 1.0, "per_pull": 0.05})
    return question_of(
        arms,
        guess=guess,
        problem=problem,
        simulated=simulated,
        prices=prices,
        link=link,
        per_frame_unit=per_frame_unit,
        limits=Limits(),
    )
