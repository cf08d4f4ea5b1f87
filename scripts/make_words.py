"""Writes docs/words.md: every word of a problem file, as its owner declares it.

python scripts/make_words.py
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from bitarm.api.defaults import default_of, shown
from bitarm.api.sources import SOURCES
from bitarm.api.table_words import ArmWords, FileWords, NetworkWords
from bitarm.api.words import LIMITS
from bitarm.core.vocabulary import users, vocabulary
from bitarm.core.words import Declared, words_of

PAGE = Path(__file__).parents[1] / "docs" / "words.md"
_HEAD = """\
# Every word

<!-- made by scripts/make_words.py from the fields that declare the words; do not edit -->

All that can be set, for looking up. A word is the key in a problem file, the flag (`--kappa-first`
for `kappa_first`) of `identify`, `simulate`, `learner` and `plan`, the parameter in Python, and the
field in JSON and CSV. Most runs need `delta` and `bounds` alone.

- Limits stand in `[limits]` without their `max_`.
- A default that depends on what else is chosen is told with where it holds.
- A plan takes neither budgets nor `checkpoints`.
- Quantizers, policies and sources of other installed packages may add words of theirs.

## Words of a run

"""
_SCHEMA = """
## As a schema for editors

`problem.schema.json` in the package says the same as a JSON Schema. `bitarm schema FILE` writes
into a problem file where it is, for Taplo or Even Better TOML ([how](howto/editor.md)).
For many files, VS Code has the setting
`"evenBetterToml.schema.associations": {".*/problems/.*\\\\.toml$": "file:///PATH/TO/bitarm/problem.schema.json"}`.
It refuses words of other packages; a schema with those is written by

```python
import json
import sys

from bitarm.api.schema import problem_schema
from bitarm.api.sources import SOURCES
from bitarm.core.vocabulary import import_plugins

print(*import_plugins(), *SOURCES.import_all(), file=sys.stderr)  # what cannot be used
print(json.dumps(problem_schema(), indent=2))
```
"""
_ARMS = """
## Words of `[[arm]]`

An arm names its `source`, and gives every word of that source that has no default. The other words
of every arm may be left out.

"""
_NETWORK = """
## Words of `[network]`

For runs over a broker ([network.md](network.md)); the same words are flags of `learner`.

"""
_FILES = """
## Words of files alone

`clip` is also a flag and an argument of `identify`.

"""


def page() -> str:
    """The page as it should be."""
    arms = [_of_arm(word, "every arm") for word in words_of(ArmWords).values()]
    for name, kind in SOURCES.own.items():
        arms += [_of_arm(word, name) for word in words_of(kind).values()]
    own = ("word", "what it says", "is", "default")
    return "".join(
        (
            _HEAD,
            *_table(
                ("word", "what it says", "is", "default", "table", "whose"),
                (_of_run(word) for word in vocabulary().words.values()),
            ),
            _ARMS,
            *_table(("source", *own), arms),
            _NETWORK,
            *_table(own, _plain(words_of(NetworkWords))),
            _FILES,
            *_table(own, _plain(words_of(FileWords))),
            _SCHEMA,
        )
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterable[str]:
    yield _line(head)
    yield f"|{'---|' * len(head)}\n"
    yield from map(_line, rows)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


def _of_run(declared: Declared) -> tuple[str, ...]:
    limit = declared.name.removeprefix("max_") in LIMITS and declared.name.startswith("max_")
    table = "limits" if limit else declared.word.table
    default = default_of(declared)
    whose = ", ".join(users(declared.name)) or "every run"
    told = "" if default is None else str(default)
    word = f"`{declared.name}`"
    return word, declared.word.help, _kind(declared), told, f"`[{table}]`", whose


def _of_arm(declared: Declared, source: str) -> tuple[str, ...]:
    word, text, kind, default = _own(declared)
    if declared.name == "source" and source == "every arm":
        kind = ", ".join(SOURCES.own)
    return source, word, text, kind, default


def _plain(words: Mapping[str, Declared]) -> list[tuple[str, ...]]:
    return [_own(word) for word in words.values()]


def _own(declared: Declared) -> tuple[str, str, str, str]:
    """A word that belongs to no scheme: its default stands at its field."""
    default = "" if declared.default is None else shown(declared.default) or '""'
    return f"`{declared.name}`", declared.word.help, _kind(declared), default


def _kind(declared: Declared) -> str:
    return ", ".join(declared.choices) or declared.kind.value


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
