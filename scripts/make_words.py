"""Writes docs/words.md: every word of the vocabulary, as its owner declares it.

python scripts/make_words.py
"""

from pathlib import Path

from bitarm.api.words import LIMITS, users, vocabulary
from bitarm.core.words import Declared

PAGE = Path(__file__).parents[1] / "docs" / "words.md"
_HEAD = """\
# Every word

Made by `scripts/make_words.py` from the fields that declare the words; do not edit.

A word is the key in a problem file, the flag (`--kappa-first` for `kappa_first`) of `identify`,
`simulate` and `learner`, the parameter in Python, and the field in JSON and CSV. Limits stand in
`[limits]` without their `max_`.

| word | table | is | default | whose | |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(_row(declared) for declared in vocabulary().words.values())


def _row(declared: Declared) -> str:
    limit = declared.name.removeprefix("max_") in LIMITS and declared.name.startswith("max_")
    table = "limits" if limit else declared.word.table
    what = ", ".join(declared.choices) or declared.kind.value
    default = "" if declared.default is None else _plain(declared.default)
    whose = ", ".join(users(declared.name)) or "every run"
    cells = (f"`{declared.name}`", f"`[{table}]`", what, default, whose, declared.word.help)
    return f"| {' | '.join(cells)} |\n"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
