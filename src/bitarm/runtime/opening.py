"""How a learner's service begins: with a new run, or with one that the journal holds."""

from collections.abc import Sequence

from bitarm.core.events import FleetAssigned, LearnerEvent, RunOpened
from bitarm.core.journal import Journal
from bitarm.core.learner import Learner
from bitarm.core.replay import replay
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError
from bitarm.runtime.announcement import opening_of
from bitarm.runtime.embedded import Watcher
from bitarm.runtime.learner_service import LINGER, RETRY, LearnerService
from bitarm.runtime.link_ledger import LinkLedger
from bitarm.runtime.links import find_link


def open_run(
    learner: Learner,
    journal: Journal,
    fleet: FleetAssigned,
    *,
    caveats: Sequence[str] = (),
    watch: Watcher,
    now: float,
    retry: float = RETRY,
    linger: float = LINGER,
) -> tuple[int, LearnerService]:
    """A new run: its number in the journal, and its service. One transaction opens it whole."""
    opened, *rest = learner.start().events
    assert isinstance(opened, RunOpened)  # a learner's first event
    then: list[LearnerEvent] = [fleet, *rest]
    for caveat in caveats:
        then.extend(learner.note(caveat).events)
    run = journal.open_run(opened, then)
    watch((opened, *then))
    service = LearnerService(
        learner,
        journal,
        run,
        fleet=fleet,
        opening=_opening(journal, run),
        watch=watch,
        now=now,
        ledger=None if fleet.link is None else LinkLedger(find_link(fleet.link)),
        retry=retry,
        linger=linger,
    )
    return run, service


def resume_run(
    journal: Journal,
    run: int,
    *,
    watch: Watcher,
    now: float,
    retry: float = RETRY,
    linger: float = LINGER,
) -> LearnerService:
    """The service of a run that was begun before; it asks again for what is missing."""
    events = tuple(entry.event for entry in journal.read(run))
    standings = Standings.of(events)
    fleet = fleet_in(standings, run)
    learner = replay(events)
    watch(events)
    return LearnerService(
        learner,
        journal,
        run,
        fleet=fleet,
        opening=_opening(journal, run),
        watch=watch,
        now=now,
        before=standings.traffic,
        ledger=None if fleet.link is None else LinkLedger(find_link(fleet.link), resumed=True),
        retry=retry,
        linger=linger,
    )


def fleet_in(standings: Standings, run: int) -> FleetAssigned:
    """Who serves a run of the journal; ConfigError if it had no agents of its own."""
    if standings.fleet is None:
        raise ConfigError(f"run {run} had no agents of its own: it cannot be resumed over a broker")
    return standings.fleet


def _opening(journal: Journal, run: int) -> str:
    summary = next(summary for summary in journal.runs() if summary.run == run)
    return opening_of(summary.fingerprint, run, summary.opened_at)
