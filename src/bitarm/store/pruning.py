"""Which runs of a journal may be forgotten: by age, by number, by size, and never a live one.

Decides; refuses to know how runs are kept and deleted. A run without an ending may be going on: the
journal cannot tell it from one that was cut off, except by how long nothing has happened in it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.journal import RunSummary
from bitarm.errors import ConfigError

_AT_REST = 3600.0
"""Seconds after its end for which a run is kept in any case: its learner may still add to it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """What is to be forgotten: whatever one of these rules names. Infinite means no such rule.

    `older_than` is a number of seconds since a run ended; `newest` runs that ended are kept of
    each journal; together, runs that ended take at most `most_bytes`. Runs without an ending are
    kept, unless nothing has happened in them for `silent_for` seconds.
    """

    older_than: float = float("inf")
    newest: float = float("inf")
    most_bytes: float = float("inf")
    silent_for: float = float("inf")

    def __post_init__(self) -> None:
        rules = (self.older_than, self.newest, self.most_bytes, self.silent_for)
        if not all(rule >= 0 for rule in rules):
            raise ConfigError("ages, numbers and sizes of runs to keep cannot be below 0")
        if all(rule == float("inf") for rule in rules):
            raise ConfigError(
                "say which runs to forget: by age (--older-than), by number (--keep), by size "
                "(--max-size) or by silence (--silent-for)"
            )


def prunable(
    rule: Pruning,
    runs: Sequence[RunSummary],
    *,
    now: float,
    sizes: Mapping[int, int],
    last_at: Callable[[int], float],
) -> list[RunSummary]:
    """The runs that a rule forgets, the oldest first.

    `runs` has the newest first. `sizes` has the bytes of each, `last_at` says when something
    happened last in a run.
    """
    ended = [run for run in runs if run.ended_at is not None]
    found, kept_bytes = set(), 0
    for place, run in enumerate(ended):
        assert run.ended_at is not None
        age = now - run.ended_at
        kept_bytes += sizes.get(run.run, 0)
        is_named = age > rule.older_than or place >= rule.newest or kept_bytes > rule.most_bytes
        if is_named and age > _AT_REST:
            found.add(run.run)
    if rule.silent_for < float("inf"):
        silence = max(rule.silent_for, _AT_REST)
        found |= {
            run.run for run in runs if run.ended_at is None and now - last_at(run.run) > silence
        }
    return [run for run in reversed(runs) if run.run in found]
