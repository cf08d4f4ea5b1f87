"""A sweep: schemes on one environment over many trials, cut into chunks that anyone may run.

A chunk is a function of the sweep and its number: the same bytes on any machine, in any order,
with any number of workers. It draws from its own child of the sweep's seed.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import final

import numpy as np

from bitarm.core.plain import dumps, from_plain, to_plain
from bitarm.core.policy import tolerance_of
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.sim.engine import Engine, TapeWatch
from bitarm.sim.environment import Environment, environment_of, right_arms
from bitarm.sim.models import RewardModel
from bitarm.sim.statistics import Moments, Tally, merge_all, merge_tallies
from bitarm.sim.trials import OUTCOMES, Trials

MEASURES = ("rounds", "samples", "payload_bits")

_CHUNKS = 64  # enough for a machine's workers to share evenly
_SMALLEST, _LARGEST = 500, 1 << 16  # trials of a chunk
_MOST_TRIALS = 10**10  # of a sweep: its chunks are listed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What to run: everything that determines the numbers.

    `execute` runs it, or `run_chunk` for each of its `chunks`. Raises ConfigError if there are no
    trials, no setups, or a seed below 0.
    """

    setups: tuple[Setup, ...]
    models: tuple[RewardModel, ...]
    trials: int
    seed: int
    most_bits: int | None = None  # of an answer: what the agents' link carries

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise ConfigError(f"trials must be at least 1, got {self.trials}")
        if self.trials > _MOST_TRIALS:
            raise ConfigError(f"trials must be at most {_MOST_TRIALS:,}, got {self.trials:,}")
        if self.seed < 0:
            raise ConfigError(f"seed must be 0 or more, got {self.seed}")
        if not self.setups:
            raise ConfigError("a sweep needs at least one setup")

    @property
    def chunk_size(self) -> int:
        """Trials of a chunk; a function of the number of trials, never of the workers."""
        return min(max(-(-self.trials // _CHUNKS), _SMALLEST), _LARGEST)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.trials // self.chunk_size)

    @property
    def kernels(self) -> tuple[object, ...]:
        """What decides which kernels it needs; equal ones need the same."""
        policies = {setup.policy.name for setup in self.setups}
        return environment_of(self.models).gaussian, len(self.setups) > 1, *sorted(policies)

    def key(self) -> str:
        """A digest of all that determines a chunk's numbers, the code included."""
        parts = {
            "setups": [json.loads(dumps(setup)) for setup in self.setups],
            "models": [[model.name, to_plain(model)] for model in self.models],
            "trials": self.trials,
            "seed": self.seed,
            "most_bits": self.most_bits,
            "code": code_version(),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PointResult:
    """What one scheme's trials cost, how they ended, and how many were wrong.

    Costs are those of the trials that gave an answer: one that ends at a limit has a cost that the
    limit chose. A trial is wrong if its answer is, or if every arm that would have been right fell,
    answer or not. An arm within the tolerance of the best is right, and so is each of equal bests.
    """

    rounds: Moments
    samples: Moments
    payload_bits: Moments
    tallies: tuple[Tally, ...]  # of each measure, for its quantiles
    errors: int  # of all trials
    outcomes: tuple[tuple[str, int], ...]
    lead: tuple[Moments, ...]  # of each measure: this scheme less the first, where both answered

    @property
    def trials(self) -> int:
        """All trials, with an answer or without."""
        return sum(count for _, count in self.outcomes)

    @property
    def undecided(self) -> int:
        """Trials that ended without an answer; the averages leave them out."""
        return self.trials - self.samples.count


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """The results of one chunk, one for each scheme of the sweep."""

    index: int
    trials: int
    points: tuple[PointResult, ...]

    def dump(self) -> str:
        """The chunk as text, for `load`."""
        return dumps(self)

    @classmethod
    def load(cls, text: str) -> "ChunkResult":
        """The chunk that `dump` wrote as this text; ConfigError if it is none."""
        try:
            chunk: ChunkResult = from_plain(cls, json.loads(text), {})
        except (ValueError, TypeError) as error:
            raise ConfigError(f"not a chunk: {error}") from None
        return chunk


def engine_of(sweep: Sweep) -> Engine:
    """What runs the blocks of a sweep's chunks; it may run many of them."""
    return Engine(sweep.setups, environment_of(sweep.models), sweep.most_bits)


def run_chunk(
    sweep: Sweep, index: int, watch: TapeWatch | None = None, engine: Engine | None = None
) -> ChunkResult:
    """The chunk with this number; `watch` is shown the tape of each of its blocks.

    `engine` is the sweep's own, where the caller has made it already.
    """
    environment = environment_of(sweep.models)
    engine = engine or engine_of(sweep)
    trials = min(sweep.chunk_size, sweep.trials - index * sweep.chunk_size)
    seeds = np.random.SeedSequence(sweep.seed, spawn_key=(index,))
    rng = np.random.Generator(np.random.SFC64(seeds))
    blocks: list[list[PointResult]] = []
    done = 0
    while done < trials:
        size = min(engine.block, trials - done)
        blocks.append(_summaries(sweep.setups, environment, engine.run(rng, size, watch)))
        done += size
    return ChunkResult(
        index=index,
        trials=trials,
        points=tuple(merge_points(parts) for parts in zip(*blocks, strict=True)),
    )


def merge_points(parts: Sequence[PointResult]) -> PointResult:
    """One scheme's results from several blocks or chunks, merged in their order."""
    counts: dict[str, int] = {}
    for part in parts:
        for name, count in part.outcomes:
            counts[name] = counts.get(name, 0) + count
    return PointResult(
        rounds=merge_all(part.rounds for part in parts),
        samples=merge_all(part.samples for part in parts),
        payload_bits=merge_all(part.payload_bits for part in parts),
        tallies=tuple(
            merge_tallies(same) for same in zip(*(part.tallies for part in parts), strict=True)
        ),
        errors=sum(part.errors for part in parts),
        outcomes=tuple(sorted(counts.items())),
        lead=tuple(merge_all(leads) for leads in zip(*(part.lead for part in parts), strict=True)),
    )


def _summaries(
    setups: Sequence[Setup], environment: Environment, results: Sequence[Trials]
) -> list[PointResult]:
    return [
        _summary(setup, environment, trials, results[0])
        for setup, trials in zip(setups, results, strict=True)
    ]


def _summary(setup: Setup, environment: Environment, trials: Trials, first: Trials) -> PointResult:
    right = right_arms(environment.means, tolerance_of(setup.policy))
    answered = trials.best_arm >= 0
    both = answered & (first.best_arm >= 0)
    wrong = (answered & ~right[trials.best_arm]) | (trials.missed != 0)
    codes, counts = np.unique(trials.outcome, return_counts=True)
    measures = {name: getattr(trials, name) for name in MEASURES}
    return PointResult(
        **{name: Moments.of(values[answered]) for name, values in measures.items()},
        tallies=tuple(Tally.of(values[answered]) for values in measures.values()),
        errors=int(np.count_nonzero(wrong)),
        outcomes=tuple(
            (OUTCOMES[code].value, count)
            for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
        ),
        lead=tuple(
            Moments.of((values - getattr(first, name))[both]) for name, values in measures.items()
        ),
    )


@cache
def code_version() -> dict[str, str]:
    """What else decides the numbers: our sources, and the libraries that draw and compile."""
    digest = hashlib.sha256()
    for package in ("bitarm.core", "bitarm.sim"):
        for name, text in sorted(_sources(resources.files(package), package)):
            digest.update(f"{name} {len(text)}\n".encode() + text)
    libraries = {name: metadata.version(name) for name in ("numpy", "numba")}
    return {"bitarm": digest.hexdigest()} | libraries


def _sources(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    found = []
    for item in folder.iterdir():
        if item.is_dir():
            found.extend(_sources(item, f"{name}/{item.name}"))
        elif item.name.endswith(".py"):
            found.append((f"{name}/{item.name}", item.read_bytes()))
    return found
