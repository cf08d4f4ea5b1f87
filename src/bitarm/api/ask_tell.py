"""A setup for who drives learner and agents by hand: `bitarm.setup`, `bitarm.Learner`, `Agent`."""

from collections.abc import Sequence
from typing import Any

from bitarm.api.scheme import build
from bitarm.api.words import seed_of, split
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError


def setup(arms: Sequence[str], *, seed: int | None = None, **words: Any) -> Setup:
    """A run before it begins, for `bitarm.Learner`.

        learner = bitarm.Learner(bitarm.setup(["north", "south"], delta=0.05, bounds=(0, 1)))

    `arms` are the names; the `words` are those of `identify` (docs/words.md). `seed` is for what
    the run draws itself; by default one is drawn. ConfigError for words that cannot be run.
    """
    problem, scheme, limits = split(words)
    if isinstance(arms, str | bytes):
        raise ConfigError(f"arms must be a list of names, got {arms!r:.80}")
    return build(
        tuple(map(str, arms)), seed=seed_of(seed), problem=problem, scheme=scheme, limits=limits
    )
