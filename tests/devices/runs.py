"""Whole runs: the real learner, its agents behind benches, rewards on fixed-point tapes."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, final

from devices.benches import Bench, Reply

from bitarm import wire
from bitarm.api.scheme import build
from bitarm.core.events import RunEnded
from bitarm.core.learner import Learner
from bitarm.core.messages import Position, Report
from bitarm.core.setup import Setup

FRACTION = 16
MOST_PULLS = 1 << 30
AT_ONCE = 100
"""Rewards in one line: boards have short ones."""

Law = Callable[[random.Random, float], float]


def beta(draw: random.Random, mean: float) -> float:
    """Rewards in [0, 1], with the concentration of the built-in gateways."""
    return draw.betavariate(19 * mean, 19 * (1 - mean))


def coin(draw: random.Random, mean: float) -> float:
    """0 or 1."""
    return float(draw.random() < mean)


def normal(draw: random.Random, mean: float) -> float:
    """Gaussian rewards with σ = 1/8."""
    return draw.gauss(mean, 0.125)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A problem, and the rewards that its arms will have: low + span·(what the law draws)."""

    name: str
    seed: int
    means: tuple[float, ...]
    law: Law
    problem: Mapping[str, Any]
    scheme: Mapping[str, Any] = field(
        default_factory=lambda: {"quantizer": "dyadic", "policy": "challenge"}
    )
    low: float = 0.0
    span: float = 1.0

    @property
    def setup(self) -> Setup:
        """The setup of the run."""
        arms = tuple(f"arm {n}" for n in range(len(self.means)))
        return build(arms, seed=self.seed, problem=self.problem, scheme=self.scheme, limits={})

    def tape(self, arm: int) -> "Tape":
        """The rewards of an arm, in units of 2^-FRACTION."""
        return Tape(self, arm)


@final
class Tape:
    """Rewards that can be read from any place on."""

    def __init__(self, world: World, arm: int) -> None:
        self._world, self._mean = world, world.means[arm]
        self._draw = random.Random(f"{world.name} {world.seed} {arm}")
        self.made: list[int] = []

    def read(self, first: int, count: int) -> list[int]:
        """So many rewards, after the first ones."""
        world = self._world
        while len(self.made) < first + count:
            value = world.low + world.span * world.law(self._draw, self._mean)
            self.made.append(round(value * 2**FRACTION))
        return self.made[first : first + count]


WORLDS = (
    World(name="beta", seed=1, means=(0.4, 0.5, 0.75, 0.6), law=beta, problem={"bounds": (0, 1)}),
    World(name="coins", seed=2, means=(0.8, 0.2, 0.3), law=coin, problem={"bounds": (0, 1)}),
    World(name="sigma", seed=3, means=(0.3, 0.55, 0.2, 0.4), law=normal, problem={"sigma": 0.125}),
    World(
        name="bounds",
        seed=4,
        means=(0.7, 0.4, 0.3),
        law=beta,
        problem={"bounds": (-8.0, 24.0)},
        low=-8.0,
        span=32.0,
    ),
    World(
        name="far from zero",
        seed=5,
        means=(1000.3, 1000.8, 1000.0),
        law=normal,
        problem={"sigma": 0.125},
    ),
    World(
        name="nearest alone",
        seed=6,
        means=(0.3, 0.8, 0.5),
        law=normal,
        problem={"sigma": 0.125},
        scheme={"quantizer": "dyadic", "policy": "se"},
    ),
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run went."""

    ending: RunEnded
    counts: tuple[int, ...]  # pulls that each arm made
    heard: tuple[tuple[bytes, ...], ...]  # frames to each arm
    said: tuple[tuple[bytes, ...], ...]  # frames from it


def run(world: World, benches: Sequence[Bench]) -> Run:
    """A whole run: arm n is served by bench n; a bench may serve several."""
    learner = Learner(world.setup)
    tapes = [world.tape(arm) for arm in range(len(world.means))]
    low, high = round(world.low * 2**FRACTION), round((world.low + world.span) * 2**FRACTION)
    if world.law is normal:
        low, high = -(1 << 27), 1 << 27
    for arm in range(len(tapes)):
        benches[arm].ask(f"{arm} new {FRACTION} {low} {high} {MOST_PULLS}")
    heard: list[list[bytes]] = [[] for _ in tapes]
    said: list[list[bytes]] = [[] for _ in tapes]
    counts = [0] * len(tapes)
    waiting = list(learner.start().messages)
    while waiting:
        message = waiting.pop(0)
        arm, frame = message.arm, wire.encode(message)
        heard[arm].append(frame)
        replies = list(serve(benches[arm], arm, frame, tapes[arm]))
        counts[arm] = replies[-1].count
        for reply in replies:
            assert reply.kind in ("say", "quiet"), f"arm {arm}: {reply}"
            if reply.frame is not None:
                said[arm].append(reply.frame)
                for answer in wire.decode(reply.frame):
                    assert isinstance(answer, Report | Position)
                    waiting += learner.receive(answer).messages
    assert learner.ending is not None
    return Run(
        ending=learner.ending,
        counts=tuple(counts),
        heard=tuple(map(tuple, heard)),
        said=tuple(map(tuple, said)),
    )


class Rewards(Protocol):
    """Rewards that can be read from any place on, in units of 2^-FRACTION."""

    def read(self, first: int, count: int) -> list[int]:
        """So many rewards, after the first ones."""
        ...


def serve(bench: Bench, arm: int, frame: bytes, tape: Rewards) -> list[Reply]:
    """Hand a frame to an arm, and fetch the rewards that it then wants."""
    replies = [bench.ask(f"{arm} hear {frame.hex()}")]
    while replies[-1].wanted and replies[-1].kind in ("say", "quiet"):
        last = replies[-1]
        rewards = tape.read(last.count, min(last.wanted, AT_ONCE))
        replies.append(bench.ask(f"{arm} give {' '.join(map(str, rewards))}"))
    return replies
