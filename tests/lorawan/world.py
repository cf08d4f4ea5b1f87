"""A learner, ChirpStack and its devices in one process, on a clock of their own."""

import heapq
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import final

from lorawan.device import Arm, CoreArm, Device, Rewards
from lorawan.region import Region
from lorawan.server import DATA_DELAY, DEDUPLICATION, Air, Server
from runtime.chirpstack import events
from runtime.chirpstack.events import APPLICATION

from bitarm.api.fleet import fleet_of
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import RunOpened
from bitarm.core.journal import Journal
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.links.fit import limits_on
from bitarm.links.profiles import find_link
from bitarm.runtime.chirpstack.service import RETRY, ChirpStackService
from bitarm.runtime.learner.begin import open_run, resume_run
from bitarm.store import MemoryJournal
from bitarm.wire.frames.short import most_symbol_bits

_DAYS = 400
_MOST_EVENTS = 2_000_000
_HELD = 0.5  # seconds after which whatever a learner held back has left


def coins(
    means: Sequence[float], region: Region, *, noiseless: Sequence[int] = (), network: str = ""
) -> Problem:
    """A device for each mean, whose rewards are 0 or 1; those of some have hardly any noise."""
    arms = "".join(
        f'[[arm]]\nname = "site-{arm}"\ndevice = "01020304050607{arm:02x}"\n'
        f"mean = {mean}\n"
        + (
            'source = "beta"\nconcentration = 1e6\n'
            if arm in noiseless
            else 'source = "bernoulli"\n'
        )
        for arm, mean in enumerate(means)
    )
    return parse_problem(
        "[problem]\nbounds = [0.0, 1.0]\ndelta = 0.1\n"
        f'[network]\nvia = "chirpstack"\napplication = "{APPLICATION}"\nlink = "{region.link}"\n'
        f"{network}\n{arms}",
        Path(),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How a run went."""

    result: RunResult
    journal: Journal
    devices: list[Device]
    server: Server
    days: float

    @property
    def uplinks(self) -> int:
        return sum(len(device.uplinks) for device in self.devices)


def _core_arm(number: int, rewards: Rewards, most_bits: int) -> Arm:
    return CoreArm(rewards, most_bits=most_bits)


@final
class World:
    """Everything that happens, in the order of its times."""

    def __init__(
        self,
        problem: Problem,
        region: Region,
        *,
        seed: int,
        air: Air | None = None,
        every: float = 600.0,
        pull_seconds: float = 60.0,
        repeats: bool = True,
        latency: float = 0.05,
        concessions: int = 4,
        rest: float = 86400.0,
        arm_of: Callable[[int, Rewards, int], Arm] = _core_arm,
    ) -> None:
        """`latency` is how long the learner takes to answer an event, in seconds.

        `arm_of` makes the agent of an arm from its number, its rewards, and the longest answer.
        """
        self.problem = problem
        self.journal = MemoryJournal()
        draw, bits = random.Random(seed), most_symbol_bits(region.up.max_bytes)
        self.devices = [
            Device(
                str(arm.device),
                arm_of(number, arm.rewards(number, seed, folder=problem.folder).pull, bits),
                region,
                every=every * draw.uniform(0.9, 1.1),
                pull_seconds=pull_seconds,
                repeats=repeats,
                concessions=concessions,
                rest=rest,
            )
            for number, arm in enumerate(problem.arms)
        ]
        self.server = Server(region, air or Air(), draw, self._tell)
        self._air, self._region, self._latency = air or Air(), region, latency
        self._fleet = fleet = fleet_of(problem, "lab")
        setup = problem.setup(seed)
        limits = limits_on(find_link(region.link), setup.spec, setup.limits)
        self.setup = replace(setup, limits=limits)
        self.learner = Learner(self.setup, opening="opening")
        _, service = open_run(
            self.learner,
            self.journal,
            fleet,
            boot="boot",
            watch=lambda events: None,
            now=0.0,
            retry=RETRY,
        )
        assert service.ledger is not None  # the problem names its link
        self.ledger = service.ledger
        self.service = ChirpStackService(service, fleet)
        self._order = count()
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._now = 0.0
        self._turns = [0] * len(self.devices)  # what a device planned before its last is void
        self.service.connected(0.0)

    def add(self, device: Device) -> None:
        """One more, perhaps with the key of another."""
        self.devices.append(device)
        self._turns.append(0)

    def switch_off(self, number: int) -> None:
        """A device that never speaks again."""
        self._turns[number] += 1
        self.devices[number].speaks_at = math.inf

    def send_telemetry(self) -> None:
        """Every device that does not rest sends something of its own, on another port."""
        for device in self.devices:
            if not device.is_resting and device.speaks_at < math.inf:
                self._tell(events.topic(device.eui, "up"), events.up(device.eui, b"1", port=1))

    def set_back(self, events: int) -> None:
        """The learner is killed, and goes on from a journal that has so many events and no more."""
        kept = [entry.event for entry in self.journal.read(1)][:events]
        opened, *rest = kept
        assert isinstance(opened, RunOpened)
        self.journal = MemoryJournal()
        run = self.journal.open_run(opened, rest)
        service = resume_run(
            self.journal, run, boot="again", watch=lambda events: None, now=self._now, retry=RETRY
        )
        self.learner = service._run.learner
        self.service = ChirpStackService(service, self._fleet)
        self.service.connected(self._now)
        self._step()

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, and every device is dismissed, or rests."""
        has_ended = self.learner.phase is LearnerPhase.ENDED
        return has_ended and all(device.arm.is_over or device.is_resting for device in self.devices)

    def run(self, days: float = 0.0) -> Course:
        """Until it is over, and so many days more, in which the learner stays."""
        for number, device in enumerate(self.devices):
            device.speaks_at = 7.0 * number
            self._plan(number)
        done, ended = 0, math.inf
        while self._agenda and self._now < ended + 86400 * days:
            self._now, _, act = heapq.heappop(self._agenda)
            done += 1
            assert self._now < _DAYS * 86400, "the run does not end"
            assert done < _MOST_EVENTS, "the run does not end"
            act()
            if ended == math.inf and self.is_over:
                ended = self._now
        return Course(
            result=result_of(Standings.of(entry.event for entry in self.journal.read(1))),
            journal=self.journal,
            devices=self.devices,
            server=self.server,
            days=ended / 86400,
        )

    def at(self, when: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (when, next(self._order), act))

    # -- the air -----------------------------------------------------------------------------

    def _plan(self, number: int) -> None:
        """The next uplink of a device, in place of the one that was planned before."""
        self._turns[number] += 1
        turn, device = self._turns[number], self.devices[number]

        def speak() -> None:
            if turn == self._turns[number] and not device.arm.is_over:
                self._speak(number)

        self.at(device.speaks_at, speak)

    def _speak(self, number: int) -> None:
        device = self.devices[number]
        frame = device.speak(self._now)
        self._plan(number)
        if self.is_lost(device):
            return
        eui, ended = device.eui, self._now + self._region.up_seconds(len(frame))
        heard = ended + DEDUPLICATION
        self.at(heard, lambda: self.server.event(eui, "up", events.up(eui, frame)))
        self.at(heard + DATA_DELAY, lambda: self._downlink(eui, ended))

    def is_lost(self, device: Device) -> bool:
        """Whether what a device says now is heard by nobody."""
        return self.server.happens(self._air.lost_up)

    def _downlink(self, eui: str, ended: float) -> None:
        went = self.server.downlink(eui, ended)
        if went is not None:
            frame, heard = went
            self.at(heard, lambda: self._hear(eui, frame))

    def _hear(self, eui: str, frame: bytes) -> None:
        for number, device in enumerate(self.devices):
            if device.eui == eui:  # two with one key hear the same
                device.hear(frame, self._now)
                self._plan(number)

    # -- the learner -------------------------------------------------------------------------

    def _tell(self, topic: str, payload: bytes) -> None:
        self.service.received(topic, payload)
        self.at(self._now + self._latency, self._step)
        self.at(self._now + self._latency + _HELD, self._step)

    def _step(self) -> None:
        for said in self.service.step(self._now):
            if said.topic.startswith("application/"):
                self.server.command(said.payload)
