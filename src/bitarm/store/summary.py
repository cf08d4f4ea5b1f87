"""How a run's summary follows from its events: one rule for every journal.

Refuses to know where either is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bitarm.core.events import LearnerEvent, RunEnded, RunOpened
from bitarm.core.journal import RunSummary
from bitarm.errors import StoreError


def begun(opened: RunOpened, *, run: int, at: float) -> RunSummary:
    """The summary of a run that has only its opening."""
    return RunSummary(
        run=run,
        fingerprint=opened.setup.spec.fingerprint,
        arms=len(opened.setup.spec.arms),
        opened_at=at,
        ended_at=None,
        outcome=None,
        best_arm=None,
        entries=1,
    )


def continued(
    summary: RunSummary,
    events: Sequence[LearnerEvent],
    *,
    at: float,
    names: Callable[[], Sequence[str]],
) -> RunSummary:
    """The summary after `events` too; `names` gives the arms' names, asked only if one won."""
    if any(isinstance(event, RunOpened) for event in events):
        raise StoreError(
            f"run {summary.run} is open: a second opening begins another run, "
            "give it to open_run instead of append"
        )
    longer = replace(summary, entries=summary.entries + len(events))
    endings = [event for event in events if isinstance(event, RunEnded)]
    if not endings:
        return longer
    outcome, best = endings[-1].outcome, endings[-1].best_arm
    if best is not None and not 0 <= best < summary.arms:
        raise StoreError(
            f"run {summary.run} has arms 0 to {summary.arms - 1}, its ending names arm {best}: "
            "it belongs to another run"
        )
    return replace(
        longer,
        ended_at=at,
        outcome=outcome.value,
        best_arm=None if best is None else names()[best],
    )
