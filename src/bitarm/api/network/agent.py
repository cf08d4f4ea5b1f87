"""An agent's side of a run over a broker."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import final

from bitarm.api.arm_tables import ArmsFile
from bitarm.api.network.drive import PATIENCE, drive
from bitarm.api.sources import TopicArm
from bitarm.core.messages import Cause
from bitarm.core.outcome import Outcome
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import ConfigError
from bitarm.rewards.feeds import DirectFeed, Replayable, RewardFeed, ThreadFeed
from bitarm.rewards.sensors import SensorFeed
from bitarm.runtime.agent.file import AgentFile
from bitarm.runtime.agent.part import Supply
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.observed import ObservedService, ServiceFigures
from bitarm.runtime.service import Publication
from bitarm.wire.topics import check_name


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent's process ended: why each arm was dismissed; empty if it was stopped."""

    causes: Mapping[str, Cause]
    stopped: bool
    over: bool = False  # it found that its run had ended while it was away
    outcome: Outcome | None = None  # how the run ended; None if it goes on, or nobody told


def run_agent(
    problem: ArmsFile,
    *,
    agent: str,
    name: str,
    broker: Broker,
    state: Path,
    seed: int | None = None,
    most_pulls: int = MAX_PULLS,
    patience: float = PATIENCE,
    figures: ServiceFigures | None = None,
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
    blocking: dict[str, ThreadFeed] = {}
    supply = _supply(problem, agent, sensors, blocking)
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
        drive(observed, broker, patience, stop)
    finally:
        keeper.close()
        for feed in blocking.values():
            feed.close()
    if service.failure is not None:
        raise service.failure
    causes = service.causes_by_name
    return AgentEnd(
        causes=causes,
        stopped=stopped,
        over=not causes and not stopped,
        outcome=service.outcome,
    )


def _supply(
    problem: ArmsFile,
    agent: str,
    sensors: dict[str, list[SensorFeed]],
    blocking: dict[str, ThreadFeed],
) -> Supply:
    """What gives the feed of an arm, anew for each run.

    It notes sensors by topic, and by arm the feeds that must be closed in the end.
    """
    arms = {arm.name: arm for arm in problem.arms if arm.agent == agent}
    if not arms:
        known = ", ".join(sorted({arm.agent for arm in problem.arms}))
        raise ConfigError(f"the problem file has no arm of agent {agent!r}; it has {known:.300}")
    topics: dict[str, SensorFeed] = {}
    for arm in arms.values():
        if isinstance(arm.source, TopicArm):
            feed = SensorFeed(arm.source.pointer, label=arm.name)
            topics[arm.name] = feed
            sensors.setdefault(arm.source.topic, []).append(feed)

    def supply(name: str, number: int, seed: int) -> RewardFeed:
        arm = arms.get(name)
        if arm is None:
            raise ConfigError(
                f"the learner wants agent {agent} to serve {name!r}, and the "
                f"problem file here knows only {', '.join(arms):.300}"
            )
        if name in topics:
            return topics[name]
        source = arm.rewards(number, seed, folder=problem.folder)
        if isinstance(source, Replayable):
            return DirectFeed(source)
        before, blocking[name] = blocking.get(name), ThreadFeed(source)
        if before is not None:
            before.close()  # an earlier run's: two commands must not measure the same arm
        return blocking[name]

    return supply
