"""What if the guess is wrong: what the plan costs then, and what one would have chosen instead."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, final

from bitarm.errors import ConfigError
from bitarm.planner.candidates import rescaled
from bitarm.planner.figures import Figures
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.search import FRESH, Search, Tried
from bitarm.planner.setting_simulator import SettingSimulator

FACTORS = {0.5: "half", 2.0: "twice"}
"""The factors by which the guess is taken to be wrong, in words."""

_STARTS_AGAIN = 6  # settings with which the search for a wrong guess begins


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WrongGuess:
    """A task in place of the one that was planned for."""

    what: str  # "gaps half as large"
    task: PlanningTask
    times_gap: float  # the factor on gaps that takes as many pulls more or less


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Misjudged:
    """What a wrong guess costs."""

    what: str
    planned: Figures | None  # of the plan; None if it does not decide then
    best: Tried  # what one would have chosen, had one known

    @property
    def regret(self) -> float:
        """The plan's cost, over that of the setting that one would have chosen."""
        return math.inf if self.planned is None else self.planned.cost.mean / self.best_cost

    @property
    def best_cost(self) -> float:
        """Cost of the setting that one would have chosen, had one known."""
        return self.best.figures.cost.mean

    def to_json(self) -> dict[str, Any]:
        """Plain types, ready for `json.dumps`; `cost_ratio` is the regret."""
        return {
            "what": self.what,
            "planned": None if self.planned is None else self.planned.to_json(),
            "best": self.best.to_json(),
            "cost_ratio": None if self.planned is None else self.regret,
        }


def wrong_guesses(task: PlanningTask) -> tuple[list[WrongGuess], list[tuple[str, str]]]:
    """The ways in which the guess of a task may be wrong, and those that cannot be, with why.

    Where σ is known, it is no guess how rewards spread.
    """
    found: list[WrongGuess] = []
    impossible: list[tuple[str, str]] = []
    for factor, word in FACTORS.items():
        what = f"gaps {word} as large"
        try:
            found.append(WrongGuess(what=what, task=task.if_gaps_were(factor), times_gap=factor))
        except ConfigError as error:
            impossible.append((what, str(error)))
    for factor, word in FACTORS.items():
        other = task.if_spread_were(factor)
        if other is not None:
            what = f"spread {word} as much"
            found.append(WrongGuess(what=what, task=other, times_gap=1 / factor))
    return found, impossible


def misjudged(
    there: SettingSimulator,
    wrong: WrongGuess,
    search: Search,
    best: Tried,
    told: Callable[[], None],
) -> Misjudged:
    """What the plan costs if the guess is wrong, and what one would have chosen then.

    `there` simulates the task of the wrong guess.
    """
    planned = there.measure(best.setting, there.testbed(3, FRESH))
    good = sorted(search.compared.values(), key=attrgetter("score"))[:_STARTS_AGAIN]
    starts = [rescaled(tried.setting, wrong.times_gap, there.task) for tried in good]
    again = Search(
        simulator=there, link_check=search.link_check, admits=search.admits, after_each=told
    )
    again.explore(dict.fromkeys([best.setting, *starts]))
    known = again.settle()
    if planned is not None and planned.score < known.score:
        known = Tried(setting=best.setting, figures=planned)
    return Misjudged(what=wrong.what, planned=planned, best=known)
