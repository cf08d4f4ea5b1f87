"""Simulates a setting many times, in the same environments as all others, to tell what it costs.

A setting runs alone, on its own grid: sums are used and forgotten, every kernel is compiled for one
form only, and a thousand runs take a few milliseconds. Sharing a tape between settings would pair
every reward, but their grids differ, and the union of many grids costs more than it saves. What
the settings share is what varies most: gaps, offsets, and the seeds.
"""

from dataclasses import replace
from typing import Any, final

import numpy as np

from bitarm.api.scheme import build
from bitarm.core.guarantee import Guarantee, claim_ahead
from bitarm.core.schedule import MAX_PULLS, GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.links.fit import longest_answer
from bitarm.planner.figures import Figures, Spread
from bitarm.planner.link_costs import run_units
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.testbeds import Effort, Stage, Testbed, make_testbed
from bitarm.sim.engine import Engine
from bitarm.sim.environment import right_arms
from bitarm.sim.kernels.arrays import Floats, Integers
from bitarm.sim.kernels.status import SAMPLES
from bitarm.sim.trials import Trials

_BEYOND = 1000  # times the pulls that the smallest gap needs: who goes on has lost the best arm
_BETS_BEYOND = 10  # the same where every reward is drawn
_LATEST = 4  # times the same: later reports are rare
_MACHINES_SHARE = 16  # of the runs: machines take some 400 times as long as a kernel


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
        self._engines: dict[tuple[SchemeWords, float, int | None], Engine] = {}
        self._last = min(_BEYOND * task.longest, MAX_PULLS)

    def testbed(self, number: int, effort: Effort, *, exact: bool = False) -> Testbed:
        """Environments with the guessed gaps; the same number and effort give the same."""
        return make_testbed(self.task, self._seed, number, effort, exact=exact)

    def measure(
        self, setting: SchemeWords, testbed: Testbed, most_bits: int | None = None
    ) -> Figures | None:
        """What a setting costs on a testbed; None if it does not decide there.

        A scheme without a kernel is run by the machines, and fewer times in each environment; so is
        one that asks again if no answer may have more than `most_bits`.
        """
        self.tried += 1
        stage = testbed.judged if setting.is_judged else testbed.plain
        engine = self._engine(_rehearsed(setting, stage), stage, most_bits)
        runs = stage.runs if engine.has_kernels else max(1, stage.runs // _MACHINES_SHARE)
        parts: list[Trials] = []
        seed, number = testbed.seed
        for index, environment in enumerate(stage.environments):
            seeds = np.random.SeedSequence(seed, spawn_key=(number, index))
            rng = np.random.Generator(np.random.SFC64(seeds))
            here = engine.elsewhere(environment)
            done = 0
            while done < runs:
                size = min(here.block, runs - done)
                parts.append(here.run(rng, size)[0])
                done += size
        table = np.concatenate([part.table for part in parts])
        table[:, SAMPLES] = np.rint(table[:, SAMPLES] * stage.stretch)
        figures = self._figures(setting, stage, table)
        if figures is None or engine.has_kernels:
            return figures
        return replace(figures, measured_by="machines", most_bits=most_bits)

    def spec_of(self, setting: SchemeWords) -> RunSpec:
        """The spec of a setting in the user's units."""
        return self._built(self.task.problem_words(), setting.words).spec

    def longest_answer(self, setting: SchemeWords) -> int | None:
        """Bits of the longest answer, where the task's link does not carry all of a setting's."""
        link = self.task.prices.link
        if link is None:
            return None
        return longest_answer(link, self._built(self.task.problem_words(), setting.words))

    def claim_of(self, setting: SchemeWords) -> Guarantee:
        """What may be claimed for the answers of a setting."""
        setup = self._built(self.task.problem_words(), setting.words)
        return claim_ahead(setup, (self._last,) if setting.is_judged else self._grid(setting))

    def _engine(self, setting: SchemeWords, stage: Stage, most_bits: int | None) -> Engine:
        """The engine of a setting, one for all stages of a stretch.

        They can share: all environments of a task have the same families of rewards.
        """
        key = setting, stage.stretch, most_bits
        if key not in self._engines:
            words, limits = setting.words, dict[str, int]()
            if setting.is_judged:
                limits["samples"] = self._most_samples(stage)
            else:
                del words["growth"], words["first"]
                words["checkpoints"] = self._grid(setting)
            setup = self._built(self.task.simulated_words(), words, limits)
            self._engines[key] = Engine([setup], stage.environments[0], most_bits)
        return self._engines[key]

    def _most_samples(self, stage: Stage) -> int:
        """Samples after which a run is given up: it has lost its best arm, and will not end."""
        task = self.task
        if task.is_bet_on:
            return round(_BETS_BEYOND * (task.draws(task.guess) / stage.stretch + task.least_draws))
        return min(task.arms * self._last, MAX_PULLS)

    def _built(
        self, problem: dict[str, Any], words: dict[str, Any], limits: dict[str, int] | None = None
    ) -> Setup:
        return build(self._names, seed=0, problem=problem, scheme=words, limits=limits or {})

    def _grid(self, setting: SchemeWords) -> tuple[int, ...]:
        """The checkpoints, as far as any run that still has its best arm can come."""
        words = setting.words
        schedule = GeometricSchedule(growth=words["growth"], first=words["first"])
        grid = [words["first"]]
        while grid[-1] < self._last and (t := schedule.pulls_at(len(grid) + 1)) is not None:
            grid.append(t)
        return tuple(grid)

    def _reports(self, setting: SchemeWords) -> list[int]:
        """The pulls at which an arm reports; where the data choose them, the first and the last."""
        if setting.is_judged:
            first = setting.words.get("start", 1)
            return [first, max(first, self.task.longest_judged)]
        return [t for t in self._grid(setting) if t <= _LATEST * self.task.longest] or [
            setting.words["first"]
        ]

    def _figures(self, setting: SchemeWords, stage: Stage, table: Integers) -> Figures | None:
        trials = Trials(table)
        environment = np.repeat(
            np.arange(len(stage.environments)), len(table) // len(stage.environments)
        )
        means = np.array([environment.means for environment in stage.environments])
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
            measured_by="kernels",
            runs=runs,
            wrong=int(np.count_nonzero(decided & ~right)),
            undecided=int(np.count_nonzero(~decided)),
            stretch=stage.stretch,
            rounds=Spread.of(chosen.rounds.astype(np.float64), where),
            samples=Spread.of(chosen.samples.astype(np.float64), where),
            payload_bits=Spread.of(chosen.payload_bits.astype(np.float64), where),
            messages=Spread.of(chosen.messages.astype(np.float64), where),
            cost=Spread.of(cost, where),
        )

    def _cost(self, setting: SchemeWords, trials: Trials) -> Floats:
        """The price of each run."""
        prices = self.task.prices
        cost = prices.cost(trials, dismissals=self.task.dismissals(setting))
        if prices.link is None or not prices.per_frame_unit:
            return cost
        setup = self._built(self.task.problem_words(), setting.words)
        units = run_units(prices.link, setup, self._reports(setting), trials)
        cost += prices.per_frame_unit * units
        return cost


def _rehearsed(setting: SchemeWords, stage: Stage) -> SchemeWords:
    """The setting for a stage each of whose pulls stands for several (`testbeds.py`)."""
    if stage.stretch == 1.0 or "start" not in setting.words:
        return setting
    return setting.with_word("start", max(1, round(setting.words["start"] / stage.stretch)))
