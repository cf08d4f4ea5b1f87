"""A run over a broker: the learner's side, and an agent's."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any, final

from bitarm.api.assumptions import sigma_caveats
from bitarm.api.extras import require
from bitarm.api.fleet import fleet_of
from bitarm.api.identify import new_seed
from bitarm.api.problem import Problem
from bitarm.api.sources import Topic
from bitarm.core.events import FleetAssigned
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.messages import Cause
from bitarm.core.policy import Outcome
from bitarm.core.result import RunResult, result_of
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError, TransportError
from bitarm.links.cost import LinkLedger
from bitarm.links.fit import on_link
from bitarm.links.profiles import find_link
from bitarm.rewards.feeds import DirectFeed, Replayable, RewardFeed, ThreadFeed
from bitarm.rewards.sensors import SensorFeed
from bitarm.runtime.agent.file import AgentFile
from bitarm.runtime.agent.part import Supply
from bitarm.runtime.agent.service import AgentService, fresh_name
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.chirpstack.service import RETRY as DEVICE_RETRY
from bitarm.runtime.chirpstack.service import ChirpStackService
from bitarm.runtime.learner.begin import fleet_in, open_run, resume_run
from bitarm.runtime.learner.probe import LearnerProbe
from bitarm.runtime.learner.service import RETRY, LearnerService
from bitarm.runtime.observed import Figures, ObservedService
from bitarm.runtime.service import Publication, Service
from bitarm.runtime.signals import Stopper
from bitarm.wire.topics import check_name

PATIENCE = 15.0
"""Seconds to try for a first connection."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerEnd:
    """How a learner's process ended: with a result, or stopped while the run goes on."""

    run: int
    result: RunResult | None
    ledger: LinkLedger | None  # what it cost on the link that the run named


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent's process ended: why each arm was dismissed; empty if it was stopped."""

    causes: Mapping[str, Cause]
    stopped: bool
    over: bool = False  # it found that its run had ended while it was away
    outcome: Outcome | None = None  # how the run ended; None if it goes on, or nobody told


def run_learner(
    problem: Problem,
    *,
    name: str,
    broker: Broker,
    journal: Journal,
    seed: int | None = None,
    watch: Watcher | None = None,
    patience: float = PATIENCE,
    figures: Figures | None = None,
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
    figures: Figures | None = None,
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


def run_agent(
    problem: Problem,
    *,
    agent: str,
    name: str,
    broker: Broker,
    state: Path,
    seed: int | None = None,
    most_pulls: int = MAX_PULLS,
    patience: float = PATIENCE,
    figures: Figures | None = None,
) -> AgentEnd:
    """Serve the arms of one agent until they are dismissed.

    Args:
        problem: as `load_arms` reads it.
        agent: its name, as the problem file has it at its arms.
        name: the run's, on the broker.
        broker: where it is, and how to log in.
        state: a folder for what it must not forget; it is locked while the agent runs.
        seed: refuse a run that has another; by default any will do.
        most_pulls: no question makes it pull more often than this.
        patience: seconds to try for a first connection.
        figures: kept up to date while it serves, for whoever looks at them.

    Raises ConfigError if the file has no arm of this agent, TransportError if the broker cannot be
    reached or another process serves this agent, StoreError if its memory cannot be read or
    written, RewardError if a source of rewards fails.
    """
    if not 1 <= most_pulls <= MAX_PULLS:
        raise ConfigError(f"most_pulls must lie between 1 and {MAX_PULLS:,}, got {most_pulls:,}")
    sensors: dict[str, list[SensorFeed]] = {}
    supply = _supply(problem, agent, sensors)
    keeper = AgentFile(state / check_name("the name of a run", name) / f"{agent}.json")
    try:
        service = AgentService(
            run=name,
            agent=agent,
            supply=supply,
            keeper=keeper,
            clip=problem.clip,
            bounds=problem.bounds,
            sensors=sensors,
            seed=seed,
            most_pulls=most_pulls,
        )
        stopped = False

        def stop(signal: Signals) -> tuple[Publication, ...]:
            nonlocal stopped
            stopped = True
            return tuple(service.stop())

        observed = service if figures is None else ObservedService(service, figures)
        _drive(observed, broker, patience, stop)
    finally:
        keeper.close()
    if service.failure is not None:
        raise service.failure
    causes = service.causes_by_name
    return AgentEnd(
        causes=causes,
        stopped=stopped,
        over=not causes and not stopped,
        outcome=service.outcome,
    )


def _supply(problem: Problem, agent: str, sensors: dict[str, list[SensorFeed]]) -> Supply:
    arms = {arm.name: arm for arm in problem.arms if arm.agent == agent}
    if not arms:
        known = ", ".join(sorted({arm.agent for arm in problem.arms}))
        raise ConfigError(f"the problem file has no arm of agent {agent!r}; it has {known:.300}")
    topics: dict[str, SensorFeed] = {}
    for arm in arms.values():
        if isinstance(arm.source, Topic):
            feed = SensorFeed(arm.source.pointer, label=arm.name)
            topics[arm.name] = feed
            sensors.setdefault(arm.source.checked_topic(arm.name), []).append(feed)

    def supply(name: str, number: int, seed: int) -> RewardFeed:
        arm = arms.get(name)
        if arm is None:
            raise ConfigError(
                f"the learner wants agent {agent} to serve {name!r}, and the "
                f"problem file here knows only {', '.join(arms):.300}"
            )
        if name in topics:
            return topics[name]
        source = problem.source(arm, number, seed)
        return DirectFeed(source) if isinstance(source, Replayable) else ThreadFeed(source)

    return supply


def _look_around(name: str, broker: Broker, patience: float) -> LearnerProbe:
    """What the broker knows of the run; a learner that lives there is an error."""
    probe = LearnerProbe(name, identity=secrets.token_hex(4))
    _drive(probe, broker, patience, None)
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
    figures: Figures | None,
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
    _drive(carried, broker, patience, stop)
    if service.failure is not None:
        raise service.failure
    if left:
        return LearnerEnd(run=run, result=None, ledger=service.ledger)
    events = (entry.event for entry in journal.read(run))
    result = result_of(Standings.of(events))
    return LearnerEnd(run=run, result=result, ledger=service.ledger)


def _drive(
    service: Service,
    broker: Broker,
    patience: float,
    stop: Callable[[Signals], tuple[Publication, ...]] | None,
) -> None:
    """Run a service; the first signal is handed to `stop`, a second one ends everything."""
    require("paho.mqtt.client", extra="net", what="a run over a broker")
    from bitarm.runtime.mqtt import MqttDriver

    driver = MqttDriver(service, broker, patience=patience)
    try:
        with Stopper() as stopper:
            driver.run(stopper)
            if stopper.received is not None:
                if stop is None:
                    raise KeyboardInterrupt
                driver.publish(stop(stopper.received))
                driver.run()
    finally:
        driver.close()


def _silent(events: Any) -> None:
    """Watch nothing."""
