"""The learner as a service: it announces a run, asks, listens, keeps, and tells everyone the end.

Without a socket. Events are durable before anything that follows from them is published. Reports
from which nothing follows yet wait a moment for others, to be kept in one transaction with them:
what a crash then loses was never acted on, and is asked for again.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import final

from bitarm import wire
from bitarm.core.events import (
    AgentRestarted,
    FleetAssigned,
    LearnerEvent,
    LostRule,
    RoundOpened,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerOutput, LearnerPhase
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.errors import FrameError, PeerProtocolError, ProtocolError
from bitarm.runtime.announcement import Ended, Opened, dump_announcement
from bitarm.runtime.embedded import CLIPPED, Watcher
from bitarm.runtime.link_ledger import LinkLedger
from bitarm.runtime.links import find_link
from bitarm.runtime.meter import Meter
from bitarm.runtime.refusals import Refusals
from bitarm.runtime.roster import Member, Roster
from bitarm.runtime.service import Endpoint, Publication
from bitarm.runtime.status import Presence, Status, dump_status, load_status
from bitarm.runtime.topics import LEARNER, Kind, Topics

_LOGGER = logging.getLogger("bitarm.learner")
RETRY = 10.0
"""Seconds after which an unanswered request is sent again, at first."""
LINGER = 5.0
"""Seconds to wait at the end for agents to confirm that they have stopped."""
_KEPT_WITHIN = 0.2  # seconds that a report may wait for others: a sync of the disk for each is slow
_MOST_UNKEPT = 256  # reports that wait: written while others are on their way, not all at the end
_IDLE = 3600.0


@final
class LearnerService:
    """Drives one learner, opened or rebuilt, whose events are in the journal as `run`."""

    def __init__(
        self,
        learner: Learner,
        journal: Journal,
        run: int,
        *,
        fleet: FleetAssigned,
        opening: str,
        watch: Watcher,
        now: float,
        before: TrafficMeasured | None = None,
        ledger: LinkLedger | None = None,
        retry: float = RETRY,
        linger: float = LINGER,
    ) -> None:
        self._learner = learner
        self._journal = journal
        self._run = run
        self._fleet = fleet
        self.opening = opening
        self._watch = watch
        self._linger = linger
        self._topics = Topics(fleet.fleet)
        self._roster = Roster(fleet, opening, retry=retry, now=now)
        self._meter = Meter(len(learner.spec.arms), before)
        self.ledger = ledger
        self._link = find_link("none") if ledger is None else ledger.link
        self._inbox: list[tuple[str, bytes]] = []
        self._unkept: list[LearnerEvent] = []
        self._due: dict[int, Request] = {it.arm: it for it in learner.pending}  # unanswered
        self._unsent: list[Request | Dismiss] = []
        self._callers: dict[str, Member] = {}  # to be told how they stand
        self._is_connected = False
        self._announce = False
        self._asked_for = False  # somebody wants to know whether this run has a learner
        self._announced_at = now
        self._look_at = now
        self._keep_at = now
        self._said_ended = False
        self._over_at: float | None = None  # when to stop waiting for the last agents
        self.refusals = Refusals()
        self.finished = False
        self.endpoint = Endpoint(
            client_id=f"bitarm-{fleet.fleet}-{LEARNER}",
            subscriptions=(
                self._topics.of("+", Kind.STATUS),
                self._topics.of("+", Kind.REPORT),
                self._topics.of(LEARNER, Kind.REQUEST),
            ),
            will=self._own_status(Presence.OFFLINE),
        )

    # -- what the wire says ------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """Announce the run again: the broker may have forgotten it."""
        self._is_connected = self._announce = True
        self._said_ended = False
        self._roster.reconnected(now)

    def disconnected(self, now: float) -> None:
        """Wait; every agent is asked again when it is seen again."""
        self._is_connected = False
        self._inbox.clear()

    def received(self, topic: str, payload: bytes) -> None:
        """Remember a message."""
        self._inbox.append((topic, payload))

    def interrupt(self) -> None:
        """End the run without an answer, and tell the agents."""
        if self._learner.phase is LearnerPhase.RUNNING:
            self._take(self._learner.interrupt())

    def leave(self) -> Iterable[Publication]:
        """Stop in order and leave the run to be resumed: all that happened is in the journal."""
        self.finished = True
        return (self._own_status(Presence.OFFLINE),)

    def note(self, caveat: str) -> None:
        """Take in a fact that voids the guarantee."""
        if self._learner.phase is LearnerPhase.RUNNING:
            self._take(self._learner.note(caveat))

    def step(self, now: float) -> Iterable[Publication]:
        """Take in what came, decide, keep, then speak."""
        inbox, self._inbox = self._inbox, []
        for topic, payload in inbox:
            try:
                self._take_in(topic, payload, now)
            except (FrameError, ProtocolError) as error:
                self.refusals.note(topic, str(error))
        looking = self._is_connected and now >= self._look_at
        if looking:
            self._look_at = now + self._roster.every
            self._give_up_lost(now)
        self._keep(now)
        again = self._roster.to_repeat(self._busy(), now) if looking else []
        said = [*self._announced(now), *self._told(again, now), *self._farewell(now)]
        return said if self._is_connected else ()

    def wake_at(self, now: float) -> float:
        """For a look at who is late; at the end, when the wait is over."""
        if self._over_at is not None:
            return self._over_at
        look_at = self._look_at if self._is_connected else now + _IDLE
        return min(look_at, self._keep_at) if self._unkept else look_at

    # -- taking in ---------------------------------------------------------------------------

    def _take_in(self, topic: str, payload: bytes, now: float) -> None:
        place = self._topics.place(topic)
        if place is not None and place.agent == LEARNER:
            self._asked_for |= place.kind is Kind.REQUEST  # else it is our own status
            return
        if place is None or place.agent not in self._roster.members:
            raise PeerProtocolError("this run has no such agent")
        member = self._roster.members[place.agent]
        if place.kind is Kind.STATUS:
            self._heard_status(member, payload, now)
        else:
            self._heard_reports(member, topic, payload, now)

    def _heard_status(self, member: Member, payload: bytes, now: float) -> None:
        if not payload:
            return  # cleared by an agent that is done
        status = load_status(payload)
        was_there = member.present
        if self._roster.told(member, status, now):
            self._callers[member.name] = member
        elif status.presence is Presence.ONLINE and now >= self._announced_at + self._roster.retry:
            self._announce = True  # it has not heard of this run
        if member.present and status.restarts > member.restarts:
            member.restarts = status.restarts
            self._unkept.append(
                AgentRestarted(
                    agent=member.name, restarts=status.restarts, discarded=status.discarded
                )
            )
        if status.clipped and member.present:
            self.note(CLIPPED)
        if status.presence is Presence.FAILED:
            _LOGGER.warning("agent %s failed: %s", member.name, status.reason)
        elif member.present != was_there:
            where = "done" if member.done else "here" if member.present else "away"
            _LOGGER.info("agent %s is %s", member.name, where)

    def _heard_reports(self, member: Member, topic: str, frame: bytes, now: float) -> None:
        if not member.present:
            return  # of another run, or before we know that it is of ours: it will be asked again
        messages = wire.decode(frame)
        if len(frame) > self._link.up.max_bytes:
            raise PeerProtocolError(
                f"the link {self._link.name} carries {self._link.up.max_bytes} bytes up, "
                f"agent {member.name} sent {len(frame)}"
            )
        reports = [it for it in messages if isinstance(it, Report) and it.arm in member.arms]
        if len(reports) < len(messages):
            raise PeerProtocolError(f"agent {member.name} may report for its own arms only")
        self._meter.went_up(topic, frame, reports)
        if self.ledger is not None:
            self.ledger.went_up(member.name, len(frame))
        self._roster.spoke(member, now)
        for report in reports:
            try:
                output = self._learner.receive(report)
            except PeerProtocolError as error:
                self.refusals.note(topic, str(error))
                continue
            if self._learner.arms[report.arm].phase is not ArmPhase.AWAITED:
                self._due.pop(report.arm, None)
            self._take(output)

    def _give_up_lost(self, now: float) -> None:
        if self._learner.phase is not LearnerPhase.RUNNING:
            return
        for member in self._roster.lost(self._wanted(), now):
            _LOGGER.warning("agent %s is lost: nothing was heard of it in time", member.name)
            stop = self._fleet.lost is LostRule.STOP
            self._take(self._learner.lose(member.arms, stop=stop))
            if self._learner.phase is not LearnerPhase.RUNNING:
                return

    def _take(self, output: LearnerOutput) -> None:
        self._unkept.extend(output.events)
        for message in output.messages:
            if isinstance(message, Request):
                self._due[message.arm] = message
            else:
                self._due.pop(message.arm, None)
            self._unsent.append(message)

    def _keep(self, now: float) -> None:
        """One transaction for all that is new, if anything follows from it or it waited long."""
        if not self._unkept:
            self._keep_at = now + _KEPT_WITHIN
            return
        few = len(self._unkept) < _MOST_UNKEPT and now < self._keep_at
        if few and not self._unsent and self._learner.ending is None:
            return
        self._keep_at = now + _KEPT_WITHIN
        if any(isinstance(event, RoundOpened) for event in self._unkept):
            self._unkept.append(self._meter.measured(by_arm=False))
        events = tuple(self._unkept)
        self._journal.append(self._run, events)
        self._unkept.clear()
        self._watch(events)

    # -- speaking ----------------------------------------------------------------------------

    def _announced(self, now: float) -> list[Publication]:
        if not self._announce or not self._is_connected:
            asked_for, self._asked_for = self._asked_for, False
            return [self._own_status(Presence.ONLINE)] if asked_for else []
        self._announce, self._announced_at = False, now
        said = [self._own_status(Presence.ONLINE)]
        if self._learner.phase is LearnerPhase.RUNNING:
            agents = {name: member.arms for name, member in self._roster.members.items()}
            opened = Opened(
                opening=self.opening,
                spec=self._learner.spec,
                agents=agents,
                report_bytes=self._link.up.max_bytes,
            )
            said.append(self._retained(dump_announcement(opened)))
        return said

    def _told(self, again: Sequence[Member], now: float) -> list[Publication]:
        """What the agents must hear: news, answers to those that came back, repetitions."""
        if not self._is_connected:
            self._unsent.clear()
            return []
        letters: dict[str, dict[int, Request | Dismiss]] = {}
        for member in (*self._callers.values(), *again):
            letters[member.name] = self._standing(member)
        self._callers.clear()
        for message in self._unsent:
            agent = self._fleet.agents[message.arm]
            if self._roster.members[agent].present:  # others are told when they come
                letters.setdefault(agent, {})[message.arm] = message
        self._unsent.clear()
        said: list[Publication] = []
        for agent, letter in letters.items():
            self._roster.asked(self._roster.members[agent], now)
            said.extend(self._frames(agent, tuple(letter.values())))
        return said

    def _standing(self, member: Member) -> dict[int, Request | Dismiss]:
        """How each arm of an agent stands: what is asked of it, or that it is out."""
        run, ended = self._learner.spec.fingerprint, self._learner.phase is LearnerPhase.ENDED
        letter: dict[int, Request | Dismiss] = {}
        for arm in member.arms:
            if arm in self._due:
                letter[arm] = self._due[arm]
            elif self._learner.arms[arm].phase is ArmPhase.OUT:
                cause = Cause.ENDED if ended else Cause.DROPPED
                letter[arm] = Dismiss(run=run, arm=arm, cause=cause)
        return letter

    def _frames(self, agent: str, letter: Sequence[Request | Dismiss]) -> list[Publication]:
        topic = self._topics.of(agent, Kind.REQUEST)
        said: list[Publication] = []
        for kind in (Dismiss, Request):
            batch = [message for message in letter if isinstance(message, kind)]
            frames = wire.pack_all(batch, limit=self._link.down.max_bytes) if batch else []
            for frame in frames:
                inside = batch if len(frames) == 1 else wire.decode(frame)
                arms = [message.arm for message in inside]
                self._meter.went_down(topic, frame, arms)
                if self.ledger is not None:
                    self.ledger.went_down(agent, len(frame))
                said.append(Publication(topic=topic, payload=frame))
        return said

    def _farewell(self, now: float) -> list[Publication]:
        """At the end: the news on the spec's topic, then a bounded wait for those still there."""
        if self._learner.phase is not LearnerPhase.ENDED or self.finished:
            return []
        said: list[Publication] = []
        if self._over_at is None:
            self._over_at = now + self._linger
        if self._is_connected and not self._announce and not self._said_ended:
            self._said_ended = True
            said.append(self._retained(dump_announcement(Ended(opening=self.opening))))
        waiting = any(it.present and not it.done for it in self._roster.members.values())
        if now < self._over_at and (waiting or not self._said_ended):
            return said
        self.finished = True
        self._unkept.append(self._meter.measured(by_arm=True))
        self._keep(now)
        return [*said, self._own_status(Presence.DONE, cleared=True)]

    def _own_status(self, presence: Presence, *, cleared: bool = False) -> Publication:
        status = Status(presence=presence, opening=self.opening)
        payload = b"" if cleared else dump_status(status)
        return Publication(
            topic=self._topics.of(LEARNER, Kind.STATUS), payload=payload, retain=True
        )

    def _retained(self, payload: bytes) -> Publication:
        return Publication(topic=self._topics.spec, payload=payload, retain=True)

    # -- whom to look after ------------------------------------------------------------------

    def _busy(self) -> list[Member]:
        """Agents that owe a report; at the end, those that may not know of it."""
        if self._learner.phase is LearnerPhase.ENDED:
            return [it for it in self._roster.members.values() if it.present and not it.done]
        names = {self._fleet.agents[arm] for arm in self._due}
        return [self._roster.members[name] for name in names]

    def _wanted(self) -> list[Member]:
        """Agents with an arm in the race."""
        return [
            member
            for member in self._roster.members.values()
            if any(self._learner.arms[arm].phase is not ArmPhase.OUT for arm in member.arms)
        ]
