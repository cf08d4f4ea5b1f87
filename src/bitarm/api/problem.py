"""Problem files: TOML that names the arms, the scheme and the limits.

    [problem]   delta sigma bounds epsilon clip, or pull_budget bit_budget in place of delta
    [[arm]]     name source agent device, and what the source needs
    [scheme]    quantizer bits epsilon_quban prior kappa kappa_first kappa_cut
                policy cap patience leader_first pilot width interval_delta growth first checkpoints
    [limits]    rounds samples bits
    [network]   lost lost_after join_within link via application (over a broker)

A word that is misspelt, of the wrong type or without effect is refused, never ignored.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.api import words
from bitarm.api.extras import require
from bitarm.api.scheme import build, displaced_words
from bitarm.api.words import Taker, command, flag, number, text, typed, unknown
from bitarm.core.quantizer import Bounds
from bitarm.core.rewards import RewardSource
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.runtime.chirpstack import check_device
from bitarm.runtime.command_source import TIMEOUT, CommandSource
from bitarm.runtime.sources import CallableSource, CsvSource, ModelSource, load_callable
from bitarm.runtime.topics import agent_for, check_agent

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

_TABLES = ("problem", "arm", "scheme", "limits", "network")
_PROBLEM: dict[str, Taker] = {**words.PROBLEM, "clip": flag}
_SOURCES: dict[str, dict[str, Taker]] = {
    "gaussian": {"mean": number, "sd": number},
    "bernoulli": {"mean": number},
    "beta": {"mean": number, "concentration": number},
    "poisson": {"mean": number},
    "exponential": {"mean": number},
    "callable": {"function": text},
    "csv": {"path": text, "column": text},
    "command": {"command": command, "timeout": number},
    "topic": {"topic": text, "pointer": text},
}
_NO_MODELS = ("callable", "csv", "command", "topic")
_OPTIONAL = {"concentration", "timeout", "pointer"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One option: its name and where its rewards come from."""

    name: str
    source: str
    agent: str  # who serves it, where agents are processes
    named_agent: bool  # whether the file says so, or the arm's own name had to do
    device: str | None  # devEui, where the agent is a LoRaWAN device
    words: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem file, checked; paths in it are relative to `folder`."""

    arms: tuple[Arm, ...]
    problem: Mapping[str, Any]
    scheme: Mapping[str, Any]
    limits: Mapping[str, Any]
    network: Mapping[str, Any]
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

    @property
    def bounds(self) -> Bounds | None:
        """The bounds that it names; None where it names none, as an agent's file need not."""
        if "bounds" not in self.problem:
            return None
        low, high = self.problem["bounds"]
        return float(low), float(high)

    def sources(self, seed: int) -> list[RewardSource]:
        """A source for each arm."""
        return [self.source(arm, number, seed) for number, arm in enumerate(self.arms)]

    def models(self) -> tuple["RewardModel", ...]:
        """A model for each arm; ConfigError if one has another source."""
        return tuple(_model(arm) for arm in self.arms)

    def known_models(self) -> tuple["RewardModel", ...]:
        """The models that there are: what is known of some arms."""
        return tuple(_model(arm) for arm in self.arms if arm.source not in _NO_MODELS)

    def source(self, arm: Arm, number: int, seed: int) -> RewardSource:
        """The rewards of one arm, the `number`th of its run."""
        if arm.source == "callable":
            function = load_callable(arm.words["function"], self.folder)
            return CallableSource(function, label=arm.name)
        if arm.source == "csv":
            path = self.folder / arm.words["path"]
            return CsvSource(path, arm.words["column"], label=arm.name)
        if arm.source == "command":
            timeout = arm.words.get("timeout", TIMEOUT)
            words = arm.words["command"]
            return CommandSource(words, folder=self.folder, timeout=timeout, label=arm.name)
        if arm.source == "topic":
            raise ConfigError(f"arm {arm.name!r} listens to a topic: only `bitarm agent` can")
        return ModelSource(_model(arm), seed=seed, arm=number)


def _model(arm: Arm) -> "RewardModel":
    if arm.source in _NO_MODELS:
        raise ConfigError(f"arm {arm.name!r} has a {arm.source} source: only models are simulated")
    require("numpy", extra="sim", what=f"the {arm.source} model")
    from bitarm.sim.models import MODELS

    model: RewardModel = MODELS[arm.source](**arm.words)
    return model


def load_problem(
    path: str | PathLike[str], overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The problem in a file; `overrides` (by table, then word) win over what it says."""
    path = Path(path)
    try:
        toml = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the problem file {path} cannot be read: {error}") from None
    try:
        return parse_problem(toml, path.parent, overrides)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_problem(
    toml: str, folder: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The problem in a TOML text."""
    try:
        tables = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML: {error}") from None
    for table in tables:
        if table not in _TABLES:
            raise ConfigError(unknown("a table", table, _TABLES))
    tables = _without_displaced(tables, overrides or {})
    given = {
        "problem": _words(tables, "problem", _PROBLEM, overrides),
        "scheme": _words(tables, "scheme", words.SCHEME, overrides),
        "limits": _words(tables, "limits", words.LIMITS, overrides),
        "network": _words(tables, "network", words.NETWORK, overrides),
    }
    problem = dict(given["problem"])
    return Problem(
        arms=_arms(tables.get("arm", [])),
        clip=problem.pop("clip", False),
        problem=problem,
        scheme=given["scheme"],
        limits=given["limits"],
        network=given["network"],
        folder=folder,
    )


def _without_displaced(
    tables: Mapping[str, Any], overrides: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The file without the words of the quantizer, policy or schedule that a flag replaced."""
    chosen = {**overrides.get("problem", {}), **overrides.get("scheme", {})}
    displaced = displaced_words(chosen)
    prefixes = {"problem": "", "scheme": "", "limits": "max_"}  # as a call spells them
    return {
        name: (
            {word: value for word, value in table.items() if prefixes[name] + word not in displaced}
            if name in prefixes and isinstance(table, dict)
            else table
        )
        for name, table in tables.items()
    }


def _words(
    tables: Mapping[str, Any],
    table: str,
    known: Mapping[str, Taker],
    overrides: Mapping[str, Mapping[str, Any]] | None,
) -> dict[str, Any]:
    given = tables.get(table, {})
    if not isinstance(given, dict):
        raise ConfigError(f"[{table}] must be a table")
    return typed({**given, **(overrides or {}).get(table, {})}, known, f"[{table}]")


def _arms(tables: Any) -> tuple[Arm, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError("arms are written as [[arm]] tables")
    return tuple(_arm(table, number) for number, table in enumerate(tables))


def _arm(table: Mapping[str, Any], position: int) -> Arm:
    given = dict(table)
    name = text("the name of an arm", given.pop("name", f"arm-{position}"))
    try:
        agent = check_agent(text("agent", given.pop("agent"))) if "agent" in given else None
        device = check_device(text("device", given.pop("device"))) if "device" in given else None
        source = _source_of(given)
        return Arm(
            name=name,
            source=source,
            agent=agent or agent_for(name, position),
            named_agent=agent is not None,
            device=device,
            words=typed(given, _SOURCES[source], f"a {source} arm"),
        )
    except ConfigError as error:
        raise ConfigError(f"arm {name!r}: {error}") from None


def _source_of(given: dict[str, Any]) -> str:
    """The source that an arm names, if the words that it needs are there."""
    source = text("source", given.pop("source", ""))
    if source not in _SOURCES:
        raise ConfigError(unknown("source", source, _SOURCES))
    for word in _SOURCES[source]:
        if word not in given and word not in _OPTIONAL:
            raise ConfigError(f"a {source} source needs {word}")
    return source
