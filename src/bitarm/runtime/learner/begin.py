"""How a learner's service begins: with a new run, or with one that the journal holds."""

from collections import Counter
from collections.abc import Iterable, Sequence

from bitarm.core.epochs import after
from bitarm.core.events import FleetAssigned, LearnerEvent, RunOpened
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.replay import replay
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError
from bitarm.runtime.learner.ongoing import LINGER, RETRY, OngoingRun
from bitarm.runtime.learner.service import LearnerService
from bitarm.wire.announcement import MOST_BYTES

_BYTES_AN_ARM = 16  # of an announcement, beside the name: its number, quotes, commas


def open_run(
    learner: Learner,
    journal: Journal,
    fleet: FleetAssigned,
    *,
    boot: str,
    caveats: Sequence[str] = (),
    watch: Watcher,
    now: float,
    retry: float = RETRY,
    linger: float = LINGER,
) -> tuple[int, LearnerService]:
    """Begin a new run: its number in the journal, and its service.

    `caveats` are facts known before the start that void the guarantee; the other arguments are
    those of `OngoingRun`. One transaction opens the run whole. ConfigError if an agent serves so
    many arms that no broker carries what it must be told of them.
    """
    _refuse_large(fleet, learner)
    opened, *rest = learner.start().events
    assert isinstance(opened, RunOpened)  # a learner's first event
    then: list[LearnerEvent] = [fleet, *rest]
    for caveat in caveats:
        if learner.phase is LearnerPhase.RUNNING:  # else a limit left it no round
            then.extend(learner.note(caveat).events)
    run = journal.open_run(opened, then)
    watch((opened, *then))
    ongoing = OngoingRun(
        learner,
        journal,
        run,
        fleet=fleet,
        boot=boot,
        watch=watch,
        now=now,
        retry=retry,
        linger=linger,
    )
    return run, LearnerService(ongoing, now=now)


def resume_run(
    journal: Journal,
    run: int,
    *,
    boot: str,
    heard: Iterable[int] = (),
    watch: Watcher,
    now: float,
    retry: float = RETRY,
    linger: float = LINGER,
) -> LearnerService:
    """The service of a run that was begun before; it asks again for what is missing.

    The learner is rebuilt from its events, and speaks in an epoch after all that the journal holds
    and that were `heard` of: whatever the process before it said cannot be taken for an answer. The
    new epoch is in the journal before this returns. ConfigError if run `run` had no agents of its
    own.
    """
    events = tuple(entry.event for entry in journal.read(run))
    standings = Standings.of(events)
    fleet = fleet_in(standings, run)
    learner = replay(events)
    if learner.phase is LearnerPhase.RUNNING:
        began = learner.begin(after(learner.epoch, heard)).events
        journal.append(run, began)
        events += began
    watch(events)
    ongoing = OngoingRun(
        learner,
        journal,
        run,
        fleet=fleet,
        boot=boot,
        watch=watch,
        now=now,
        before=standings,
        retry=retry,
        linger=linger,
    )
    return LearnerService(ongoing, now=now)


def fleet_in(standings: Standings, run: int) -> FleetAssigned:
    """Who serves a run of the journal; ConfigError if it had no agents of its own."""
    if standings.fleet is None:
        raise ConfigError(f"run {run} had no agents of its own: it cannot be resumed over a broker")
    return standings.fleet


def _refuse_large(fleet: FleetAssigned, learner: Learner) -> None:
    """An agent with so many arms that no broker carries what it must be told of them."""
    sizes = Counter(fleet.agents)
    agent, arms = sizes.most_common(1)[0]
    names = sum(
        len(learner.spec.arms[arm].encode()) + _BYTES_AN_ARM
        for arm, served_by in enumerate(fleet.agents)
        if served_by == agent
    )
    if names > MOST_BYTES:
        raise ConfigError(
            f"agent {agent} serves {arms:,} arms, and to tell it their names takes about "
            f"{names:,} bytes, where brokers carry {MOST_BYTES:,}: give some of them to others"
        )
