"""An agent as a service: it joins a run, pulls what is asked for, and answers; without a socket.

One service is one identity on the broker and serves one arm, or all arms of one gateway. Answers
of one round leave together, packed, after the memory that they follow from is durable. What the
service does about a message depends on whether it has joined a run: `_HEARD`, at the end of this
file, has all cases.
"""

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import final

from bitarm import wire
from bitarm.core.agent import AgentPhase
from bitarm.core.bounds import Bounds
from bitarm.core.epochs import is_later, split_field
from bitarm.core.messages import Cause, Dismiss, Request
from bitarm.core.outcome import Outcome
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import (
    BitarmError,
    ConfigError,
    FrameError,
    PeerProtocolError,
    ProtocolError,
    RewardError,
    StoreError,
)
from bitarm.rewards.sensors import SensorFeed
from bitarm.runtime.agent.demands import Demands
from bitarm.runtime.agent.ending import Ending, is_outdated, told_end
from bitarm.runtime.agent.memory import Keeper, latest_epoch, recall
from bitarm.runtime.agent.own_status import OwnStatus
from bitarm.runtime.agent.part import Part, Supply
from bitarm.runtime.agent.waiting import AgentWaiting
from bitarm.runtime.refusals import Refusals
from bitarm.runtime.service import Endpoint, Publication, fresh_name
from bitarm.wire.announcement import Announcement, load_announcement
from bitarm.wire.status import Presence
from bitarm.wire.topics import LEARNER, Subject, Topics, check_agent, check_name

_LOGGER = logging.getLogger("bitarm.agent")
_SAVED_EVERY = 1.0  # seconds of live rewards that a crash may cost
_OF_LEARNERS = (Subject.STATUS, Subject.END)
_ASK_EVERY = 0.02  # seconds after which a live feed that had nothing is asked again


class Stage(Enum):
    """How far an agent's service has come."""

    WAITING = "waiting"  # for a run to be announced to it
    SERVING = "serving"  # the arms that are its part of a run


@final
class AgentService:
    """Serves the arms that the announcement of run `run` assigns to agent `agent`.

    `supply` gives the rewards of each arm, `keeper` keeps what must survive a crash, `sensors` are
    the feeds of each topic that the broker carries for them. With `clip`, rewards outside the
    run's bounds are moved to them, otherwise they are an error. No question makes the agent pull
    more than `most_pulls` times. `name` makes names that nobody else has. `bounds` and `seed` are
    its `Demands`. `failure` says why it gave up, if it did: rewards, memory or settings.
    """

    def __init__(
        self,
        *,
        run: str,
        agent: str,
        supply: Supply,
        keeper: Keeper,
        clip: bool = False,
        bounds: Bounds | None = None,
        sensors: Mapping[str, Sequence[SensorFeed]] | None = None,
        seed: int | None = None,
        most_pulls: int = MAX_PULLS,
        name: Callable[[], str] = fresh_name,
    ) -> None:
        self._topics = Topics(check_name("the name of a run", run))
        self._agent = check_agent(agent)
        self._supply = supply
        self._keeper = keeper
        self._clip = clip
        self._demands = Demands(bounds=bounds, seed=seed)
        self._sensors = dict(sensors or {})
        self._most_pulls = most_pulls
        self._name = name
        self._own_status = OwnStatus(self._topics.of(agent, Subject.STATUS), boot=name())
        self._inbox: list[tuple[str, bytes]] = []
        self._part: Part | None = None  # in the run that it has joined
        self._ending = Ending()
        self._waiting = AgentWaiting(agent, run, self._sensors)
        self._is_connected = False
        self._has_admitted = False  # in this step: one frame may ask all arms of a gateway
        self._saved_at = 0.0
        self.refusals = Refusals()
        self.failure: BitarmError | None = None
        self.finished = False
        self._subjects = {
            self._topics.of(LEARNER, Subject.STATUS): Subject.STATUS,
            self._topics.of(agent, Subject.RUN): Subject.RUN,
            self._topics.of(agent, Subject.REQUEST): Subject.REQUEST,
            self._topics.of(LEARNER, Subject.END): Subject.END,  # last: the next run comes first
        }
        self.endpoint = Endpoint(
            client_id=f"bitarm-{run}-{agent}",
            subscriptions=(*self._subjects, *self._sensors),
            will=self._status(Presence.OFFLINE),
        )

    @property
    def _stage(self) -> Stage:
        return Stage.WAITING if self._part is None else Stage.SERVING

    # -- what the wire says ------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """Say that we are there; the learner then asks again for what it misses."""
        self._is_connected = True
        self._own_status.say(Presence.ONLINE)
        self._own_status.spoken_to(now)

    def disconnected(self, now: float) -> None:
        """Go on pulling; what could not be sent will be asked for again."""
        self._is_connected = False
        self._inbox.clear()
        self._own_status.disconnected()

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Remember a message; a sensor's is handed on at once."""
        if topic in self._sensors:
            self._waiting.heard_sensor(topic)
            for sensor in self._sensors[topic]:
                sensor.offer(payload)
        else:
            self._inbox.append((topic, payload))

    def step(self, now: float) -> Iterable[Publication]:
        """Act on what came in, pull a little, and answer when everything asked for is there."""
        if self.finished or self._ending.is_leaving:
            self._hear_out(now)
            return ()
        self._has_admitted = False
        try:
            for topic, payload in self._drained():
                self._take_in(topic, payload)
                self._own_status.spoken_to(now)
            self._work(now)
            at_work = self._part is not None and self._part.at_work()
            if now >= self._own_status.again_at and not at_work:
                self._own_status.say_again(now)  # perhaps the learner missed it
            if self._is_connected:  # else the wire says what is wrong
                self._say_what_is_missing(now)
            return self._speak(now)
        except (RewardError, ConfigError, StoreError) as error:
            return self._give_up(error)

    def wake_at(self, now: float) -> float:
        """When to step next: at once if there is work, now and then while a live source is slow."""
        if self._ending.is_leaving:
            return self._ending.leaves_at
        part = self._part
        if part is None or not part.at_work():
            says_at = self._waiting.due_at if self._is_connected else math.inf
            return min(self._own_status.again_at, says_at)
        waits = not part.looking() and all(part.feeds[arm].live for arm in part.pulling())
        return now + (_ASK_EVERY if waits else 0.0)

    def stop(self) -> Iterable[Publication]:
        """Leave in order: nothing that was pulled is lost."""
        self.finished = True
        if self._ending.is_leaving:
            return ()  # goodbye was said
        if self._part is not None:
            self._part.save(stopped=True)
        return (self._status(Presence.OFFLINE),)

    @property
    def outcome(self) -> Outcome | None:
        """How the run ended, if this agent was told."""
        return self._ending.outcome

    @property
    def causes_by_name(self) -> dict[str, Cause]:
        """Why each arm was dismissed, for those that were."""
        return {} if self._part is None else self._part.causes_by_name()

    # -- taking in ---------------------------------------------------------------------------

    def _take_in(self, topic: str, payload: bytes) -> None:
        subject = self._subjects.get(topic, Subject.REQUEST)
        if subject in _OF_LEARNERS:
            self._waiting.heard_learner(payload)
        elif subject is Subject.REQUEST:
            self._waiting.spoken_to()
        try:
            _HEARD[self._stage, subject](self, topic, payload)
        except (FrameError, ProtocolError) as error:
            self.refusals.note(topic, str(error))

    def _pass_over(self, topic: str, payload: bytes) -> None:
        """What is asked before a run is joined is for one that is not served here."""

    def _heard_end_while_waiting(self, topic: str, payload: bytes) -> None:
        """A run may have ended while its agent was away: then there is nothing to wait for."""
        status = told_end(payload)
        memory = None if status is None else self._keeper.load()
        if status is None or memory is None or memory.opening != status.opening or memory.is_over:
            return  # also if we know of that end: perhaps another run of this name will come
        if not is_outdated(status, latest_epoch(memory.arms.values())):
            self._ending.came(memory, status)

    def _heard_end(self, topic: str, payload: bytes) -> None:
        """The learner's own status matters only when it says that our run is over."""
        status, part = told_end(payload), self._serving
        if status is None or part.memory.opening != status.opening:
            return
        if not is_outdated(status, part.epoch):
            self._ending.came(part.memory, status)
            part.end()

    def _heard_first_announcement(self, topic: str, payload: bytes) -> None:
        if payload:  # else it was cleared: no run for the time being
            self._join(load_announcement(payload))

    def _heard_announcement(self, topic: str, payload: bytes) -> None:
        """Our run again, perhaps in a later epoch; or another, under the same name."""
        if not payload:
            return  # cleared: no run for the time being
        announcement, part = load_announcement(payload), self._serving
        if part.memory.opening != announcement.opening:
            self._join(announcement)
            return
        self._enter(part, announcement.epoch)
        self._own_status.say(Presence.ONLINE)  # a learner that begins must hear what we remember

    def _heard_frame(self, topic: str, payload: bytes) -> None:
        """Serve the messages of a frame; one that is refused does not keep back the others."""
        for message in wire.decode(payload):
            try:
                self._serve(topic, self._serving, message)
            except ProtocolError as error:
                self.refusals.note(topic, str(error))

    @property
    def _serving(self) -> Part:
        assert self._part is not None  # by its stage
        return self._part

    # -- joining -----------------------------------------------------------------------------

    def _enter(self, part: Part, epoch: int) -> None:
        if part.enter(epoch):
            _LOGGER.info("%s goes on in epoch %d", self._agent, epoch)
            self._ending.begin_again()

    def _join(self, announced: Announcement) -> None:
        self._demands.check(announced)
        self._part = None
        self._ending.begin_again()
        self._part = part = Part(
            announced,
            recall(self._keeper.load(), announced, self._agent, life=self._name()),
            self._keeper,
            supply=self._supply,
            boot=self._own_status.boot,
            most_pulls=self._most_pulls,
        )
        self._own_status.say(Presence.ONLINE)
        arms = "1 arm" if len(part.machines) == 1 else f"{len(part.machines)} arms"
        _LOGGER.info("%s serves %s of run %06x", self._agent, arms, part.run)

    # -- serving -----------------------------------------------------------------------------

    def _serve(self, topic: str, part: Part, message: object) -> None:
        if not isinstance(message, Request | Dismiss):
            self.refusals.note(topic, "only requests and dismissals are for an agent")
            return
        machine = part.machines.get(message.arm)
        if machine is None:
            self.refusals.note(topic, f"arm {message.arm} is not served here")
            return
        if machine.knows_later(message.run):
            self._own_status.say(Presence.ONLINE)  # its epoch is over: whoever speaks should know
            return
        run, epoch = split_field(message.run)
        known = machine.state.epoch
        if run == machine.run and (known is None or is_later(epoch, known)):
            self._enter(part, epoch)
        if isinstance(message, Request) and message.message > machine.state.message + 1:
            self._admit_loss(part)
        busy = machine.wanted or machine.is_looking
        try:
            answers = machine.receive(message)
        except PeerProtocolError as error:
            self._own_status.reason = str(error)
            self._own_status.mention(Presence.PULLING)  # so that somebody sees why nothing comes
            raise
        self._own_status.reason = ""
        if machine.state.phase is AgentPhase.DISMISSED:
            part.dismiss(message.arm)
        part.answers.update((answer.arm, answer) for answer in answers)
        if busy and (machine.wanted or machine.is_looking):
            self._own_status.mention(Presence.PULLING)  # asked again: say that we are at it
        elif machine.wanted and part.feeds[message.arm].live:
            part.save()  # so that a restart knows of a batch that it cut short

    def _admit_loss(self, part: Part) -> None:
        """Questions that were answered are not known here: this process went back in time.

        As a machine that is set back to an earlier snapshot does. From now on it is another
        process, which begins with what it remembers: the learner must hear that first.
        """
        if part.is_live and not self._has_admitted:
            self._has_admitted = True
            self._own_status.boot = self._name()
            part.go_on_as(self._own_status.boot)
            self._own_status.say(Presence.ONLINE)

    def _work(self, now: float) -> None:
        """Weigh what the step before has pulled, then pull what is there."""
        part = self._part
        if part is None:
            return
        part.look()
        observed, clipped = part.pull(clip=self._clip)
        if clipped:
            self._own_status.mention(Presence.PULLING)
        if observed and now - self._saved_at >= _SAVED_EVERY and part.is_live:
            part.save()
            self._saved_at = now

    def _say_what_is_missing(self, now: float) -> None:
        if self._part is None:
            self._waiting.without_run(now)
            return
        wanted, is_busy = self._part.wanting(self._sensors), bool(self._part.at_work())
        self._waiting.in_run(now, wanted=wanted, is_busy=is_busy)

    # -- speaking ----------------------------------------------------------------------------

    def _speak(self, now: float) -> list[Publication]:
        """The status first: what it says of these rewards must be known before they count."""
        part = self._part
        done = self._ending.has_come or (part is not None and part.is_dismissed)
        ready = part is not None and bool(part.answers) and not part.at_work()
        if part is not None and (ready or done):
            part.save()
        if done:
            self._ending.leave(now, is_over=Cause.ENDED in self.causes_by_name.values())
            self.finished = self._ending.is_past(now)
            # Told once, then no longer retained: the broker is left as it was found.
            cleared = replace(self._status(Presence.DONE), payload=b"")
            return [replace(self._status(Presence.DONE), retain=False), cleared]
        said = self._own_status.take_due(part, self._ending.over)
        if part is not None and ready:
            report = self._topics.of(self._agent, Subject.REPORT)
            said += [Publication(topic=report, payload=frame) for frame in part.frames()]
        return said

    def _hear_out(self, now: float) -> None:
        """Listen on after the goodbye, for how the run ended and nothing else."""
        for topic, payload in self._drained():
            if self._part is not None and self._subjects.get(topic) in _OF_LEARNERS:
                self._ending.hear_out(payload, self._part.memory.opening)
        self.finished = self.finished or self._ending.is_past(now)

    def _give_up(self, error: BitarmError) -> list[Publication]:
        self.failure = error
        self.finished = True
        return [self._status(Presence.FAILED, str(error))]

    def _status(self, presence: Presence, reason: str = "") -> Publication:
        return self._own_status.message(presence, self._part, self._ending.over, reason)

    def _drained(self) -> list[tuple[str, bytes]]:
        inbox, self._inbox = self._inbox, []
        return inbox


_HEARD: dict[tuple[Stage, Subject], Callable[[AgentService, str, bytes], None]] = {
    (Stage.WAITING, Subject.STATUS): AgentService._heard_end_while_waiting,
    (Stage.WAITING, Subject.END): AgentService._heard_end_while_waiting,
    (Stage.WAITING, Subject.RUN): AgentService._heard_first_announcement,
    (Stage.WAITING, Subject.REQUEST): AgentService._pass_over,
    (Stage.SERVING, Subject.STATUS): AgentService._heard_end,
    (Stage.SERVING, Subject.END): AgentService._heard_end,
    (Stage.SERVING, Subject.RUN): AgentService._heard_announcement,
    (Stage.SERVING, Subject.REQUEST): AgentService._heard_frame,
}
"""What is heard of a learner's status, of a run's end, of its announcement and of requests."""
