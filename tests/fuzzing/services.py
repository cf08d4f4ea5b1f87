"""Learner, agent and probe as they read what others send: whatever comes, they go on.

Each function here makes a reader: it takes one input, and an exception is a defect.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from fuzzing.frames import frames
from tapes import Problem, Tape, make_spec
from wires.memories import MemoryKeeper
from wires.runs import RUN, fleet_of

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.epochs import run_of_opening
from bitarm.core.evidence.bets import Bets
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Message, Position, Report, Request
from bitarm.core.policies import ChallengeElimination, SuccessiveElimination
from bitarm.core.quantizers import Dyadic, Icq
from bitarm.core.schedule import LooksSchedule
from bitarm.errors import BitarmError, FrameError, PeerProtocolError, RewardError
from bitarm.rewards.feeds import DirectFeed
from bitarm.runtime.agent.memory import Keeper
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.begin import open_run
from bitarm.runtime.learner.probe import LearnerProbe
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Start, Status, dump_status
from bitarm.wire.topics import LEARNER, Subject, Topics

Reader = Callable[[bytes], None]
ARMS = 45
_BETS = (Bets(), Bets().after([0.1, 0.7, 0.2] * 40, 0))  # on few rewards, and on some
_FEW = 6  # arms of a run that is to come to its end
OPENING = "fuzzed"
MOST_PULLS = 10_000  # that an agent here makes for one question
TOPICS = Topics(RUN)
_FAILURES = ("is too far from 0", "outside the bounds that were told")  # by what was asked
_RENEWED = 1_000  # inputs after which a service gives way to a fresh one
_TAPE = Tape(seed=3, means=(500,) * ARMS, spread=150, bounds=(0, 1024))
PAPER = Problem(
    spec=make_spec(arms=ARMS, quantizer=Icq(bits=3, prior="midpoint")),
    policy=SuccessiveElimination(),
    limits=Limits(),
    tape=_TAPE,
)
CHALLENGE = Problem(
    spec=make_spec(arms=ARMS, quantizer=Dyadic(), width="bounded", schedule=LooksSchedule()),
    policy=ChallengeElimination(),
    limits=Limits(),
    tape=_TAPE,
)


def of_this_run(rng: random.Random, count: int) -> Iterator[bytes]:
    """Frames of the run that these services serve."""
    return frames(rng, count, run_of_opening(OPENING), forged=True)


def announced(arms: int) -> bytes:
    """A gateway's part in the run: its first so many arms."""
    spec = PAPER.spec
    return dump_announcement(
        Announcement(
            opening=OPENING,
            epoch=1,
            arms=dict(enumerate(spec.arms[:arms])),
            bounds=spec.bounds,
            seed=spec.seed,
        )
    )


ANNOUNCED = announced(12)  # frames are of 40 arms: an agent is also asked about others'
STATUSES = [
    dump_status(
        Status(
            presence=presence,
            opening=OPENING,
            epoch=epoch,
            answered=1,
            boot="there",
            life="one",
            pulls={0: 3},
            made={0: 3},
            before=(Start(boot="before", pulls={0: 1}),),
            reason="decided",
        )
    )
    for presence in Presence
    for epoch in (1, 2)
]


class Constant:
    """Rewards that cost nothing to make."""

    def __init__(self, value: float) -> None:
        self._value = value

    def pull(self, count: int) -> list[float]:
        """The same each time."""
        return [self._value] * count

    def skip(self, count: int) -> None:
        """All are alike."""


def decode_frame(payload: bytes) -> None:
    """What every reader of frames begins with; a frame that it accepts has one spelling."""
    try:
        messages = wire.decode(payload)
    except FrameError:
        return
    assert wire.pack(messages) == payload, "two spellings of one frame"
    if payload[-1] % 8 == 0:  # now and then: it costs as much as all the rest
        assert wire.describe(payload)


def answer_questions(payload: bytes) -> None:
    """Questions answered with any mean, and any bits read as an answer to them."""
    try:
        messages = wire.decode(payload)
    except FrameError:
        return
    rng = random.Random(payload)
    for question in (one.question for one in messages if isinstance(one, Request)):
        with suppress(RewardError, PeerProtocolError):
            mean = rng.choice((0.0, 0.5, -1.0, 1e9, rng.gauss(0, 1)))
            question.read(question.answer(mean, rng.choice(_BETS)))
        nbits = rng.randrange(71)
        with suppress(PeerProtocolError):
            question.read(Symbol(rng.getrandbits(nbits) if nbits else 0, nbits))


def joined(keeper: Keeper, heard: bytes = ANNOUNCED) -> AgentService:
    """The service of a gateway, once it has heard of the run."""
    service = AgentService(
        run=RUN,
        agent="gw",
        supply=lambda name, arm, seed: DirectFeed(Constant(arm % 3 / 2)),
        keeper=keeper,
        most_pulls=MOST_PULLS,
    )
    service.connected(0.0)
    service.received(TOPICS.of("gw", Subject.RUN), heard)
    list(service.step(0.0))
    return service


def asked_agent() -> Reader:
    """A gateway that is asked; another takes over if a code does not reach its mean."""
    service, heard = joined(MemoryKeeper()), 0

    def take(payload: bytes) -> None:
        nonlocal service, heard
        heard += 1
        service.received(TOPICS.of("gw", Subject.REQUEST), payload)
        list(service.step(float(heard)))
        if service.failure is not None:
            assert isinstance(service.failure, RewardError), service.failure
            assert any(why in str(service.failure) for why in _FAILURES), service.failure
        if service.finished or heard % _RENEWED == 0:  # pulls that it made add up
            service = joined(MemoryKeeper())

    return take


def told_agent() -> Reader:
    """An agent to which runs are announced, and what becomes of their learners."""
    service, now = joined(MemoryKeeper()), 0.0
    rng = random.Random(1)
    topics = [
        TOPICS.of("gw", Subject.RUN),
        TOPICS.of(LEARNER, Subject.STATUS),
        TOPICS.of(LEARNER, Subject.END),
    ]

    def take(payload: bytes) -> None:
        nonlocal service, now
        now += 1.0
        service.received(rng.choice(topics), payload)
        list(service.step(now))
        if service.failure is not None:  # other arms, bounds or a seed than it was told before
            assert isinstance(service.failure, BitarmError), service.failure
        if service.finished or rng.random() < 0.1:
            list(service.stop())
            service = joined(MemoryKeeper()) if rng.random() < 0.5 else _waiting()

    return take


def _waiting() -> AgentService:
    return joined(MemoryKeeper(), b"")


def _learner(problem: Problem) -> LearnerService:
    fleet = fleet_of(problem, gateways=1)
    machine = Learner(problem.setup, OPENING)
    _, service = open_run(
        machine, MemoryJournal(), fleet, boot="here", watch=lambda events: None, now=0.0
    )
    service.connected(0.0)
    list(service.step(0.0))
    status = Status(presence=Presence.ONLINE, opening=OPENING, epoch=1, boot="there", life="one")
    service.received(TOPICS.of("gw-0", Subject.STATUS), dump_status(status))
    return service


class _OpenQuestions:
    """What a learner has asked: half of what is thrown at it is made to fit that."""

    def __init__(self) -> None:
        self._asked: dict[int, Request] = {}
        self._rng = random.Random(1)

    def hear(self, said: Iterable[Publication]) -> None:
        """Remember the questions among what a learner says."""
        for letter in said:
            if letter.topic == TOPICS.of("gw-0", Subject.REQUEST):
                for message in wire.decode(letter.payload):
                    if isinstance(message, Request):
                        self._asked[message.arm] = message

    def fit(self, payload: bytes) -> bytes:
        """Such a frame as if it answered what was asked; others as they are."""
        try:
            messages = wire.decode(payload)
        except FrameError:
            return payload
        fitted = [one for one in map(self._fitted, messages) if one is not None]
        answers = {one.arm: one for one in fitted if type(one) is type(fitted[0])}
        return wire.pack(list(answers.values())) if answers else payload

    def _fitted(self, message: Message) -> Report | Position | None:
        asked = self._asked.get(message.arm % _FEW)
        if asked is None:
            return None
        if isinstance(message, Report | Position) and self._rng.random() < 0.3:
            return replace(message, run=asked.run, arm=asked.arm, message=asked.message)
        mean = self._rng.choice((0.1 * asked.arm, self._rng.random()))
        return Report(
            run=asked.run,
            arm=asked.arm,
            message=asked.message,
            symbol=asked.question.answer(mean, _BETS[-1]),
        )


def answered_learner(problem: Problem) -> Callable[[], Reader]:
    """A learner whose only agent is a gateway, which reports; after its run another begins."""
    few = replace(
        problem,
        spec=replace(problem.spec, arms=problem.spec.arms[:_FEW]),
        tape=replace(problem.tape, means=problem.tape.means[:_FEW]),
    )

    def begin() -> Reader:
        service, asked, heard = _learner(few), _OpenQuestions(), 0

        def take(payload: bytes) -> None:
            nonlocal service, asked, heard
            heard += 1
            meant = asked.fit(payload) if heard % 2 else payload
            service.received(TOPICS.of("gw-0", Subject.REPORT), meant)
            asked.hear(service.step(heard * 0.1))
            assert service.failure is None
            if service.finished or heard % _RENEWED == 0:
                service, asked = _learner(few), _OpenQuestions()

        return take

    return begin


def told_learner() -> Reader:
    """A learner that hears statuses: of its agent, of strangers, and of other learners."""
    service, now, rng = _learner(PAPER), 0.0, random.Random(1)
    topics = [
        *(TOPICS.of("gw-0", Subject.STATUS),) * 4,
        TOPICS.of(LEARNER, Subject.STATUS),
        TOPICS.of(LEARNER, Subject.END),
        TOPICS.of(LEARNER, Subject.REQUEST),
        TOPICS.of("nobody", Subject.STATUS),
        f"{TOPICS.of('gw-0', Subject.STATUS)}/more",
    ]

    def take(payload: bytes) -> None:
        nonlocal service, now
        now += 100.0
        service.received(rng.choice(topics), payload, retained=rng.random() < 0.5)
        list(service.step(now))
        if service.finished or rng.random() < 0.01:
            service, now = _learner(PAPER), 0.0

    return take


def told_probe() -> Reader:
    """What a learner that starts asks the broker."""
    probe, rng = LearnerProbe(RUN, identity="1"), random.Random(1)
    topics = [
        TOPICS.of(agent, subject)
        for agent in (LEARNER, "gw")
        for subject in (Subject.STATUS, Subject.RUN)
    ]

    def take(payload: bytes) -> None:
        nonlocal probe
        probe.connected(0.0)
        probe.received(rng.choice(topics), payload, retained=True)
        list(probe.step(0.0))
        if rng.random() < 0.01:
            probe = LearnerProbe(RUN, identity="1")

    return take
