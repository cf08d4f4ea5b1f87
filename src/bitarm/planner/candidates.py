"""Which settings a search begins with, and how one is varied into its neighbours.

The settings are those of `families.py`, or of `unlisted.py` if a user names another scheme; how a
word is varied stands in `axes.py`. To add a scheme of ours, add a row to `FAMILIES`, and a line to
`AXES` for each number of its own that is worth tuning. Words that a user fixed are never varied.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from bitarm.api.words import vocabulary
from bitarm.core.schedule import MAX_PULLS
from bitarm.planner.axes import AXES, VARIED_WIDTHS, Ladder, axis_of, beside
from bitarm.planner.families import LISTED_PAIRS, LISTED_WORDS, Family, listed
from bitarm.planner.question import Question
from bitarm.planner.setting import NAMES, Setting
from bitarm.planner.unlisted import unlisted

_FIRST_STEP = 1.4  # t_1 is varied by this factor
_FURTHEST = 4  # t_1 is at most so many times what the smallest guessed gap needs


def coarse(question: Question) -> list[Setting]:
    """The settings with which a search begins; ConfigError if the fixed words leave none."""
    fixed, bounds = question.fixed, question.bounds
    families = listed(fixed, bounds) or unlisted(fixed, bounds)
    return list(dict.fromkeys(setting for it in families for setting in _members(it, question)))


def _members(family: Family, question: Question) -> Iterator[Setting]:
    words = {word: values for word, values in family.words.items() if word != "first"}
    if "first" in family.words:
        firsts = list(family.words["first"])
    else:
        firsts = sorted({max(2, round(share * question.longest)) for share in family.reach})
    for values in product(*words.values()):
        for first in firsts:
            yield Setting.of(dict(zip(words, values, strict=True)) | {"first": first})


def is_listed(setting: Setting) -> bool:
    """Whether all of it is known: it may be searched although nobody named its parts."""
    words = setting.words
    pair = (words["quantizer"], words["policy"])
    return pair in LISTED_PAIRS and words.keys() <= LISTED_WORDS and words["width"] in VARIED_WIDTHS


def tunable(setting: Setting, question: Question) -> list[str]:
    """The words of a setting that can be varied, those that matter most first.

    Of a scheme that is not listed the width stays: it is the one that suits its policy.
    """
    words, fixed = setting.words, question.fixed.words
    known = [word for word in AXES if word in words and (word != "width" or is_listed(setting))]
    others = [word for word in words if word not in (*LISTED_WORDS, *NAMES)]
    return [word for word in ("first", *known, *others) if word not in fixed]


def neighbours(setting: Setting, word: str, question: Question) -> list[Setting]:
    """The settings one step away in a word."""
    value = setting.words[word]
    if word == "first":
        values: list[Any] = _firsts(value, _FURTHEST * question.longest)
    else:
        axis = AXES[word] if word in AXES else axis_of(vocabulary()[word])
        values = beside(axis, value)
    return [setting.with_word(word, it) for it in values]


def _firsts(first: int, most: int) -> list[int]:
    steps = {min(max(1, round(first * by)), most) for by in (1 / _FIRST_STEP, _FIRST_STEP)}
    if first < 8:  # where the factor rounds to nothing
        steps |= {max(1, first - 1), min(first + 1, most)}
    return sorted(steps - {first})


def rescaled(setting: Setting, factor: float, question: Question) -> Setting:
    """The setting for gaps that are `factor` times as large: t_1 goes with their inverse square."""
    if "first" in question.fixed.words:
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


def worst_of(setting: Setting, question: Question) -> Setting:
    """The setting of the same kind with the longest codewords and the most messages.

    Fixed words stay as they are. Of a scheme that is not listed nothing is known: the setting.
    """
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, end) for word, end in _LONGEST.items() if word in setting.words}
    return Setting.of(setting.words | ends | {"first": 1} | question.fixed.words)


def mildest_of(setting: Setting, question: Question) -> Setting:
    """The setting of the same kind with the shortest codewords and the fewest messages."""
    if not is_listed(setting):
        return setting
    ends = {word: _end(word, -1 - end) for word, end in _LONGEST.items() if word in setting.words}
    return Setting.of(setting.words | ends | {"first": MAX_PULLS // 1000} | question.fixed.words)


def _end(word: str, which: int) -> Any:
    axis = AXES[word]
    return (axis.low, axis.high)[which] if isinstance(axis, Ladder) else axis[which]
