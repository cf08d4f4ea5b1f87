"""Which settings a search begins with, and how one is varied into its neighbours.

The settings are those of `starting_grids.py`; how a word is varied stands in `axes.py`. To add a
scheme of ours, add a grid to `STARTING_GRIDS`, and a line to `AXES` for each number of its own that
is worth tuning. Words that a user fixed are never varied.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from bitarm.api.words import vocabulary
from bitarm.core.schedule import MAX_PULLS
from bitarm.planner.axes import AXES, VARIED_WIDTHS, Ladder, axis_of, beside
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import NAMES, SchemeWords
from bitarm.planner.starting_grids import (
    LISTED_PAIRS,
    LISTED_WORDS,
    StartingGrid,
    starting_grids,
)

_FIRST_STEP = 1.4  # t_1 is varied by this factor
_FURTHEST = 4  # t_1 is at most so many times what the smallest guessed gap needs


def coarse(task: PlanningTask) -> list[SchemeWords]:
    """The settings with which a search begins; ConfigError if the fixed words leave none."""
    grids = starting_grids(task.fixed, task.bounds)
    return list(dict.fromkeys(setting for grid in grids for setting in _members(grid, task)))


def _members(grid: StartingGrid, task: PlanningTask) -> Iterator[SchemeWords]:
    words = {word: values for word, values in grid.words.items() if word != "first"}
    if "first" in grid.words:
        firsts = list(grid.words["first"])
    else:
        firsts = sorted({max(2, round(share * task.longest)) for share in grid.reach})
    for values in product(*words.values()):
        for first in firsts:
            yield SchemeWords.of(dict(zip(words, values, strict=True)) | {"first": first})


def is_listed(setting: SchemeWords) -> bool:
    """Whether `STARTING_GRIDS` has it: it is searched although nobody named its parts."""
    words = setting.words
    pair = (words["quantizer"], words["policy"])
    return pair in LISTED_PAIRS and words.keys() <= LISTED_WORDS and words["width"] in VARIED_WIDTHS


def tunable(setting: SchemeWords, task: PlanningTask) -> list[str]:
    """The words of a setting that can be varied, those that matter most first.

    Of a scheme that is not listed the width stays: it is the one that suits its policy.
    """
    words, fixed = setting.words, task.fixed.words
    known = [word for word in AXES if word in words and (word != "width" or is_listed(setting))]
    others = [word for word in words if word not in (*LISTED_WORDS, *NAMES)]
    return [word for word in ("first", *known, *others) if word not in fixed]


def neighbours(setting: SchemeWords, word: str, task: PlanningTask) -> list[SchemeWords]:
    """The settings that differ from this one by a step in one word."""
    now = setting.words[word]
    if word == "first":
        values: list[Any] = _firsts(now, _FURTHEST * task.longest)
    else:
        axis = AXES[word] if word in AXES else axis_of(vocabulary()[word])
        values = beside(axis, now)
    return [setting.with_word(word, value) for value in values]


def _firsts(first: int, most: int) -> list[int]:
    steps = {min(max(1, round(first * by)), most) for by in (1 / _FIRST_STEP, _FIRST_STEP)}
    if first < 8:  # where the factor rounds to nothing
        steps |= {max(1, first - 1), min(first + 1, most)}
    return sorted(steps - {first})


def rescaled(setting: SchemeWords, factor: float, task: PlanningTask) -> SchemeWords:
    """The setting for gaps that are `factor` times as large: t_1 goes with their inverse square."""
    if "first" in task.fixed.words:
        return setting
    first = max(1, round(setting.words["first"] / factor**2))
    return setting.with_word("first", first)


_LONGEST = {
    "growth": 0,
    "kappa": 0,
    "kappa_first": 0,
    "kappa_cut": 0,
    "epsilon_quban": 0,
    "bits": -1,
    "width": 0,
}
"""At which end of its axis a word makes frames largest."""


def worst_of(setting: SchemeWords, task: PlanningTask) -> SchemeWords:
    """The setting of the same kind with the longest codewords and the most messages.

    Fixed words stay as they are. Of a scheme that is not listed it is not known where that is: the
    setting itself.
    """
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, end) for word, end in _LONGEST.items() if word in setting.words}
    return SchemeWords.of(setting.words | ends | {"first": 1} | task.fixed.words)


def mildest_of(setting: SchemeWords, task: PlanningTask) -> SchemeWords:
    """The setting of the same kind with the shortest codewords and the fewest messages."""
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, -1 - end) for word, end in _LONGEST.items() if word in setting.words}
    return SchemeWords.of(setting.words | ends | {"first": MAX_PULLS // 1000} | task.fixed.words)


def _end(word: str, which: int) -> Any:
    axis = AXES[word]
    return (axis.low, axis.high)[which] if isinstance(axis, Ladder) else axis[which]
