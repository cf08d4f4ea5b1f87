"""Which settings a search begins with, and how one is varied into its neighbours.

The settings are those of `starting_grids.py`; how a word is varied stands in `axes.py`. To add a
scheme of ours, add a grid to `STARTING_GRIDS`, and a line to `AXES` for each number of its own that
is worth tuning. Words that a user fixed are never varied.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from bitarm.core.schedule import MAX_PULLS
from bitarm.core.vocabulary import vocabulary
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
_BEGINNINGS = ("first", "start")
"""Words that say after how many pulls arms report first: of checkpoints, and of agents that judge.
"""


def starting_settings(task: PlanningTask) -> list[SchemeWords]:
    """The settings with which a search begins; ConfigError if the fixed words leave none."""
    grids = starting_grids(task)
    return list(dict.fromkeys(setting for grid in grids for setting in _members(grid, task)))


def _members(grid: StartingGrid, task: PlanningTask) -> Iterator[SchemeWords]:
    beginning, words = grid.beginning, dict(grid.words)
    if beginning is not None and beginning not in words:
        longest = task.longest_judged if grid.is_judged else task.longest
        words[beginning] = sorted({max(2, round(share * longest)) for share in grid.reach})
    for values in product(*words.values()):
        yield SchemeWords.of(dict(zip(words, values, strict=True)))


def is_listed(setting: SchemeWords) -> bool:
    """Whether `STARTING_GRIDS` has it: it is searched although nobody named its parts."""
    words = setting.words
    pair = (words["quantizer"], words["policy"])
    if pair not in LISTED_PAIRS or not words.keys() <= LISTED_WORDS:
        return False
    return setting.is_judged or words["width"] in VARIED_WIDTHS


def tunable(setting: SchemeWords, task: PlanningTask) -> list[str]:
    """The words of a setting that can be varied, those that matter most first.

    Of a scheme that is not listed the width stays: it is the one that suits its policy. So it does
    where agents judge: there it says what is known of the rewards.
    """
    words, fixed = setting.words, task.fixed.words
    stays = setting.is_judged or not is_listed(setting)
    known = [word for word in AXES if word in words and not (word == "width" and stays)]
    others = [word for word in words if word not in (*LISTED_WORDS, *NAMES)]
    first = [word for word in _BEGINNINGS if word in words]
    return [word for word in (*first, *known, *others) if word not in fixed]


def neighbours(setting: SchemeWords, word: str, task: PlanningTask) -> list[SchemeWords]:
    """The settings that differ from this one by a step in one word."""
    now = setting.words[word]
    if word in _BEGINNINGS:
        longest = task.longest_judged if word == "start" else task.longest
        values: list[Any] = _firsts(now, _FURTHEST * longest)
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
    for word in _BEGINNINGS:
        if word in setting.words and word not in task.fixed.words:
            first = max(1, round(setting.words[word] / factor**2))
            return setting.with_word(word, first)
    return setting


_LONGEST = {
    "growth": 0,
    "kappa": 0,
    "kappa_first": 0,
    "kappa_cut": 0,
    "epsilon_quban": 0,
    "bits": -1,
    "width": 0,
}
"""The end of its axis, first or last, at which a word makes frames largest."""


def worst_of(setting: SchemeWords, task: PlanningTask) -> SchemeWords:
    """The setting of the same kind with the longest codewords and the most messages.

    Fixed words stay as they are. Of a scheme that is not listed it is not known where that is: the
    setting itself.
    """
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, end) for word, end in _LONGEST.items() if _moves(setting, word)}
    return SchemeWords.of(setting.words | ends | _begun(setting, 1) | task.fixed.words)


def mildest_of(setting: SchemeWords, task: PlanningTask) -> SchemeWords:
    """The setting of the same kind with the shortest codewords and the fewest messages."""
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, -1 - end) for word, end in _LONGEST.items() if _moves(setting, word)}
    late = _begun(setting, MAX_PULLS // 1000)
    return SchemeWords.of(setting.words | ends | late | task.fixed.words)


def _begun(setting: SchemeWords, pulls: int) -> dict[str, Any]:
    return {word: pulls for word in _BEGINNINGS if word in setting.words}


def _moves(setting: SchemeWords, word: str) -> bool:
    return word in setting.words and not (word == "width" and setting.is_judged)


def _end(word: str, which: int) -> Any:
    axis = AXES[word]
    return (axis.low, axis.high)[which] if isinstance(axis, Ladder) else axis[which]
