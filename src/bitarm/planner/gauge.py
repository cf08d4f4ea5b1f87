"""Measures settings in the simulator, all of them on the same environments and seeds.

A setting runs alone, on its own grid: sums are used and forgotten, every kernel is compiled for one
form only, and a thousand runs take a few milliseconds. Sharing a tape between settings would pair
every reward, but their grids differ, and the union of many grids costs more than it saves. What
the settings share is what varies most: gaps, offsets, and the seeds.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from bitarm.api.scheme import build
from bitarm.core.confidence import Stride
from bitarm.core.guarantee import Guarantee, claim_ahead
from bitarm.core.schedule import MAX_PULLS, GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.planner.figures import Figures, Means, Spread
from bitarm.planner.frames import frame_costs
from bitarm.planner.guess import Guess, GuessedGaps
from bitarm.planner.question import Question
from bitarm.planner.setting import Setting
from bitarm.sim.engine import Engine
from bitarm.sim.environment import Environment, right_arms
from bitarm.sim.kernels.arrays import Floats
from bitarm.sim.trials import Trials

_BEYOND = 1000  # times the pulls that the smallest gap needs: who goes on has lost the best arm
_LATEST = 4  # times the same: later reports are rare
_MACHINES_SHARE = 16  # of the runs: machines take some 400 times as long as a kernel
_FULL_EFFORT_ARMS = 24  # with more arms a run takes longer, and its figures vary less


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

    def for_guess(self, guess: Guess) -> "Effort":
        """More environments and fewer runs in each, where environments differ in their gaps."""
        if guess.smallest == guess.largest or isinstance(guess, GuessedGaps):
            return self
        return Effort(environments=2 * self.environments, runs=-(-self.runs // 2))


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bank:
    """Environments with a seed each: whoever is measured on it sees the same."""

    environments: tuple[Environment, ...]
    runs: int  # in each
    seed: tuple[int, int]


@final
class Gauge:
    """Measures settings for one question."""

    def __init__(self, question: Question, seed: int) -> None:
        self.question = question
        self.tried = 0  # measurements made
        self._seed = seed
        self._names = tuple(f"arm-{number}" for number in range(question.arms))
        self._engines: dict[Setting, Engine] = {}
        self._last = min(_BEYOND * question.longest, MAX_PULLS)

    def bank(self, number: int, effort: Effort, *, exact: bool = False) -> Bank:
        """The bank of this number, drawn for the question's guess."""
        question, unit = self.question, self.question.unit
        effort = effort.for_guess(question.guess).for_arms(question.arms)
        rng = np.random.Generator(
            np.random.SFC64(np.random.SeedSequence(self._seed, spawn_key=(number,)))
        )
        environments = question.rewards.environments(
            question.guess.scaled(1 / unit), question.arms, rng, effort.environments, exact=exact
        )
        return Bank(environments=tuple(environments), runs=effort.runs, seed=(self._seed, number))

    def measure(self, setting: Setting, bank: Bank) -> Figures | None:
        """What a setting costs on a bank; None if it does not decide there.

        A scheme without a kernel is run by the machines, and fewer times in each environment.
        """
        self.tried += 1
        engine = self._engine(setting, bank.environments[0])
        runs = bank.runs if engine.has_kernels else max(1, bank.runs // _MACHINES_SHARE)
        parts: list[Trials] = []
        seed, number = bank.seed
        for index, environment in enumerate(bank.environments):
            seeds = np.random.SeedSequence(seed, spawn_key=(number, index))
            rng = np.random.Generator(np.random.SFC64(seeds))
            here = engine.elsewhere(environment)
            done = 0
            while done < runs:
                size = min(here.block, runs - done)
                parts.append(here.run(rng, size)[0])
                done += size
        table = np.concatenate([part.table for part in parts])
        return self._figures(setting, bank, table, "kernels" if engine.has_kernels else "machines")

    def spec_of(self, setting: Setting) -> RunSpec:
        """The spec of a setting in the user's units."""
        return self._built(self.question.problem_words(), setting.words).spec

    def claim_of(self, setting: Setting) -> Guarantee:
        """What may be claimed for the answers of a setting."""
        setup = self._built(self.question.problem_words(), setting.words)
        return claim_ahead(setup, self._grid(setting))

    def _engine(self, setting: Setting, environment: Environment) -> Engine:
        if setting not in self._engines:
            words = setting.words
            del words["growth"], words["first"]
            words["checkpoints"] = self._grid(setting)
            setup = self._built(self.question.simulated_words(), words)
            self._engines[setting] = Engine([setup], environment)
        return self._engines[setting]

    def _built(self, problem: dict[str, Any], words: dict[str, Any]) -> Setup:
        return build(self._names, seed=0, problem=problem, scheme=words, limits={})

    def _grid(self, setting: Setting) -> tuple[int, ...]:
        """The checkpoints, as far as any run that still has its best arm can come."""
        words = setting.words
        schedule = GeometricSchedule(growth=words["growth"], first=words["first"])
        grid = [words["first"]]
        while grid[-1] < self._last and (t := schedule.pulls_at(len(grid) + 1)) is not None:
            grid.append(t)
        return tuple(grid)

    def _reports(self, setup: Setup, setting: Setting) -> list[int]:
        """After how many pulls an arm reports; where the data choose, at first and at last."""
        if setup.policy.stride is Stride.LEVEL:
            first: int = setting.words["first"]
            return [first, max(first, self.question.longest)]
        return [t for t in self._grid(setting) if t <= _LATEST * self.question.longest] or [
            setting.words["first"]
        ]

    def _figures(
        self, setting: Setting, bank: Bank, table: npt.NDArray[np.int64], measured_by: Means
    ) -> Figures | None:
        trials = Trials(table)
        environment = np.repeat(
            np.arange(len(bank.environments)), len(table) // len(bank.environments)
        )
        means = np.array([it.means for it in bank.environments])
        good = right_arms(means, self.question.epsilon / self.question.unit)
        decided = trials.best_arm >= 0
        right = decided & good[environment, trials.best_arm]
        delta, runs = self.question.delta, right.size
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

    def _cost(self, setting: Setting, trials: Trials) -> Floats:
        """The price of each run."""
        prices = self.question.prices
        cost: Floats = (
            prices.per_bit * trials.payload_bits
            + prices.per_message * trials.messages
            + prices.per_pull * trials.samples
            + prices.per_round * trials.rounds
        )
        if prices.link is None or not prices.per_frame_unit:
            return cost
        setup = self._built(self.question.problem_words(), setting.words)
        frames = frame_costs(prices.link, setup.spec, self._reports(setup, setting))
        cost += prices.per_frame_unit * frames.of(trials)
        return cost
