"""Problem files: TOML that names the arms, the scheme and the limits.

    [problem]   what is asked: how sure, how rewards vary; or a budget in place of delta
    [[arm]]     an option: its name, and where its rewards come from
    [scheme]    quantizer, policy, width and schedule, with their words
    [limits]    where a run must end even without an answer
    [network]   how agents are reached, and what if one is lost (over a broker)

docs/words.md lists the words of each; `problem.schema.json` (api/schema.py) tells editors.
A word that is misspelt, of the wrong type or without effect is refused, never ignored.
"""

import tomllib
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.api import words
from bitarm.api.scheme import build, displaced_words
from bitarm.api.sources import SOURCES, Place, Source, runs_code
from bitarm.api.tables import NETWORK
from bitarm.api.words import Taker, choose, flag, text, typed, typed_words, unknown, vocabulary
from bitarm.core.quantizer import Bounds
from bitarm.core.rewards import RewardSource
from bitarm.core.setup import Setup
from bitarm.core.words import words_of
from bitarm.errors import ConfigError
from bitarm.wire.chirpstack import check_device
from bitarm.wire.topics import agent_for, check_agent

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem file, checked: its arms, and the words of its tables with their values.

    Only words that the file gave are there; what it left open gets its default in `setup`. Paths in
    it are relative to `folder`.
    """

    arms: tuple[Arm, ...]
    problem: Mapping[str, Any]  # what is asked, and what is known of the rewards
    scheme: Mapping[str, Any]  # quantizer, policy, width, schedule
    limits: Mapping[str, Any]
    network: Mapping[str, Any]  # only a run over a broker reads it
    clip: bool
    folder: Path

    def setup(self, seed: int) -> Setup:
        """What the learner needs; ConfigError if the words do not go together."""
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
        """The rewards of each arm; ConfigError or RewardError if one has none."""
        return [self.source(arm, number, seed) for number, arm in enumerate(self.arms)]

    def models(self) -> tuple["RewardModel", ...]:
        """A model for each arm; ConfigError if one has another source."""
        models = []
        for arm in self.arms:
            model = arm.source.model()
            if model is None:
                raise ConfigError(
                    f"arm {arm.name!r} has a {arm.source.name} source: only models are simulated"
                )
            models.append(model)
        return tuple(models)

    def known_models(self) -> tuple["RewardModel", ...]:
        """The models of those arms whose rewards are drawn from one."""
        models = (arm.source.model() for arm in self.arms)
        return tuple(model for model in models if model is not None)

    def refuse_code(self, *, agent: str | None = None) -> None:
        """Refuse arms whose rewards come from code: a command, a function, a package's own kind.

        For whoever runs a file that somebody else may have written. With `agent`, only the arms
        of that agent count: no others are opened there. ConfigError names the arm and its source.
        """
        for arm in self.arms:
            if (agent is None or arm.agent == agent) and runs_code(arm.source):
                raise ConfigError(
                    f"arm {arm.name!r} has a {arm.source.name} source, which runs code that the "
                    "problem file names, and --no-code forbids that: leave --no-code out if you "
                    "trust the file"
                )

    def source(self, arm: Arm, number: int, seed: int) -> RewardSource:
        """The rewards of one arm, which is number `number` of its run, from 0."""
        place = Place(arm=arm.name, number=number, seed=seed, folder=self.folder)
        return arm.source.open(place)


def load_problem(
    path: str | PathLike[str], overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """Read a problem file.

        problem = bitarm.load_problem("antennas.toml", {"problem": {"delta": 0.01}})

    `overrides`, by table and then by word, win over what the file says; a quantizer or a policy
    among them also displaces the file's words for another one. Raises ConfigError, with the path,
    if the file cannot be read or says something that is not known, of the wrong type or without
    effect.
    """
    return _loaded(Path(path), lambda toml, folder: parse_problem(toml, folder, overrides))


def load_arms(path: str | PathLike[str]) -> Problem:
    """What an agent needs of a problem file: arms, bounds and `clip`.

    The scheme is the learner's: the package that it may come from need not be installed here.
    """
    return _loaded(Path(path), _parse_arms)


def _loaded(path: Path, parse: Callable[[str, Path], Problem]) -> Problem:
    if path.suffix in (".csv", ".tsv") and path.is_file():
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


def parse_problem(
    toml: str, folder: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The problem in a TOML text, whose paths are relative to `folder`; as `load_problem`."""
    tables = _without_displaced(_tables(toml), overrides or {})
    given = {
        name: {**_table(tables, name), **(overrides or {}).get(name, {})}
        for name in ("problem", "scheme", "limits", "network")
    }
    clip = flag("clip", given["problem"].pop("clip", False))
    return Problem(
        arms=_arms(tables.get("arm", [])),
        clip=clip,
        problem=typed_words(given["problem"], "problem", beside=("clip",)),
        scheme=typed_words(given["scheme"], "scheme"),
        limits=typed(given["limits"], words.LIMITS, "[limits]"),
        network=typed(given["network"], NETWORK, "[network]"),
        folder=folder,
    )


def _parse_arms(toml: str, folder: Path) -> Problem:
    tables = _tables(toml)
    own = _table(tables, "problem")
    bounds = {word: value for word, value in own.items() if word == "bounds"}
    return Problem(
        arms=_arms(tables.get("arm", [])),
        clip=flag("clip", own.get("clip", False)),
        problem=typed_words(bounds, "problem"),
        scheme={},
        limits={},
        network={},
        folder=folder,
    )


def _tables(toml: str) -> dict[str, Any]:
    try:
        tables = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML: {error}") from None
    for table, content in tables.items():
        if table in _TABLES:
            continue
        home = next((name for name in _TABLES if table in _words_of_table(name)), None)
        if home is not None and not isinstance(content, dict):
            raise ConfigError(f"{table} stands outside of its table: write it under [{home}]")
        raise ConfigError(unknown("a table", table, _TABLES))
    return tables


def _words_of_table(table: str) -> Container[str]:
    if table == "limits":
        return words.LIMITS
    return NETWORK if table == "network" else vocabulary().of_table(table)


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


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    given = tables.get(name, {})
    if not isinstance(given, dict):
        raise ConfigError(f"[{name}] must be a table")
    return dict(given)


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
        raise ConfigError(
            f"it needs a source, which says where its rewards come from: one of "
            f"{', '.join(SOURCES.known)}"
        )
    kind = choose(SOURCES, text("source", given.pop("source")))
    known = words_of(kind)
    takers: dict[str, Taker] = {word: declared.taker for word, declared in known.items()}
    values = typed(given, takers, f"a {kind.name} arm")  # first: a word may be misspelt
    for word, declared in known.items():
        if declared.required and word not in given:
            raise ConfigError(f"a {kind.name} source needs {word}")
    return kind(**values)
