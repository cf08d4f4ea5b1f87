"""Which experiments there are, and how a file becomes one."""

import importlib
import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import final

from bitarm.errors import ConfigError
from bitarm.experiments.analysis import Analysis
from bitarm.experiments.experiment import Experiment, parse_sweep

PAPER = ("bounded", "gaussian", "hardness", "alpha", "bits")
"""The paper's five, in its order."""

BEYOND = (
    "gains_hardness",
    "gains_offset",
    "gains_bounded",
    "gains_gaussian",
    "random_gaussian",
    "random_bernoulli",
    "random_beta",
    "peers",
)
"""What the paper could not do: fewer samples and fewer bits at the same guarantee."""

FURTHER = ("valid_sigma", *BEYOND)
"""Further experiments: one that mends the paper's σ, and those beyond the paper."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An experiment and how it is scored."""

    experiment: Experiment
    analysis: Analysis

    def drawn(self, seed: int) -> "Study":
        """The same with arms drawn as the paper drew them; unchanged where it printed them."""
        experiment, analysis = self.experiment.drawn(seed), self.analysis
        return Study(
            experiment=experiment,
            analysis=analysis.without_published() if experiment.is_drawn else analysis,
        )


def load_study(name: str) -> Study:
    """The study with this name, or the one in the file of this path."""
    if name in (*PAPER, *FURTHER):
        package = "paper" if name in PAPER else "beyond"
        return _study(name, importlib.import_module(f"bitarm.experiments.{package}.{name}"))
    path = Path(name)
    if os.path.isdir(path):
        raise ConfigError(f"{name} is a folder: an experiment is one .py file with a SWEEP")
    if path.suffix != ".py":
        raise ConfigError(
            f"an experiment must be one of {', '.join((*PAPER, *FURTHER))}, "
            f"or a .py file with a SWEEP; got {name!r}"
        )
    if not os.path.isfile(path):
        raise ConfigError(f"there is no file {name}")
    return _own(path.resolve())


def _own(path: Path) -> Study:
    module = _executed(path)
    try:
        return _study(path.stem, module)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _study(name: str, module: ModuleType) -> Study:
    """What a module runs, and how it is scored if it says so."""
    said = vars(module)
    if "SWEEP" not in said:
        raise ConfigError("SWEEP is missing")
    experiment = parse_sweep(name, said["SWEEP"])
    analysis = said.get("ANALYSIS", Analysis())
    if not isinstance(analysis, Analysis):
        raise ConfigError(f"ANALYSIS must be an Analysis, got {analysis!r}")
    return Study(experiment=experiment, analysis=analysis)


def _executed(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"own_{path.stem}", path)
    assert spec is not None  # the file ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's file raises is its fault
        raise ConfigError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return module
