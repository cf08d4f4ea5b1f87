"""Throw inputs at everything that reads what others send, and see that nothing breaks.

    .venv/bin/python scripts/fuzz.py [COUNT] [SEED]     by default a million, about ten minutes

A third each: the decoder of frames, the agent's handler of requests, the learner's of reports;
half of them under a scheme whose agents judge themselves.
Any exception, and any input that takes longer than a second, is a failure.
"""

import logging
import random
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import frames
from tapes import Problem, Tape, make_spec
from wires.memories import MemoryKeeper
from wires.runs import RUN, fleet_of

from bitarm import wire
from bitarm.core.epochs import run_of_opening
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.policies import ChallengeElimination, SuccessiveElimination
from bitarm.core.quantizers import Dyadic, Icq
from bitarm.core.schedule import LooksSchedule
from bitarm.errors import FrameError, RewardError
from bitarm.rewards.feeds import DirectFeed
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.begin import open_run
from bitarm.store import MemoryJournal
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import Subject, Topics

SLOW = 1.0  # seconds for one input
ARMS = 45
OPENING = "fuzzed"
MOST_PULLS = 10_000  # that an agent here makes for one question
TOPICS = Topics(RUN)
_TAPE = Tape(seed=3, means=(500,) * ARMS, spread=150, bounds=(0, 1024))
PROBLEMS = [
    Problem(
        spec=make_spec(arms=ARMS, quantizer=Icq(bits=3, prior="midpoint")),
        policy=SuccessiveElimination(),
        limits=Limits(),
        tape=_TAPE,
    ),
    Problem(
        spec=make_spec(arms=ARMS, quantizer=Dyadic(), width="bounded", schedule=LooksSchedule()),
        policy=ChallengeElimination(),
        limits=Limits(),
        tape=_TAPE,
    ),
]


class Halves:
    """Rewards that cost nothing to make."""

    def pull(self, count: int) -> list[float]:
        """One half each."""
        return [0.5] * count

    def skip(self, count: int) -> None:
        """All are alike."""


def decoder(problem: Problem) -> Callable[[bytes], None]:
    """What every reader of frames begins with; a frame that it accepts has one spelling."""

    def take(payload: bytes) -> None:
        try:
            messages = wire.decode(payload)
        except FrameError:
            return
        assert wire.pack(messages) == payload, "two spellings of one frame"

    return take


def agent(problem: Problem) -> Callable[[bytes], None]:
    """A gateway of all arms, joined; another one takes over if a code does not reach its mean."""
    service = joined(problem)

    def take(payload: bytes) -> None:
        nonlocal service
        service.received(TOPICS.of("gw", Subject.REQUEST), payload)
        list(service.step(0.0))
        if service.failure is not None:
            assert isinstance(service.failure, RewardError), service.failure
            assert "is too far from 0 to quantize" in str(service.failure)
            service = joined(problem)

    return take


def joined(problem: Problem) -> AgentService:
    """The service of that gateway, once it has heard of the run."""
    service = AgentService(
        run=RUN,
        agent="gw",
        supply=lambda name, arm, seed: DirectFeed(Halves()),
        keeper=MemoryKeeper(),
        most_pulls=MOST_PULLS,
    )
    announcement = Announcement(
        opening=OPENING,
        epoch=1,
        arms=dict(enumerate(problem.spec.arms)),
        bounds=problem.spec.bounds,
        seed=problem.spec.seed,
    )
    service.received(TOPICS.of("gw", Subject.RUN), dump_announcement(announcement))
    list(service.step(0.0))
    return service


def learner(problem: Problem) -> Callable[[bytes], None]:
    """A learner whose only agent is that gateway."""
    fleet = fleet_of(problem, gateways=1)
    machine = Learner(problem.setup, OPENING)
    _, service = open_run(
        machine, MemoryJournal(), fleet, boot="here", watch=lambda events: None, now=0.0
    )
    service.connected(0.0)
    list(service.step(0.0))
    status = dump_status(
        Status(presence=Presence.ONLINE, opening=OPENING, epoch=1, boot="there", life="one")
    )
    service.received(TOPICS.of("gw-0", Subject.STATUS), status)
    list(service.step(0.0))

    def take(payload: bytes) -> None:
        service.received(TOPICS.of("gw-0", Subject.REPORT), payload)
        list(service.step(0.0))

    return take


def main(count: int, seed: int) -> None:
    """Each handler in turn, for each scheme."""
    logging.getLogger("bitarm").setLevel(logging.CRITICAL)
    handlers = (decoder, agent, learner)
    each = -(-count // (len(PROBLEMS) * len(handlers)))
    for problem, handler in product(PROBLEMS, handlers):
        name = f"{handler.__name__}, {problem.spec.quantizer.name}"
        rng = random.Random(f"{seed}/{name}")
        take, slowest = handler(problem), 0.0
        for number, payload in enumerate(frames(rng, each, run_of_opening(OPENING))):
            if number % 1000 == 999 and handler is agent:
                take = agent(problem)  # requests that it obeyed let an arm's pulls grow
            begin = time.perf_counter()
            try:
                take(payload)
            except BaseException:
                print(f"{name}, seed {seed}, input {number}: {payload.hex()}")
                raise
            slowest = max(slowest, time.perf_counter() - begin)
            assert slowest < SLOW, f"{name}: {payload.hex()} took {slowest:.1f} s"
        print(f"{name}: {each:,} inputs, the slowest {slowest * 1e3:.1f} ms")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*(given + [1_000_000, 1][len(given) :]))
