"""Problem files: TOML that names the arms, the scheme and the limits.

    [problem]   what is asked: how sure, how rewards vary; or a budget in place of delta
    [[arm]]     an option: its name, and where its rewards come from
    [scheme]    quantizer, policy, width and schedule, with their words
    [limits]    where a run must end even without an answer
    [network]   how agents are reached, and what if one is lost (over a broker)

docs/words.md lists the words of each; `problem.schema.json` (api/schema.py) tells editors.
A word that is misspelt, of the wrong type or without effect is refused, never ignored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.api.applicable import displaced_words
from bitarm.api.arm_tables import (
    Arm,
    ArmsFile,
    arms_of,
    read_file,
    read_tables,
    refuse_code,
    table_named,
)
from bitarm.api.scheme import build
from bitarm.api.words import LIMITS, NETWORK, typed_words
from bitarm.core.rewards import RewardSource
from bitarm.core.setup import Setup
from bitarm.core.words import flag, typed
from bitarm.errors import ConfigError

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem file, checked: its arms, and the words of its tables with their values.

    Only words that the file gave are there; what it left open gets its default in `setup`.

    Attributes:
        arms: the arms, with their sources.
        problem: what is asked, and what is known of the rewards.
        scheme: quantizer, policy, width, schedule.
        limits: where a run must end even without an answer.
        network: how agents are reached; only a run over a broker reads it.
        clip: whether rewards beyond the bounds are moved to the bounds.
        folder: to which paths in the file are relative.
    """

    arms: tuple[Arm, ...]
    problem: Mapping[str, Any]
    scheme: Mapping[str, Any]
    limits: Mapping[str, Any]
    network: Mapping[str, Any]
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

    def sources(self, seed: int) -> list[RewardSource]:
        """The rewards of each arm; ConfigError or RewardError if one has none."""
        return [
            arm.rewards(number, seed, folder=self.folder) for number, arm in enumerate(self.arms)
        ]

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

    def for_agents(self) -> ArmsFile:
        """What its agents need of it, as `load_arms` would read that."""
        bounds = self.problem.get("bounds")
        return ArmsFile(arms=self.arms, bounds=bounds, clip=self.clip, folder=self.folder)

    def refuse_code(self) -> None:
        """Refuse arms whose rewards come from code, as `arm_tables.refuse_code` does."""
        refuse_code(self.arms)


def load_problem(
    path: str | PathLike[str], overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """Read a problem file.

        problem = bitarm.load_problem("antennas.toml", {"problem": {"delta": 0.01}})

    Args:
        path: a TOML file with the tables [problem], [[arm]], [scheme], [limits] and [network]; all
            but the arms may be left out.
        overrides: values by table and then by word, which win over what the file says. A quantizer
            or a policy among them also displaces the file's words for another one.

    Returns:
        The problem, checked.

    Raises:
        ConfigError: with the path, if the file cannot be read or says something that is not known,
            of the wrong type or without effect.
    """
    return read_file(Path(path), lambda toml, folder: parse_problem(toml, folder, overrides))


def parse_problem(
    toml: str, folder: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The problem in a TOML text, whose paths are relative to `folder`; as `load_problem`."""
    tables = _without_displaced(read_tables(toml), overrides or {})
    given = {
        name: {**table_named(tables, name), **(overrides or {}).get(name, {})}
        for name in ("problem", "scheme", "limits", "network")
    }
    clip = flag("clip", given["problem"].pop("clip", False))
    return Problem(
        arms=arms_of(tables.get("arm", [])),
        clip=clip,
        problem=typed_words(given["problem"], "problem", beside=("clip",)),
        scheme=typed_words(given["scheme"], "scheme"),
        limits=typed(given["limits"], LIMITS, "[limits]"),
        network=typed(given["network"], NETWORK, "[network]"),
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
