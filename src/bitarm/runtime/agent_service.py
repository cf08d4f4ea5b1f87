"""An agent as a service: it joins a run, pulls what is asked for, and reports; without a socket.

One service is one identity on the broker and serves one arm, or all arms of one gateway. Reports
of one round leave together, packed, after the memory that they follow from is durable.
"""

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from bitarm import wire
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.rewards import collect
from bitarm.core.spec import RunSpec
from bitarm.errors import (
    BitarmError,
    ConfigError,
    FrameError,
    LocalProtocolError,
    ProtocolError,
    RewardError,
)
from bitarm.runtime.agent_file import AgentMemory, Keeper
from bitarm.runtime.announcement import Opened, load_announcement
from bitarm.runtime.feeds import Feed, SensorFeed
from bitarm.runtime.refusals import Refusals
from bitarm.runtime.service import Endpoint, Publication
from bitarm.runtime.sources import PULLED_AT_ONCE
from bitarm.runtime.status import Presence, Status, dump_status
from bitarm.runtime.topics import Kind, Topics, check_agent, check_name

Supply = Callable[[RunSpec, int], Feed]
"""The feed of an arm under a spec; ConfigError if this agent has none."""

_LOGGER = logging.getLogger("bitarm.agent")
_SAVED_EVERY = 1.0  # seconds of live rewards that a crash may cost
_LOOK_EVERY = 0.02  # seconds between two looks at a live feed
_SAY_AGAIN = (30.0, 600.0)  # seconds of silence after which an idle agent says that it is there


@final
class AgentService:
    """Serves the arms that the run's announcement assigns to this agent.

    `failure` says why it gave up, if it did: rewards that failed, or settings that do not fit.
    """

    def __init__(
        self,
        *,
        run: str,
        agent: str,
        supply: Supply,
        keeper: Keeper,
        clip: bool = False,
        sensors: Mapping[str, Sequence[SensorFeed]] | None = None,
        fingerprint: int | None = None,
    ) -> None:
        self._topics = Topics(check_name("the name of a run", run))
        self._agent = check_agent(agent)
        self._supply = supply
        self._keeper = keeper
        self._clip = clip
        self._sensors = dict(sensors or {})
        self._expected = fingerprint
        self._inbox: list[tuple[str, bytes]] = []
        self._memory: AgentMemory | None = None
        self._machines: dict[int, Agent] = {}
        self._feeds: dict[int, Feed] = {}
        self._reports: dict[int, Report] = {}  # made, not yet published
        self._most_bytes = wire.MAX_BYTES  # of a frame, on the run's link
        self._tell: Presence | None = None  # a status that is due
        self._saved_at = 0.0
        self._say_at, self._patience = math.inf, _SAY_AGAIN[0]
        self._ended = False
        self.refusals = Refusals()
        self.failure: BitarmError | None = None
        self.finished = False
        self.endpoint = Endpoint(
            client_id=f"bitarm-{run}-{agent}",
            subscriptions=(
                self._topics.spec,
                self._topics.of(agent, Kind.REQUEST),
                *self._sensors,
            ),
            will=self._status(Presence.OFFLINE),
        )

    # -- what the wire says ------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """Say that we are there; the learner then asks again for what it misses."""
        self._tell = Presence.ONLINE
        self._patience = _SAY_AGAIN[0]
        self._say_at = now + self._patience

    def disconnected(self, now: float) -> None:
        """Go on pulling; what could not be sent will be asked for again."""
        self._inbox.clear()
        self._say_at = math.inf

    def received(self, topic: str, payload: bytes) -> None:
        """Remember a message; a sensor's is handed on at once."""
        if topic in self._sensors:
            for sensor in self._sensors[topic]:
                sensor.offer(payload)
        else:
            self._inbox.append((topic, payload))

    def step(self, now: float) -> Iterable[Publication]:
        """Act on what came in, pull a little, and report when everything asked for is there."""
        if self.finished:
            return ()
        try:
            for topic, payload in self._drained():
                self._take_in(topic, payload)
                self._patience = _SAY_AGAIN[0]
                self._say_at = now + self._patience
            self._pull(now)
            if now >= self._say_at and not self._pulling():
                self._tell = Presence.ONLINE  # perhaps the learner missed it
                self._patience = min(2 * self._patience, _SAY_AGAIN[1])
                self._say_at = now + self._patience
            return self._speak()
        except (RewardError, ConfigError) as error:
            return self._give_up(error)

    def wake_at(self, now: float) -> float:
        """At once while there is more to pull; now and then while a live source is slow."""
        pulling = self._pulling()
        if not pulling:
            return self._say_at
        return now + (_LOOK_EVERY if all(self._feeds[arm].live for arm in pulling) else 0.0)

    def stop(self) -> Iterable[Publication]:
        """Leave in order: nothing that was pulled is lost."""
        if self._memory is not None:
            self._save(stopped=True)
        self.finished = True
        return (self._status(Presence.OFFLINE),)

    @property
    def causes_by_name(self) -> dict[str, Cause]:
        """Why each arm was dismissed, for those that were."""
        causes = {it.spec.arms[arm]: it.state.cause for arm, it in self._machines.items()}
        return {name: cause for name, cause in causes.items() if cause is not None}

    # -- joining -----------------------------------------------------------------------------

    def _take_in(self, topic: str, payload: bytes) -> None:
        try:
            if topic == self._topics.spec:
                self._announced(payload)
            elif self._machines:  # what comes before is for a run that we do not serve
                for message in wire.decode(payload):
                    self._serve(topic, message)
        except (FrameError, ProtocolError) as error:
            self.refusals.note(topic, str(error))

    def _announced(self, payload: bytes) -> None:
        if not payload:
            return  # cleared: no run for the time being
        announcement = load_announcement(payload)
        memory = self._memory or self._keeper.load()
        known = memory is not None and memory.opening == announcement.opening
        if isinstance(announcement, Opened):
            if not known or self._memory is None:
                self._join(announcement)
        elif known:
            self._memory, self._ended = memory, True
            for arm in self._machines:
                self._dismissed(arm, Cause.ENDED)

    def _join(self, opened: Opened) -> None:
        spec = opened.spec
        if self._expected is not None and spec.fingerprint != self._expected:
            raise ConfigError(
                f"the learner runs {spec.fingerprint:08x}, this agent was set up for "
                f"{self._expected:08x}: give both the same problem file and seed"
            )
        if self._agent not in opened.agents:
            known = ", ".join(sorted(opened.agents))
            raise ConfigError(f"this run has no agent {self._agent!r}; it has {known:.300}")
        arms = opened.agents[self._agent]
        memory = self._keeper.load()
        if memory is not None and memory.opening == opened.opening:
            memory = replace(memory, restarts=memory.restarts + 1)
        else:
            memory = AgentMemory(opening=opened.opening, fingerprint=spec.fingerprint)
        self._machines, self._feeds, self._reports = {}, {}, {}
        self._most_bytes = opened.report_bytes
        for arm in arms:
            self._feeds[arm] = feed = self._supply(spec, arm)
            machine = Agent(spec, arm)
            if arm in memory.arms:
                machine = Agent.restore(spec, arm, memory.arms[arm])
                cut_short = machine.wanted and feed.live and not memory.stopped
                memory = replace(memory, discarded=memory.discarded + bool(cut_short))
                feed.skip(machine.state.pulls)
            self._machines[arm] = machine
        self._memory = memory
        self._save()
        self._tell = Presence.ONLINE
        _LOGGER.info("%s serves %d arms of run %08x", self._agent, len(arms), spec.fingerprint)

    # -- serving -----------------------------------------------------------------------------

    def _serve(self, topic: str, message: object) -> None:
        if not isinstance(message, Request | Dismiss):
            self.refusals.note(topic, "only requests and dismissals are for an agent")
            return
        machine = self._machines.get(message.arm)
        if machine is None:
            self.refusals.note(topic, f"arm {message.arm} is not served here")
            return
        if isinstance(message, Dismiss) and message.run == machine.spec.fingerprint:
            self._dismissed(message.arm, message.cause)
            return
        if isinstance(message, Request) and not _is_checkpoint(machine.spec, message.until):
            self.refusals.note(topic, f"{message.until} pulls are no checkpoint of this run")
            return
        busy = machine.wanted
        output = machine.receive(message)
        self._reports.update((report.arm, report) for report in output.messages)
        if busy and machine.wanted:
            self._tell = self._tell or Presence.PULLING  # asked again: say that we are at it
        elif machine.wanted and self._feeds[message.arm].live:
            self._save()  # so that a restart knows of a batch that it cut short

    def _dismissed(self, arm: int, cause: Cause) -> None:
        machine = self._machines[arm]
        machine.receive(Dismiss(run=machine.spec.fingerprint, arm=arm, cause=cause))
        self._feeds[arm].rest()
        self._reports.pop(arm, None)

    def _pull(self, now: float) -> None:
        observed = False
        for arm, machine in self._machines.items():
            if machine.wanted:
                observed |= self._fetch(arm, machine)
        if observed and now - self._saved_at >= _SAVED_EVERY and self._any_live():
            self._save()
            self._saved_at = now

    def _fetch(self, arm: int, machine: Agent) -> bool:
        feed, spec = self._feeds[arm], machine.spec
        try:
            rewards = feed.take(min(machine.wanted, PULLED_AT_ONCE))
            if not rewards:
                return False
            batch = collect(rewards, spec.bounds, clip=self._clip)
            output = machine.observe(batch.count, batch.total)
        except RewardError as error:
            raise RewardError(f"{spec.label(arm)}: {error}") from error
        if batch.clipped:
            assert self._memory is not None  # there are machines
            self._memory = replace(self._memory, clipped=self._memory.clipped + batch.clipped)
            self._tell = self._tell or Presence.PULLING
        if not machine.wanted:
            feed.rest()
        self._reports.update((report.arm, report) for report in output.messages)
        return True

    # -- speaking ----------------------------------------------------------------------------

    def _speak(self) -> list[Publication]:
        """The status first: what it says of these rewards must be known before they count."""
        said: list[Publication] = []
        done = self._ended or (
            bool(self._machines)
            and all(it.state.phase is AgentPhase.DISMISSED for it in self._machines.values())
        )
        ready = self._reports and not self._pulling()
        if self._machines and (ready or done):
            self._save()
        if done:
            self.finished = True
            # Told once, then no longer retained: the broker is left as it was found.
            cleared = replace(self._status(Presence.DONE), payload=b"")
            return [replace(self._status(Presence.DONE), retain=False), cleared]
        if self._tell is not None:
            said.append(self._status(self._tell))
            self._tell = None
        if ready:
            topic = self._topics.of(self._agent, Kind.REPORT)
            said.extend(Publication(topic=topic, payload=frame) for frame in self._packed())
            self._reports = {}
        return said

    def _packed(self) -> list[bytes]:
        try:
            return wire.pack_all(tuple(self._reports.values()), limit=self._most_bytes)
        except LocalProtocolError as error:
            raise ConfigError(f"the run's link does not carry a report: {error}") from None

    def _give_up(self, error: BitarmError) -> list[Publication]:
        self.failure = error
        self.finished = True
        return [self._status(Presence.FAILED, str(error))]

    def _status(self, presence: Presence, reason: str = "") -> Publication:
        memory = self._memory
        status = Status(
            presence=presence,
            opening=memory.opening if memory else None,
            restarts=memory.restarts if memory else 0,
            discarded=memory.discarded if memory else 0,
            clipped=memory.clipped if memory else 0,
            reason=reason,
        )
        topic = self._topics.of(self._agent, Kind.STATUS)
        return Publication(topic=topic, payload=dump_status(status), retain=True)

    # -- memory ------------------------------------------------------------------------------

    def _save(self, *, stopped: bool = False) -> None:
        assert self._memory is not None  # joined
        states = {arm: machine.state for arm, machine in self._machines.items()}
        self._memory = replace(self._memory, arms=states, stopped=stopped)
        self._keeper.save(self._memory)

    def _pulling(self) -> list[int]:
        return [arm for arm, machine in self._machines.items() if machine.wanted]

    def _any_live(self) -> bool:
        return any(feed.live for feed in self._feeds.values())

    def _drained(self) -> list[tuple[str, bytes]]:
        inbox, self._inbox = self._inbox, []
        return inbox


def _is_checkpoint(spec: RunSpec, until: int) -> bool:
    """Whether a learner of this run can mean it: nobody else may make an agent pull for ever."""
    index = spec.schedule.index_at(until)
    return index > 0 and spec.schedule.pulls_at(index) == until
