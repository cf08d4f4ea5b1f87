"""The arms of a problem file: all that an agent needs of it, and reads without any scheme."""

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, final

from bitarm.api.sources import SOURCES, Place, Source, runs_code
from bitarm.core.bounds import Bounds
from bitarm.core.rewards import RewardSource
from bitarm.core.words import (
    flag,
    number_range,
    takers_of,
    text,
    typed,
    unknown,
    words_of,
)
from bitarm.errors import ConfigError
from bitarm.wire.chirpstack import check_device
from bitarm.wire.topics import agent_for, check_agent

T = TypeVar("T")

_TABLES = ("problem", "arm", "scheme", "limits", "network")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One option: its name and where its rewards come from."""

    name: str
    source: Source
    agent: str  # who serves it, where agents are processes
    named_agent: bool  # whether the file says so, or the arm's own name had to do
    device: str | None  # devEui, where the agent is a LoRaWAN device

    def rewards(self, number: int, seed: int, *, folder: Path) -> RewardSource:
        """Its rewards as number `number` of its run, from 0; ConfigError or RewardError if none.

        Paths that its table names are relative to `folder`.
        """
        return self.source.open(Place(arm=self.name, number=number, seed=seed, folder=folder))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmsFile:
    """What an agent reads of a problem file: the arms, and between which bounds rewards lie.

    The scheme is the learner's: the package that it may come from need not be installed here.
    """

    arms: tuple[Arm, ...]
    bounds: Bounds | None  # None where the file names none, as an agent's need not
    clip: bool
    folder: Path


def load_arms(path: str | PathLike[str]) -> ArmsFile:
    """The arms, bounds and `clip` of a problem file; ConfigError, with the path, for any other."""
    return read_file(Path(path), parse_arms)


def parse_arms(toml: str, folder: Path) -> ArmsFile:
    """What an agent needs of a problem file that is given as text; its paths start at `folder`."""
    tables = read_tables(toml)
    problem = table_named(tables, "problem")
    return ArmsFile(
        arms=arms_of(tables.get("arm", [])),
        bounds=number_range("bounds", problem.get("bounds")),
        clip=flag("clip", problem.get("clip", False)),
        folder=folder,
    )


def read_file(path: Path, parse: Callable[[str, Path], T]) -> T:
    """What `parse` makes of a file's text and folder; ConfigError, with the path, if it cannot."""
    if path.suffix in (".csv", ".tsv") and os.path.isfile(path):
        raise ConfigError(
            f"{path} is a table of numbers: write a problem file (.toml) beside it that names its "
            'columns, an [[arm]] with source = "csv", path and column for each'
        )
    try:
        toml = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"the problem file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(
            f"the problem file {path} cannot be read: it is no text in UTF-8, save it so"
        ) from None
    try:
        return parse(toml, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def read_tables(toml: str) -> dict[str, Any]:
    """The tables of a problem file as TOML has them; ConfigError for one that no file has."""
    try:
        tables = tomllib.loads(toml)
    except (ValueError, RecursionError) as error:  # a number too long, lists too deep
        raise ConfigError(f"not valid TOML: {error}") from None
    for table, content in tables.items():
        if table not in _TABLES:
            _refuse_table(table, content)
    return tables


def _refuse_table(name: str, content: Any) -> None:
    from bitarm.api.words import table_with  # here: it loads all schemes, which no agent needs

    home = table_with(name)
    if home is not None and not isinstance(content, dict):
        raise ConfigError(f"{name} stands outside of its table: write it under [{home}]")
    raise ConfigError(unknown("a table", name, _TABLES))


def table_named(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The table of this name, empty where there is none."""
    given = tables.get(name, {})
    if not isinstance(given, dict):
        raise ConfigError(f"[{name}] must be a table")
    return dict(given)


def arms_of(tables: Any) -> tuple[Arm, ...]:
    """The [[arm]] tables, checked."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError("arms are written as [[arm]] tables")
    return tuple(_arm(table, number) for number, table in enumerate(tables))


def _arm(table: Mapping[str, Any], position: int) -> Arm:
    given = dict(table)
    name = text("the name of an arm", given.pop("name", f"arm-{position}"))
    try:
        agent = check_agent(text("agent", given.pop("agent"))) if "agent" in given else None
        device = check_device(text("device", given.pop("device"))) if "device" in given else None
        return Arm(
            name=name,
            source=_source(given),
            agent=agent or agent_for(name, position),
            named_agent=agent is not None,
            device=device,
        )
    except ConfigError as error:
        raise ConfigError(f"arm {name!r}: {error}") from None


def _source(given: dict[str, Any]) -> Source:
    """The source that an arm names, with the words that it needs."""
    if "source" not in given:
        misspelt = difflib.get_close_matches("source", given, n=1)
        hint = f"; is {misspelt[0]!r} meant to be 'source'?" if misspelt else ""
        raise ConfigError(
            f"it needs a source, which says where its rewards come from: one of "
            f"{', '.join(SOURCES.known)}{hint}"
        )
    kind = SOURCES.require(text("source", given.pop("source")))
    known = words_of(kind)
    values = typed(given, takers_of(kind), f"a {kind.name} arm")  # first: a word may be misspelt
    for word, declared in known.items():
        if declared.required and word not in given:
            raise ConfigError(f"a {kind.name} source needs {word}")
    for word, value in values.items():
        known[word].check(value)
    return kind(**values)


def refuse_code(arms: Iterable[Arm]) -> None:
    """Refuse arms whose rewards come from code: a command, a function, a package's own kind.

    For whoever runs a file that somebody else may have written. ConfigError names the arm and its
    source.
    """
    for arm in arms:
        if runs_code(arm.source):
            raise ConfigError(
                f"arm {arm.name!r} has a {arm.source.name} source, which runs code that the "
                "problem file names, and --no-code forbids that: leave --no-code out if you "
                "trust the file"
            )
