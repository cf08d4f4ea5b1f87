"""The learner as a service: it announces a run, asks, listens, keeps, and tells everyone the end.

Without a socket. Events are durable before anything that follows from them is published. Reports
from which nothing follows yet wait a moment for others, to be kept in one transaction with them:
what a crash then loses was never acted on, and is asked for again.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import final

from bitarm import wire
from bitarm.core.epochs import after
from bitarm.core.events import (
    AgentJoined,
    CaveatNoted,
    FleetAssigned,
    LearnerEvent,
    LostRule,
    RoundOpened,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerOutput, LearnerPhase
from bitarm.core.messages import Position, Report
from bitarm.errors import BitarmError, FrameError, PeerProtocolError, ProtocolError, TransportError
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import find_link
from bitarm.runtime.embedded import CLIPPED, Watcher
from bitarm.runtime.learner.meter import Meter
from bitarm.runtime.learner.outbox import Outbox
from bitarm.runtime.learner.retained import Retained
from bitarm.runtime.learner.rivals import RETAINED_WITHIN, Bids, Verdict, judge
from bitarm.runtime.learner.roster import Member, Roster, newcomer
from bitarm.runtime.refusals import Refusals, printable
from bitarm.runtime.service import Endpoint, Publication
from bitarm.wire.status import Presence, Status, load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

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
        boot: str,
        watch: Watcher,
        now: float,
        before: TrafficMeasured | None = None,
        joined: Mapping[str, Sequence[AgentJoined]] | None = None,
        ledger: LinkLedger | None = None,
        retry: float = RETRY,
        linger: float = LINGER,
    ) -> None:
        self._learner = learner
        self._journal = journal
        self._run = run
        self._fleet = fleet
        self._boot = boot
        self._watch = watch
        self._linger = linger
        self._topics = Topics(fleet.fleet)
        self._learner_topic = self._topics.of(LEARNER, Subject.STATUS)
        self._roster = Roster(fleet, learner.opening, retry=retry, now=now)
        for agent, processes in (joined or {}).items():
            member, last = self._roster.members[agent], processes[-1]
            member.boot, member.life = last.boot, last.life
            member.earlier_boots = {process.boot for process in processes[:-1]} - {last.boot}
        self._meter = Meter(len(learner.spec.arms), before)
        self.ledger = ledger
        self._link = find_link("none") if ledger is None else ledger.link
        self._retained = Retained(
            learner=learner,
            topics=self._topics,
            boot=boot,
            report_bytes=self._link.up.max_bytes,
        )
        self._inbox: list[tuple[str, bytes, bool]] = []
        self._unkept: list[LearnerEvent] = []
        self._outbox = Outbox(
            learner,
            fleet,
            self._roster,
            topics=self._topics,
            link=self._link,
            meter=self._meter,
            ledger=ledger,
        )
        self._is_connected = False
        self._announce: set[str] = set()  # agents to be told of the run
        self._say_status = False  # somebody wants to know whether this run has a learner
        self._bids = Bids()
        self._announced_at = now
        self._look_at = now
        self._keep_at = now
        self._said_ended = False
        self._heard_by = now  # by then the broker has told what it keeps
        self._over_at: float | None = None  # when to stop waiting for the last agents
        self.refusals = Refusals()
        self.failure: BitarmError | None = None
        self.finished = False
        self.endpoint = Endpoint(
            # A name of its own: one that was taken for dead must not push its successor off.
            client_id=f"bitarm-{fleet.fleet}-{LEARNER}-{boot}",
            subscriptions=(
                self._learner_topic,  # first: a broker tells what it keeps in this order
                self._topics.of("+", Subject.STATUS),
                self._topics.of("+", Subject.REPORT),
                self._topics.of(LEARNER, Subject.REQUEST),
            ),
            will=self._retained.status(Presence.OFFLINE),
        )

    # -- what the wire says ------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """Announce the run again: the broker may have forgotten it."""
        self._is_connected = self._say_status = True
        self._heard_by = now + RETAINED_WITHIN
        self._bids.clear()
        self._announce = set(self._roster.members)
        self._said_ended = False
        self._roster.reconnected(now)

    def disconnected(self, now: float) -> None:
        """Wait; every agent is asked again when it is seen again."""
        self._is_connected = False
        self._inbox.clear()

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Remember a message."""
        self._inbox.append((topic, payload, retained))

    def interrupt(self) -> None:
        """End the run without an answer, and tell the agents."""
        if self._learner.phase is LearnerPhase.RUNNING:
            self._take(self._learner.interrupt())

    def leave(self) -> Iterable[Publication]:
        """Stop in order and leave the run to be resumed: all that happened is in the journal."""
        if self._unkept:
            self._journal.append(self._run, tuple(self._unkept))
            self._unkept.clear()
        self.finished = True
        return (self._retained.status(Presence.OFFLINE),)

    @property
    def opening(self) -> str:
        """What names the run among all others."""
        return self._learner.opening

    def note(self, caveat: str) -> None:
        """Take in a fact that voids the guarantee."""
        if self._learner.phase is LearnerPhase.RUNNING:
            self._take(self._learner.note(caveat))

    def step(self, now: float) -> Iterable[Publication]:
        """Take in what came, decide, keep, then speak."""
        inbox, self._inbox = self._inbox, []
        # Whether another learner has taken over, before what agents say of its epoch.
        inbox.sort(key=lambda message: message[0] != self._learner_topic)
        for topic, payload, retained in inbox:
            try:
                self._take_in(topic, payload, now, retained=retained)
            except (FrameError, ProtocolError) as error:
                self.refusals.note(topic, str(error))
            if self.finished:
                return ()  # another learner has taken over: not one more word
        if self._is_connected and now >= self._bids.due_at:
            epochs = self._bids.take(self._roster.members, self._learner.epoch)
            if epochs:
                self._outbid(epochs)
        looking = self._is_connected and now >= self._look_at
        if looking:
            self._look_at = now + self._roster.every
            self._give_up_lost(now)
            absent = self._roster.long_absent(self._busy(), now)
            if absent:
                _LOGGER.warning("the run waits for agents that are not connected: %s", absent)
        self._keep(now)
        again = self._roster.to_repeat(self._busy(), now) if looking else []
        if not self._is_connected:
            self._outbox.forget_news()
            self._farewell(now)
            return ()
        return [*self._announced(now), *self._outbox.letters(again, now), *self._farewell(now)]

    def wake_at(self, now: float) -> float:
        """For a look at who is late; at the end, when the wait is over."""
        if self._learner.phase is LearnerPhase.ENDED and now < self._heard_by:
            return self._heard_by
        if self._over_at is not None:
            return self._over_at
        look_at = self._look_at if self._is_connected else now + _IDLE
        if self._is_connected:
            look_at = min(look_at, self._bids.due_at)
        return min(look_at, self._keep_at) if self._unkept else look_at

    # -- taking in ---------------------------------------------------------------------------

    def _take_in(self, topic: str, payload: bytes, now: float, *, retained: bool) -> None:
        parsed = self._topics.read(topic)
        if parsed is not None and parsed.agent == LEARNER:
            if parsed.subject is Subject.REQUEST:
                self._say_status = True
            elif payload:
                self._heard_learner(load_status(payload))
            return
        if parsed is None or parsed.agent not in self._roster.members:
            raise PeerProtocolError("this run has no such agent")
        member = self._roster.members[parsed.agent]
        if parsed.subject is Subject.STATUS:
            self._heard_status(member, payload, now, retained=retained)
        else:
            self._heard_reports(member, topic, payload, now)

    def _heard_learner(self, status: Status) -> None:
        """A learner's status: our own, of one before us, or of one that has taken over."""
        ours = self._learner.epoch
        verdict = judge(
            status,
            boot=self._boot,
            opening=self.opening,
            epoch=ours,
            has_ended=self._learner.phase is LearnerPhase.ENDED,
        )
        if verdict is Verdict.YIELD:
            self.failure = TransportError(
                f"another learner has taken over run {self._fleet.fleet!r}: it speaks in epoch "
                f"{status.epoch}, this one in {ours}. This one stops; the run goes on there"
            )
            self.finished = True
        elif verdict is Verdict.OUTBID:
            self._outbid([ours])
        elif verdict is Verdict.SAY_AGAIN:
            self._say_status = True
            self._said_ended = False
            self._announce = set(self._roster.members)

    def _outbid(self, epochs: Iterable[int]) -> None:
        """Take an epoch after those that somebody knows of: what was said in them is not ours."""
        if self._learner.phase is not LearnerPhase.RUNNING:
            return
        self._take(self._learner.begin(after(self._learner.epoch, epochs)))
        self._outbox.begin_again()
        self._roster.renumber()
        self._announce = set(self._roster.members)
        self._say_status = True
        _LOGGER.warning("the run goes on in epoch %d", self._learner.epoch)

    def _heard_status(self, member: Member, payload: bytes, now: float, *, retained: bool) -> None:
        if not payload:
            return  # cleared by an agent that is done
        status = load_status(payload)
        if retained and status.boot in member.earlier_boots:
            return  # a broker that went back in time; if it is there, the announcement wakes it
        was_there = member.present
        if status.opening == self.opening:
            if self._is_foreign(member, status, now):
                return  # what it answers is not what we asked
            self._check_codes(member, status)
        if self._roster.told(member, status, now):
            self._outbox.tell(member)
        elif status.presence is Presence.ONLINE and now >= self._announced_at + self._roster.retry:
            self._announce.add(member.name)  # it has not heard of this run
        if member.present:
            self._heard_process(member, status)
        if status.clipped and member.present:
            self.note(CLIPPED)
        if status.presence is Presence.FAILED:
            _LOGGER.warning("agent %s failed: %s", member.name, printable(status.reason))
        elif member.present != was_there:
            where = "done" if member.done else "here" if member.present else "away"
            _LOGGER.info("agent %s is %s", member.name, where)
        if member.present and status.reason not in ("", member.reason):
            _LOGGER.warning("agent %s refuses: %s", member.name, printable(status.reason))
        member.reason = status.reason

    def _is_foreign(self, member: Member, status: Status, now: float) -> bool:
        """Whether an agent heard of an epoch after ours, or of questions that are not ours."""
        arms = [self._learner.arms[arm] for arm in member.arms]
        was_present, member.present = member.present, False  # also if it is refused
        if not self._bids.note(
            member,
            status,
            epoch=self._learner.epoch,
            is_in_race=any(arm.phase is not ArmPhase.OUT for arm in arms),
            now=now,
        ):
            member.present = was_present
            return False
        self._say_status = True
        return True

    def _check_codes(self, member: Member, status: Status) -> None:
        missing = set(self._learner.spec.quantizer.codes) - set(status.codes)
        if missing:
            member.present = False
            raise PeerProtocolError(
                f"agent {member.name} cannot answer in the code {', '.join(sorted(missing))}: "
                "bring it to this version of bitarm, or choose another quantizer"
            )

    def _heard_process(self, member: Member, status: Status) -> None:
        """A process that we did not hear from before may remember less than its predecessor."""
        counted = {arm: self._learner.arms[arm].counted for arm in member.arms}
        new = newcomer(member, status, counted)
        if new is None or self._learner.phase is not LearnerPhase.RUNNING:
            return
        self._unkept.append(new.joined)
        if new.is_twin:
            self.note(
                f"agent {member.name} is served by two processes at once, whose rewards are mixed"
            )
        if new.forgot:
            _LOGGER.warning("agent %s lost its memory of live rewards", member.name)
            self._take(self._learner.renew(new.forgot))

    def _heard_reports(self, member: Member, topic: str, frame: bytes, now: float) -> None:
        if not member.present:
            return  # of another run, or before we know that it is of ours: it will be asked again
        messages = wire.decode(frame)
        if len(frame) > self._link.up.max_bytes:
            raise PeerProtocolError(
                f"the link {self._link.name} carries {self._link.up.max_bytes} bytes up, "
                f"agent {member.name} sent {len(frame)}"
            )
        reports = [message for message in messages if isinstance(message, Report | Position)]
        if len(reports) < len(messages) or not {report.arm for report in reports} <= set(
            member.arms
        ):
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
                self._outbox.answered(report.arm)
            for event in output.events:
                if isinstance(event, CaveatNoted):
                    self.refusals.note(topic, event.text)
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
        self._outbox.take(output.messages)

    def _keep(self, now: float) -> None:
        """One transaction for all that is new, if anything follows from it or it waited long."""
        if not self._unkept:
            self._keep_at = now + _KEPT_WITHIN
            return
        few = len(self._unkept) < _MOST_UNKEPT and now < self._keep_at
        if (
            few
            and not self._outbox.has_news
            and not self._announce
            and self._learner.ending is None
        ):
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
        said: list[Publication] = []
        if self._say_status:
            self._say_status = False
            said.append(self._retained.status(Presence.ONLINE))
        if self._announce and self._learner.phase is LearnerPhase.RUNNING:
            self._announced_at = now
            members = [self._roster.members[name] for name in sorted(self._announce)]
            said.extend(self._retained.announcement(member) for member in members)
        self._announce.clear()
        return said

    def _farewell(self, now: float) -> list[Publication]:
        """At the end: the news, in one word for all, then a bounded wait for those still there."""
        if self._learner.phase is not LearnerPhase.ENDED or self.finished:
            return []
        if self._is_connected and now < self._heard_by:
            return []  # another learner may have taken over, and its word counts
        said: list[Publication] = []
        if self._over_at is None:
            self._over_at = now + self._linger
        if self._is_connected and not self._said_ended:
            self._said_ended = True
            said.append(self._retained.status(Presence.DONE))
            said.extend(map(self._retained.no_announcement, self._roster.members.values()))
        waiting = any(
            member.present and not member.done for member in self._roster.members.values()
        )
        waiting |= bool(self._bids)  # for the word of a learner that may have taken over
        if now < self._over_at and (waiting or not self._said_ended):
            return said
        self.finished = True
        self._unkept.append(self._meter.measured(by_arm=True))
        self._keep(now)
        away = [member for member in self._roster.members.values() if not member.done]
        return [*said, *map(self._retained.no_status, away)]

    # -- whom to look after ------------------------------------------------------------------

    def _busy(self) -> list[Member]:
        """Agents that owe a report; at the end, those that may not know of it."""
        if self._learner.phase is LearnerPhase.ENDED:
            return [
                member
                for member in self._roster.members.values()
                if member.present and not member.done
            ]
        return self._outbox.debtors()

    def _wanted(self) -> list[Member]:
        """Agents with an arm in the race."""
        return [
            member
            for member in self._roster.members.values()
            if any(self._learner.arms[arm].phase is not ArmPhase.OUT for arm in member.arms)
        ]
