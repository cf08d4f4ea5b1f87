"""Where settings are compared: environments with the guessed gaps, the same for all.

Agents that bet need every reward, one by one: a gap of 0.01 takes a quarter of a million a run.
Pulls go with the inverse square of the gaps. So where that would take too long, such agents are
shown larger gaps, and each of their pulls counts for several: a *rehearsal*.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.planner.guessed_gaps import GapGuess, GuessedGaps
from bitarm.planner.planning_task import PlanningTask
from bitarm.sim.environment import Environment

_FULL_EFFORT_ARMS = 24  # with more arms a run takes longer, and its figures vary less
_JUDGED_SHARE = 6  # of the runs: agents that look after every pull take some 50 times as long
_WIDEST = 0.4  # of the bounds: gaps of a rehearsal are no larger


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How many environments are drawn, and runs in each."""

    environments: int
    runs: int
    draws: int = 1_000_000  # rewards that may be drawn one by one
    fewest: int = 24  # runs for which that must do

    def for_arms(self, arms: int) -> "Effort":
        """An effort with fewer runs where there are many arms."""
        share = min(1.0, _FULL_EFFORT_ARMS / arms)
        return self._with_share(share)

    def for_guess(self, guess: GapGuess) -> "Effort":
        """An effort with more environments, and fewer runs in each, where their gaps differ."""
        if guess.smallest == guess.largest or isinstance(guess, GuessedGaps):
            return self
        return Effort(
            environments=2 * self.environments,
            runs=-(-self.runs // 2),
            draws=self.draws,
            fewest=self.fewest,
        )

    def for_judged(self) -> "Effort":
        """An effort with fewer runs, for agents that look after every pull."""
        return self._with_share(1 / _JUDGED_SHARE)

    def _with_share(self, share: float) -> "Effort":
        return Effort(
            environments=max(4, round(self.environments * min(1.0, self.runs * share))),
            runs=max(1, round(self.runs * share)),
            draws=self.draws,
            fewest=self.fewest,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """Environments, and runs in each."""

    environments: tuple[Environment, ...]
    runs: int
    stretch: float = 1.0  # pulls that one of these stands for


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Testbed:
    """Stages with a seed: whoever is measured on it sees the same as others of its kind."""

    plain: Stage
    judged: Stage  # for agents that look after every pull
    seed: tuple[int, int]


def make_testbed(
    task: PlanningTask, seed: int, number: int, effort: Effort, *, exact: bool
) -> Testbed:
    """Environments with the guessed gaps; the same number and effort give the same.

    `exact` has Beta rewards drawn one by one for all, not only for those that bet.
    """
    effort = effort.for_guess(task.guess).for_arms(task.arms)
    judged = effort.for_judged()
    plain = Stage(
        environments=_drawn(task, task.guess, (seed, number), effort.environments, exact=exact),
        runs=effort.runs,
    )
    if not task.is_bet_on:
        stage = Stage(environments=plain.environments[: judged.environments], runs=judged.runs)
        return Testbed(plain=plain, judged=stage, seed=(seed, number))
    return Testbed(plain=plain, judged=_rehearsal(task, seed, number, judged), seed=(seed, number))


def _rehearsal(task: PlanningTask, seed: int, number: int, effort: Effort) -> Stage:
    """A stage of as many runs as the draws allow; if those are too few, with larger gaps."""
    each, wanted = task.draws(task.guess), effort.environments * effort.runs
    runs = int(min(max(effort.draws / each, effort.fewest), wanted))
    environments = min(effort.environments, runs)
    guess, stretch = task.guess, 1.0
    if runs * each > effort.draws:
        smallest = guess.smallest
        least = smallest * (runs * each / effort.draws) ** 0.5
        guess = guess.raised(max(smallest, min(least, _WIDEST * task.unit)))
        stretch = (guess.smallest / smallest) ** 2
    return Stage(
        environments=_drawn(task, guess, (seed, number), environments, exact=True),
        runs=runs // environments,
        stretch=stretch,
    )


def _drawn(
    task: PlanningTask, guess: GapGuess, key: tuple[int, int], count: int, *, exact: bool
) -> tuple[Environment, ...]:
    seeds = np.random.SeedSequence(key[0], spawn_key=(key[1],))
    rng = np.random.Generator(np.random.SFC64(seeds))
    scaled = guess.scaled(1 / task.unit)
    return tuple(task.rewards.environments(scaled, task.arms, rng, count, exact=exact))
