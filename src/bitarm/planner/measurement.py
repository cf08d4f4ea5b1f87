"""What a setting costs: averages over many simulated runs, in the same environments for all.

A setting runs alone, on its own grid: sums are used and forgotten, every kernel is compiled for one
form only, and a thousand runs take a few milliseconds. Sharing a tape between settings would pair
every reward, but their grids differ, and the union of many grids costs more than it saves. What
the settings share is what varies most: gaps, offsets, and the seeds.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from bitarm.api.scheme import build
from bitarm.core.confidence import Stride
from bitarm.core.guarantee import Guarantee, claim_ahead
from bitarm.core.schedule import MAX_PULLS, GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.planner.guessed_gaps import GapGuess, GuessedGaps
from bitarm.planner.link_costs import frame_costs
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.sim.engine import Engine
from bitarm.sim.environment import Environment, right_arms
from bitarm.sim.kernels.arrays import Floats, Integers
from bitarm.sim.trials import Trials

SimulatedBy = Literal["kernels", "machines"]
"""By what runs were simulated: compiled kernels, or the learner and the agents themselves."""

PLAN_MEASURES = ("cost", "samples", "rounds", "messages", "payload_bits")
"""What is measured of a setting, each a `Spread` of `Figures`."""

_TASTE = 0.004
"""Of settings that cost nearly the same, the one that takes less of what is free is better: half
the samples, bits or rounds are worth 0.3 percent of the cost."""
_BEYOND = 1000  # times the pulls that the smallest gap needs: who goes on has lost the best arm
_LATEST = 4  # times the same: later reports are rare
_MACHINES_SHARE = 16  # of the runs: machines take some 400 times as long as a kernel
_FULL_EFFORT_ARMS = 24  # with more arms a run takes longer, and its figures vary less


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A mean, the standard deviation over runs, and the standard error of the mean."""

    mean: float
    sd: float
    sem: float

    @classmethod
    def of(cls, values: Floats, environment: Integers) -> "Spread":
        """From runs of several environments: runs of one environment share its gaps and its offset.

        The error of the mean is that of a sample of environments, as for any sample of clusters.
        """
        mean = float(values.mean())
        off = np.bincount(environment, values - mean)
        drawn = int(np.count_nonzero(np.bincount(environment)))
        few = drawn / max(drawn - 1, 1)
        return cls(
            mean=mean,
            sd=float(values.std(ddof=1)) if values.size > 1 else 0.0,
            sem=math.sqrt(few * float(np.square(off).sum())) / values.size,
        )

    def to_json(self) -> dict[str, float]:
        """Plain numbers."""
        return {"mean": self.mean, "sd": self.sd, "sem": self.sem}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a setting costs: averages over the simulated runs that name the best arm.

    A run that dropped it, which happens with probability at most δ, may be left with arms that are
    equally good and never end; so it has no part in the averages.
    """

    measured_by: SimulatedBy
    runs: int
    wrong: int  # decided for another arm
    undecided: int  # far beyond what the others needed, and still no answer
    rounds: Spread
    samples: Spread
    payload_bits: Spread
    messages: Spread
    cost: Spread

    @property
    def score(self) -> float:
        """What a search makes small: the cost, and a little of what is free."""
        rest = self.rounds.mean * self.samples.mean * max(self.payload_bits.mean, 1.0)
        return self.cost.mean * math.pow(rest, _TASTE)

    def to_json(self) -> dict[str, Any]:
        """Plain types, each measure under its own name."""
        return {
            "measured_by": self.measured_by,
            "trials": self.runs,
            "wrong": self.wrong,
            "undecided": self.undecided,
            **{name: getattr(self, name).to_json() for name in PLAN_MEASURES},
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How many environments are drawn, and runs in each."""

    environments: int
    runs: int

    def for_arms(self, arms: int) -> "Effort":
        """Fewer runs where there are many arms."""
        share = min(1.0, _FULL_EFFORT_ARMS / arms)
        runs = max(1, round(self.runs * share))
        environments = max(4, round(self.environments * min(1.0, self.runs * share)))
        return Effort(environments=environments, runs=runs)

    def for_guess(self, guess: GapGuess) -> "Effort":
        """More environments and fewer runs in each, where environments differ in their gaps."""
        if guess.smallest == guess.largest or isinstance(guess, GuessedGaps):
            return self
        return Effort(environments=2 * self.environments, runs=-(-self.runs // 2))


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Testbed:
    """Environments with a seed each: whoever is measured on it sees the same."""

    environments: tuple[Environment, ...]
    runs: int  # in each
    seed: tuple[int, int]


@final
class SettingSimulator:
    """Measures settings for one task, all of them in the same environments.

    `tried` counts the measurements.
    """

    def __init__(self, task: PlanningTask, seed: int) -> None:
        self.task = task
        self.tried = 0  # measurements made
        self._seed = seed
        self._names = tuple(f"arm-{number}" for number in range(task.arms))
        self._engines: dict[SchemeWords, Engine] = {}
        self._last = min(_BEYOND * task.longest, MAX_PULLS)

    def testbed(self, number: int, effort: Effort, *, exact: bool = False) -> Testbed:
        """Environments with the guessed gaps; the same number and effort give the same."""
        task, unit = self.task, self.task.unit
        effort = effort.for_guess(task.guess).for_arms(task.arms)
        rng = np.random.Generator(
            np.random.SFC64(np.random.SeedSequence(self._seed, spawn_key=(number,)))
        )
        environments = task.rewards.environments(
            task.guess.scaled(1 / unit), task.arms, rng, effort.environments, exact=exact
        )
        return Testbed(
            environments=tuple(environments), runs=effort.runs, seed=(self._seed, number)
        )

    def measure(self, setting: SchemeWords, testbed: Testbed) -> Figures | None:
        """What a setting costs on a testbed; None if it does not decide there.

        A scheme without a kernel is run by the machines, and fewer times in each environment.
        """
        self.tried += 1
        engine = self._engine(setting, testbed.environments[0])
        runs = testbed.runs if engine.has_kernels else max(1, testbed.runs // _MACHINES_SHARE)
        parts: list[Trials] = []
        seed, number = testbed.seed
        for index, environment in enumerate(testbed.environments):
            seeds = np.random.SeedSequence(seed, spawn_key=(number, index))
            rng = np.random.Generator(np.random.SFC64(seeds))
            here = engine.elsewhere(environment)
            done = 0
            while done < runs:
                size = min(here.block, runs - done)
                parts.append(here.run(rng, size)[0])
                done += size
        table = np.concatenate([part.table for part in parts])
        return self._figures(
            setting, testbed, table, "kernels" if engine.has_kernels else "machines"
        )

    def spec_of(self, setting: SchemeWords) -> RunSpec:
        """The spec of a setting in the user's units."""
        return self._built(self.task.problem_words(), setting.words).spec

    def claim_of(self, setting: SchemeWords) -> Guarantee:
        """What may be claimed for the answers of a setting."""
        setup = self._built(self.task.problem_words(), setting.words)
        return claim_ahead(setup, self._grid(setting))

    def _engine(self, setting: SchemeWords, environment: Environment) -> Engine:
        if setting not in self._engines:
            words = setting.words
            del words["growth"], words["first"]
            words["checkpoints"] = self._grid(setting)
            setup = self._built(self.task.simulated_words(), words)
            self._engines[setting] = Engine([setup], environment)
        return self._engines[setting]

    def _built(self, problem: dict[str, Any], words: dict[str, Any]) -> Setup:
        return build(self._names, seed=0, problem=problem, scheme=words, limits={})

    def _grid(self, setting: SchemeWords) -> tuple[int, ...]:
        """The checkpoints, as far as any run that still has its best arm can come."""
        words = setting.words
        schedule = GeometricSchedule(growth=words["growth"], first=words["first"])
        grid = [words["first"]]
        while grid[-1] < self._last and (t := schedule.pulls_at(len(grid) + 1)) is not None:
            grid.append(t)
        return tuple(grid)

    def _reports(self, setup: Setup, setting: SchemeWords) -> list[int]:
        """After how many pulls an arm reports; where the data choose, at first and at last."""
        if setup.policy.stride is Stride.LEVEL:
            first: int = setting.words["first"]
            return [first, max(first, self.task.longest)]
        return [t for t in self._grid(setting) if t <= _LATEST * self.task.longest] or [
            setting.words["first"]
        ]

    def _figures(
        self, setting: SchemeWords, testbed: Testbed, table: Integers, measured_by: SimulatedBy
    ) -> Figures | None:
        trials = Trials(table)
        environment = np.repeat(
            np.arange(len(testbed.environments)), len(table) // len(testbed.environments)
        )
        means = np.array([environment.means for environment in testbed.environments])
        good = right_arms(means, self.task.epsilon / self.task.unit)
        decided = trials.best_arm >= 0
        right = decided & good[environment, trials.best_arm]
        delta, runs = self.task.delta, right.size
        # at most a share δ of the runs is wrong, so others that are missing did not decide
        if np.count_nonzero(right) < max(1, runs * (1 - delta) - 5 * (runs * delta) ** 0.5 - 1):
            return None
        chosen = Trials(table[right])
        cost = self._cost(setting, chosen)
        where = environment[right]
        return Figures(
            measured_by=measured_by,
            runs=runs,
            wrong=int(np.count_nonzero(decided & ~right)),
            undecided=int(np.count_nonzero(~decided)),
            rounds=Spread.of(chosen.rounds.astype(np.float64), where),
            samples=Spread.of(chosen.samples.astype(np.float64), where),
            payload_bits=Spread.of(chosen.payload_bits.astype(np.float64), where),
            messages=Spread.of(chosen.messages.astype(np.float64), where),
            cost=Spread.of(cost, where),
        )

    def _cost(self, setting: SchemeWords, trials: Trials) -> Floats:
        """The price of each run."""
        prices = self.task.prices
        cost: Floats = (
            prices.per_bit * trials.payload_bits
            + prices.per_message * trials.messages
            + prices.per_pull * trials.samples
            + prices.per_round * trials.rounds
        )
        if prices.link is None or not prices.per_frame_unit:
            return cost
        setup = self._built(self.task.problem_words(), setting.words)
        frames = frame_costs(prices.link, setup.spec, self._reports(setup, setting))
        cost += prices.per_frame_unit * frames.of(trials)
        return cost
