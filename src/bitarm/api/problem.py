"""Problem files: TOML that names the arms, the scheme and the limits.

    [problem]   delta sigma bounds epsilon clip
    [[arm]]     name source, and what the source needs
    [scheme]    quantizer bits epsilon_quban prior policy width growth first checkpoints
    [limits]    rounds samples bits

A word that is misspelt, of the wrong type or without effect is refused, never ignored.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.api.extras import require
from bitarm.api.scheme import LIMIT_WORDS, PROBLEM_WORDS, SCHEME_WORDS, Setup, build, unknown
from bitarm.core.rewards import RewardSource
from bitarm.errors import ConfigError
from bitarm.runtime.sources import CallableSource, CsvSource, ModelSource, load_callable

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

_TABLES = ("problem", "arm", "scheme", "limits")
_SOURCE_WORDS: dict[str, dict[str, Any]] = {
    "gaussian": {"mean": float, "sd": float},
    "bernoulli": {"mean": float},
    "beta": {"mean": float, "concentration": float},
    "poisson": {"mean": float},
    "exponential": {"mean": float},
    "callable": {"function": str},
    "csv": {"path": str, "column": str},
}
_OPTIONAL_WORDS = {"concentration"}
_WORD_TYPES: dict[str, Any] = {
    "delta": float,
    "sigma": float,
    "bounds": tuple[float, float],
    "epsilon": float,
    "clip": bool,
    "quantizer": str,
    "epsilon_quban": float,
    "prior": str,
    "policy": str,
    "width": str,
    "growth": float,
    "first": int,
    "checkpoints": tuple[int, ...],
    "rounds": int,
    "samples": int,
    "bits": int,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One option: its name and where its rewards come from."""

    name: str
    source: str
    words: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem file, checked; paths in it are relative to `folder`."""

    arms: tuple[Arm, ...]
    problem: Mapping[str, Any]
    scheme: Mapping[str, Any]
    limits: Mapping[str, Any]
    clip: bool
    folder: Path

    def setup(self, seed: int) -> Setup:
        """What the learner needs."""
        return build(
            tuple(arm.name for arm in self.arms),
            seed=seed,
            problem=self.problem,
            scheme=self.scheme,
            limits=self.limits,
        )

    def sources(self, seed: int) -> list[RewardSource]:
        """A source for each arm."""
        return [self._source(arm, number, seed) for number, arm in enumerate(self.arms)]

    def models(self) -> tuple["RewardModel", ...]:
        """A model for each arm; ConfigError if one has another source."""
        return tuple(_model(arm) for arm in self.arms)

    def _source(self, arm: Arm, number: int, seed: int) -> RewardSource:
        if arm.source == "callable":
            function = load_callable(arm.words["function"], self.folder)
            return CallableSource(function, label=arm.name)
        if arm.source == "csv":
            path = self.folder / arm.words["path"]
            return CsvSource(path, arm.words["column"], label=arm.name)
        return ModelSource(_model(arm), seed=seed, arm=number)


def _model(arm: Arm) -> "RewardModel":
    if arm.source in ("callable", "csv"):
        raise ConfigError(f"arm {arm.name!r} has a {arm.source} source: only models are simulated")
    require("numpy", extra="sim", what=f"the {arm.source} model")
    from bitarm.sim.models import MODELS

    model: RewardModel = MODELS[arm.source](**arm.words)
    return model


def load_problem(path: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None) -> Problem:
    """The problem in a file; `overrides` (by table, then word) win over what it says."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the problem file {path} cannot be read: {error}") from None
    try:
        return parse_problem(text, path.parent, overrides)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_problem(
    text: str, folder: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The problem in a TOML text."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML: {error}") from None
    for table in tables:
        if table not in _TABLES:
            raise ConfigError(unknown("a table", table, _TABLES))
    given = {
        "problem": _words(tables, "problem", (*PROBLEM_WORDS, "clip"), overrides),
        "scheme": _words(tables, "scheme", SCHEME_WORDS, overrides),
        "limits": _words(tables, "limits", LIMIT_WORDS, overrides),
    }
    problem = dict(given["problem"])
    return Problem(
        arms=_arms(tables.get("arm", [])),
        clip=problem.pop("clip", False),
        problem=problem,
        scheme=given["scheme"],
        limits=given["limits"],
        folder=folder,
    )


def _words(
    tables: Mapping[str, Any],
    table: str,
    known: tuple[str, ...],
    overrides: Mapping[str, Mapping[str, Any]] | None,
) -> dict[str, Any]:
    given = tables.get(table, {})
    if not isinstance(given, dict):
        raise ConfigError(f"[{table}] must be a table")
    for word in given:
        if word not in known:
            raise ConfigError(unknown(f"a word of [{table}]", word, known))
    merged = {**given, **(overrides or {}).get(table, {})}
    return {word: _typed(value, _WORD_TYPES[word], word) for word, value in merged.items()}


def _arms(tables: Any) -> tuple[Arm, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError("arms are written as [[arm]] tables")
    return tuple(_arm(table, number) for number, table in enumerate(tables))


def _arm(table: Mapping[str, Any], number: int) -> Arm:
    words = dict(table)
    name = _typed(words.pop("name", f"arm-{number}"), str, "name")
    source = words.pop("source", None)
    if source not in _SOURCE_WORDS:
        raise ConfigError(f"arm {name!r}: {unknown('source', source, _SOURCE_WORDS)}")
    known = _SOURCE_WORDS[source]
    for word in words:
        if word not in known:
            kind = f"a word of a {source} arm"
            raise ConfigError(f"arm {name!r}: {unknown(kind, word, ('name', 'source', *known))}")
    for word in known:
        if word not in words and word not in _OPTIONAL_WORDS:
            raise ConfigError(f"arm {name!r}: a {source} source needs {word}")
    typed = {word: _typed(value, known[word], word) for word, value in words.items()}
    return Arm(name=name, source=source, words=typed)


def _typed(value: Any, wanted: Any, word: str) -> Any:
    """`value` as the type that the word takes; a whole number will do for a float."""
    msgspec = require("msgspec", extra="cli", what="problem files")
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        reason = re.sub(r" - at `\$.*", "", str(error))
        raise ConfigError(f"{word}: {reason[0].lower()}{reason[1:]}") from None
