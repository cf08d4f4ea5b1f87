"""The learner's side of a run over a broker."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from signal import Signals
from typing import Any, final

from bitarm.api.caveats import sigma_caveats
from bitarm.api.fleet import fleet_of
from bitarm.api.network.drive import PATIENCE, drive
from bitarm.api.problem import Problem
from bitarm.api.words import new_seed
from bitarm.core.events import FleetAssigned
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.errors import StoreError, TransportError
from bitarm.links.cost import LinkLedger
from bitarm.links.fit import on_link
from bitarm.links.profiles import find_link
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.chirpstack.service import RETRY as DEVICE_RETRY
from bitarm.runtime.chirpstack.service import ChirpStackService
from bitarm.runtime.learner.begin import fleet_in, open_run, resume_run
from bitarm.runtime.learner.ongoing import RETRY
from bitarm.runtime.learner.probe import LearnerProbe
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.observed import ObservedService, ServiceFigures
from bitarm.runtime.service import Publication, Service, fresh_name


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerEnd:
    """How a learner's process ended: with a result, or stopped while the run goes on."""

    run: int
    result: RunResult | None
    ledger: LinkLedger | None  # what it cost on the link that the run named


def run_learner(
    problem: Problem,
    *,
    name: str,
    broker: Broker,
    journal: Journal,
    seed: int | None = None,
    watch: Watcher | None = None,
    patience: float = PATIENCE,
    figures: ServiceFigures | None = None,
) -> LearnerEnd:
    """Open a run for the agents of a problem, and stay with it to its end.

    Args:
        problem: as `load_problem` reads it; its [network] says who is waited for, and how long.
        name: the run's, by which agents find it on the broker.
        broker: where it is, and how to log in.
        journal: where events are kept; `resume_learner` goes on from there.
        seed: by default one is drawn.
        watch: called with events after they are kept.
        patience: seconds to try for a first connection.
        figures: kept up to date while the run goes on, for whoever looks at them.

    SIGTERM and SIGHUP leave the run to be resumed, Ctrl-C ends it. Raises ConfigError if the
    problem cannot be run or does not fit its link, TransportError if the broker cannot be reached
    or the run has a learner already.
    """
    fleet = fleet_of(problem, name)
    setup = problem.setup(new_seed() if seed is None else seed)
    if fleet.link is not None:
        setup = on_link(find_link(fleet.link), setup)
    caveats = sigma_caveats(setup.spec, problem.known_models())
    _look_around(name, broker, patience)

    def begin(now: float) -> tuple[int, LearnerService]:
        learner = Learner(setup, opening=fresh_name())
        return open_run(
            learner,
            journal,
            fleet,
            boot=fresh_name(),
            caveats=caveats,
            watch=watch or _silent,
            now=now,
            retry=_retry(fleet),
        )

    return _stay(begin, fleet, broker, journal, patience, figures)


def resume_learner(
    journal: Journal,
    run: int,
    *,
    broker: Broker,
    watch: Watcher | None = None,
    patience: float = PATIENCE,
    figures: ServiceFigures | None = None,
) -> LearnerEnd:
    """Go on with run number `run` of the journal, and stay with it to its end.

    Raises StoreError if the journal has no such run or cannot be replayed, ConfigError if the run
    was not over a broker, TransportError as `run_learner` does.
    """
    standings = Standings.of(entry.event for entry in journal.read(run))
    fleet = fleet_in(standings, run)
    heard = _look_around(fleet.fleet, broker, patience).epochs(standings.opened.opening)

    def begin(now: float) -> tuple[int, LearnerService]:
        return run, resume_run(
            journal,
            run,
            boot=fresh_name(),
            heard=heard,
            watch=watch or _silent,
            now=now,
            retry=_retry(fleet),
        )

    return _stay(begin, fleet, broker, journal, patience, figures)


def _look_around(name: str, broker: Broker, patience: float) -> LearnerProbe:
    """What the broker knows of the run; a learner that lives there is an error."""
    probe = LearnerProbe(name, identity=secrets.token_hex(4))
    drive(probe, broker, patience, None)
    if probe.found:
        raise TransportError(
            f"run {name!r} on {broker.url} has a learner already. End it first, "
            "or choose another name for this run (--run)"
        )
    return probe


def _retry(fleet: FleetAssigned) -> float:
    return RETRY if fleet.application is None else DEVICE_RETRY


def _stay(
    begin: Callable[[float], tuple[int, LearnerService]],
    fleet: FleetAssigned,
    broker: Broker,
    journal: Journal,
    patience: float,
    figures: ServiceFigures | None,
) -> LearnerEnd:
    run, service = begin(time.monotonic())
    left = False

    def stop(signal: Signals) -> tuple[Publication, ...]:
        nonlocal left
        if signal is not Signals.SIGINT:  # machine or terminal go: the run waits to be resumed
            left = True
            return tuple(service.leave())
        service.interrupt()
        return ()

    carried: Service = service if fleet.application is None else ChirpStackService(service, fleet)
    if figures is not None:
        figures.agents, figures.count_present = len(set(fleet.agents)), service.count_present
        carried = ObservedService(carried, figures)
    try:
        drive(carried, broker, patience, stop)
        if service.failure is not None:
            raise service.failure
        if left:
            return LearnerEnd(run=run, result=None, ledger=service.ledger)
        standings = Standings.of(entry.event for entry in journal.read(run))
    except StoreError as error:  # who begins anew instead would lose what was measured
        raise StoreError(
            f"{error}. Then go on with the run, all of it that was kept: bitarm learner --resume "
            f"{run}"
        ) from error
    return LearnerEnd(run=run, result=result_of(standings), ledger=service.ledger)


def _silent(events: Any) -> None:
    """Watch nothing."""
