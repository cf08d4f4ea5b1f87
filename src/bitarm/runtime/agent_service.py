"""An agent as a service: it joins a run, pulls what is asked for, and answers; without a socket.

One service is one identity on the broker and serves one arm, or all arms of one gateway. Answers
of one round leave together, packed, after the memory that they follow from is durable.
"""

import logging
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from bitarm import wire
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.epochs import is_later, run_of_opening, split_field
from bitarm.core.messages import Answer, Cause, Dismiss, Message, Report, Request
from bitarm.core.quantizer import Bounds
from bitarm.core.rewards import collect
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import (
    BitarmError,
    ConfigError,
    FrameError,
    LocalProtocolError,
    PeerProtocolError,
    ProtocolError,
    RewardError,
    StoreError,
)
from bitarm.runtime.agent_memory import AgentMemory, Keeper, latest_epoch, recall
from bitarm.runtime.announcement import Announcement, load_announcement
from bitarm.runtime.feeds import Feed, SensorFeed
from bitarm.runtime.refusals import Refusals
from bitarm.runtime.service import Endpoint, Publication
from bitarm.runtime.sources import PULLED_AT_ONCE
from bitarm.runtime.status import (
    Presence,
    Start,
    Status,
    dump_status,
    load_status,
)
from bitarm.runtime.topics import LEARNER, Kind, Topics, check_agent, check_name

Supply = Callable[[str, int, int], Feed]
"""The feed of an arm, given its name, its number and the run's seed; ConfigError if there is none
here."""

_LOGGER = logging.getLogger("bitarm.agent")
_SAVED_EVERY = 1.0  # seconds of live rewards that a crash may cost
_LOOK_EVERY = 0.02  # seconds between two looks at a live feed
_SAY_AGAIN = (30.0, 600.0)  # seconds of silence after which an idle agent says that it is there


def fresh_name() -> str:
    """A name that nobody else has: of a process, or of a sequence of rewards."""
    return secrets.token_hex(8)


@final
class AgentService:
    """Serves the arms that the run's announcement assigns to this agent.

    `bounds` are those that its own settings name, if they do: a learner that believes in others is
    refused. So is a run with another `seed`, if one is given. `failure` says why it gave up, if it
    did: rewards or a memory that failed, or settings that do not fit.
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
        self._own_bounds = bounds
        self._sensors = dict(sensors or {})
        self._seed = seed
        self._most_pulls = most_pulls
        self._name = name
        self._boot = name()
        self._inbox: list[tuple[str, bytes]] = []
        self._memory: AgentMemory | None = None
        self._announced_run: Announcement | None = None
        self._machines: dict[int, Agent] = {}
        self._feeds: dict[int, Feed] = {}
        self._answers: dict[int, Answer] = {}  # made, not yet published
        self._tell: Presence | None = None  # a status that is due
        self._reason = ""  # what it refused last
        self._has_admitted = False  # in this step: one frame may ask all arms of a gateway
        self._saved_at = 0.0
        self._say_at, self._patience = math.inf, _SAY_AGAIN[0]
        self._ended = False
        self.refusals = Refusals()
        self.failure: BitarmError | None = None
        self.finished = False
        self._learner_topic = self._topics.of(LEARNER, Kind.STATUS)
        self._run_topic = self._topics.of(agent, Kind.RUN)
        self.endpoint = Endpoint(
            client_id=f"bitarm-{run}-{agent}",
            subscriptions=(
                self._learner_topic,
                self._run_topic,
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

    def received(self, topic: str, payload: bytes, *, kept: bool = False) -> None:
        """Remember a message; a sensor's is handed on at once."""
        if topic in self._sensors:
            for sensor in self._sensors[topic]:
                sensor.offer(payload)
        else:
            self._inbox.append((topic, payload))

    def step(self, now: float) -> Iterable[Publication]:
        """Act on what came in, pull a little, and answer when everything asked for is there."""
        if self.finished:
            return ()
        self._has_admitted = False
        try:
            for topic, payload in self._drained():
                self._take_in(topic, payload)
                self._patience = _SAY_AGAIN[0]
                self._say_at = now + self._patience
            self._pull(now)
            if now >= self._say_at and not self._pulling():
                self._tell = Presence.ONLINE  # perhaps the learner missed it
                if not self._machines:
                    _LOGGER.warning(
                        "%s waits: nobody has announced run %s to it", self._agent, self._topics.run
                    )
                self._patience = min(2 * self._patience, _SAY_AGAIN[1])
                self._say_at = now + self._patience
            return self._speak()
        except (RewardError, ConfigError, StoreError) as error:
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
        causes = {self._label(arm): it.state.cause for arm, it in self._machines.items()}
        return {name: cause for name, cause in causes.items() if cause is not None}

    # -- joining -----------------------------------------------------------------------------

    def _take_in(self, topic: str, payload: bytes) -> None:
        try:
            if topic == self._learner_topic:
                self._heard_learner(payload)
            elif topic == self._run_topic:
                self._announced(payload)
            elif self._machines:  # what comes before is for a run that we do not serve
                for message in wire.decode(payload):
                    self._take_message(topic, message)
        except (FrameError, ProtocolError) as error:
            self.refusals.note(topic, str(error))

    def _take_message(self, topic: str, message: Message) -> None:
        """One message of a frame: if it is refused, the others are served all the same."""
        try:
            self._serve(topic, message)
        except ProtocolError as error:
            self.refusals.note(topic, str(error))

    def _heard_learner(self, payload: bytes) -> None:
        """The learner's own status matters only when it says that our run is over."""
        status = load_status(payload) if payload else None
        if status is None or status.presence is not Presence.DONE or status.opening is None:
            return
        memory = self._memory or self._keeper.load()
        if memory is None or memory.opening != status.opening:
            return
        if not self._machines and memory.is_over:
            return  # the end of a run that we know of: perhaps another of this name will come
        known = self._epoch() if self._machines else latest_epoch(memory.arms.values())
        if known is not None and status.epoch is not None and is_later(known, status.epoch):
            return  # one that was taken for dead: its successor goes on with the run
        self._memory, self._ended = memory, True
        for arm in self._machines:
            self._dismissed(arm)

    def _announced(self, payload: bytes) -> None:
        if not payload:
            return  # cleared: no run for the time being
        announcement = load_announcement(payload)
        known = self._memory is not None and self._memory.opening == announcement.opening
        if not known or not self._machines:
            self._join(announcement)
            return
        self._enter(announcement.epoch)
        self._tell = Presence.ONLINE  # a learner that begins must hear what we remember

    def _enter(self, epoch: int) -> None:
        """Take a later epoch over, with all arms at once: their answers leave together."""
        entered = [machine.enter(epoch) for machine in self._machines.values()]
        if any(entered):
            _LOGGER.info("%s goes on in epoch %d", self._agent, epoch)
            self._answers = {}  # to questions of an epoch that is over
            self._ended = False
            self._save()

    def _join(self, announced: Announcement) -> None:
        if self._seed is not None and announced.seed != self._seed:
            raise ConfigError(
                f"the learner runs with seed {announced.seed}, this agent was set up for "
                f"{self._seed}: give both the same"
            )
        if self._own_bounds not in (None, announced.bounds):
            raise ConfigError(
                f"the learner takes rewards to lie in {_in_words(announced.bounds)}, the problem "
                f"file here says {_in_words(self._own_bounds)}: give both the same bounds"
            )
        memory = recall(self._keeper.load(), announced, self._agent, life=self._name())
        run = run_of_opening(announced.opening)
        self._machines, self._feeds, self._answers, self._ended = {}, {}, {}, False
        began: dict[int, int] = {}
        self._announced_run = announced
        for arm, name in announced.arms.items():
            self._feeds[arm] = feed = self._supply(name, arm, announced.seed)
            machine = Agent(run, arm, memory.arms.get(arm), most_pulls=self._most_pulls)
            if machine.wanted and feed.live and not memory.stopped:
                memory = replace(memory, discarded=memory.discarded + 1)
            feed.skip(machine.state.pulls)
            if feed.live:
                began[arm] = machine.state.pulls
            machine.enter(announced.epoch)
            self._machines[arm] = machine
        self._memory = memory.gone_on_by(Start(boot=self._boot, pulls=began))
        self._save()
        self._tell = Presence.ONLINE
        _LOGGER.info("%s serves %d arms of run %06x", self._agent, len(announced.arms), run)

    # -- serving -----------------------------------------------------------------------------

    def _serve(self, topic: str, message: object) -> None:
        if not isinstance(message, Request | Dismiss):
            self.refusals.note(topic, "only requests and dismissals are for an agent")
            return
        machine = self._machines.get(message.arm)
        if machine is None:
            self.refusals.note(topic, f"arm {message.arm} is not served here")
            return
        if machine.knows_later(message.run):
            self._tell = Presence.ONLINE  # its epoch is over: whoever speaks should know
            return
        run, epoch = split_field(message.run)
        known = machine.state.epoch
        if run == machine.run and (known is None or is_later(epoch, known)):
            self._enter(epoch)
        if isinstance(message, Request) and message.message > machine.state.message + 1:
            self._admit_loss()
        busy = machine.wanted
        try:
            answers = machine.receive(message)
        except PeerProtocolError as error:
            self._reason = str(error)
            self._tell = self._tell or Presence.PULLING  # so that somebody sees why nothing comes
            raise
        self._reason = ""
        if machine.state.phase is AgentPhase.DISMISSED:
            self._dismissed(message.arm)
        self._answers.update((answer.arm, answer) for answer in answers)
        if busy and machine.wanted:
            self._tell = self._tell or Presence.PULLING  # asked again: say that we are at it
        elif machine.wanted and self._feeds[message.arm].live:
            self._save()  # so that a restart knows of a batch that it cut short

    def _admit_loss(self) -> None:
        """Questions that were answered are not known here: this process went back in time.

        As a machine that is set back to an earlier snapshot does. From now on it is another
        process, which begins with what it remembers: the learner must hear that first.
        """
        assert self._memory is not None  # there are machines
        pulls = {
            arm: machine.state.pulls
            for arm, machine in self._machines.items()
            if self._feeds[arm].live
        }
        if pulls and not self._has_admitted:
            self._has_admitted = True
            self._boot = self._name()
            self._memory = self._memory.gone_on_by(Start(boot=self._boot, pulls=pulls))
            self._save()
            self._tell = Presence.ONLINE

    def _dismissed(self, arm: int) -> None:
        machine = self._machines[arm]
        if self._ended:
            state = replace(machine.state, phase=AgentPhase.DISMISSED, cause=Cause.ENDED)
            machine.state = state
        self._feeds[arm].rest()
        self._answers.pop(arm, None)

    def _pull(self, now: float) -> None:
        observed = False
        for arm, machine in self._machines.items():
            if machine.wanted:
                observed |= self._fetch(arm, machine)
        if observed and now - self._saved_at >= _SAVED_EVERY and self._any_live():
            self._save()
            self._saved_at = now

    def _fetch(self, arm: int, machine: Agent) -> bool:
        feed, announced = self._feeds[arm], self._announced_run
        assert announced is not None  # there are machines
        try:
            rewards = feed.take(min(machine.wanted, PULLED_AT_ONCE))
            if not rewards:
                return False
            batch = collect(rewards, announced.bounds, clip=self._clip)
            answers = machine.observe(batch.count, batch.total)
        except RewardError as error:
            raise RewardError(f"{self._label(arm)} (arm {arm}): {error}") from error
        if batch.clipped:
            assert self._memory is not None  # there are machines
            self._memory = replace(self._memory, clipped=self._memory.clipped + batch.clipped)
            self._tell = self._tell or Presence.PULLING
        if not machine.wanted:
            feed.rest()
        self._answers.update((answer.arm, answer) for answer in answers)
        return True

    # -- speaking ----------------------------------------------------------------------------

    def _speak(self) -> list[Publication]:
        """The status first: what it says of these rewards must be known before they count."""
        said: list[Publication] = []
        done = self._ended or (
            bool(self._machines)
            and all(it.state.phase is AgentPhase.DISMISSED for it in self._machines.values())
        )
        ready = self._answers and not self._pulling()
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
            self._answers = {}
        return said

    def _packed(self) -> list[bytes]:
        assert self._announced_run is not None  # there are answers
        limit = self._announced_run.report_bytes
        reports = [answer for answer in self._answers.values() if isinstance(answer, Report)]
        others = [answer for answer in self._answers.values() if not isinstance(answer, Report)]
        try:
            return [
                frame
                for batch in (reports, others)
                if batch
                for frame in wire.pack_all(batch, limit=limit)
            ]
        except LocalProtocolError as error:
            ahead = (
                ": this agent has made more pulls than it was asked for, and cannot say so there; "
                "the journal was restored from an older copy, so begin a new run"
            )
            more = ahead if others else ""
            raise ConfigError(f"the run's link does not carry an answer{more}: {error}") from None

    def _give_up(self, error: BitarmError) -> list[Publication]:
        self.failure = error
        self.finished = True
        return [self._status(Presence.FAILED, str(error))]

    def _status(self, presence: Presence, reason: str = "") -> Publication:
        memory = self._memory
        starts = memory.starts if memory else ()
        status = Status(
            presence=presence,
            opening=memory.opening if memory else None,
            epoch=self._epoch(),
            answered=self._answered(),
            boot=self._boot,
            life=memory.life if memory else "",
            pulls=starts[-1].pulls if starts else {},
            before=starts[:-1],
            restarts=memory.restarts if memory else 0,
            discarded=memory.discarded if memory else 0,
            clipped=memory.clipped if memory else 0,
            reason=reason or self._reason,
        )
        topic = self._topics.of(self._agent, Kind.STATUS)
        return Publication(topic=topic, payload=dump_status(status), retain=True)

    def _epoch(self) -> int | None:
        return latest_epoch(machine.state for machine in self._machines.values())

    def _answered(self) -> int:
        """The highest number of a question that was taken in that epoch, answered or at hand."""
        epoch = self._epoch()
        states = [machine.state for machine in self._machines.values()]
        return max((state.message for state in states if state.epoch == epoch), default=0)

    def _label(self, arm: int) -> str:
        assert self._announced_run is not None  # there are machines
        return self._announced_run.arms[arm]

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


def _in_words(bounds: Bounds | None) -> str:
    return "no bounds" if bounds is None else f"[{bounds[0]:g}, {bounds[1]:g}]"
