"""Which experiments there are, and how a folder becomes one."""

import importlib
import importlib.util
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
)
"""What the paper could not do: fewer samples and fewer bits at the same guarantee."""

FURTHER = ("valid_sigma", *BEYOND)
"""What the paper does not show."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An experiment and how it is scored."""

    experiment: Experiment
    analysis: Analysis


def load_study(name: str) -> Study:
    """The study with this name, or the one in the folder of this path."""
    if name in (*PAPER, *FURTHER):
        package = "paper" if name in PAPER else "beyond"
        module = importlib.import_module(f"bitarm.experiments.{package}.{name}")
        return Study(experiment=parse_sweep(name, module.SWEEP), analysis=module.ANALYSIS)
    folder = Path(name)
    if not folder.is_dir():
        raise ConfigError(
            f"an experiment must be one of {', '.join((*PAPER, *FURTHER))}, "
            f"or a folder with a sweep.py; got {name!r}"
        )
    return _own(folder.resolve())


def _own(folder: Path) -> Study:
    """A user's folder: a sweep.py, and an analysis.py if there is one."""
    path = folder / "sweep.py"
    if not path.exists():
        raise ConfigError(f"{folder} has no sweep.py: it is no experiment")
    try:
        sweep = _attribute(path, "SWEEP")
        experiment = parse_sweep(folder.name, sweep)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    scoring = folder / "analysis.py"
    analysis = _attribute(scoring, "ANALYSIS") if scoring.exists() else Analysis()
    if not isinstance(analysis, Analysis):
        raise ConfigError(f"{scoring}: ANALYSIS must be an Analysis, got {analysis!r}")
    return Study(experiment=experiment, analysis=analysis)


def _attribute(path: Path, name: str) -> object:
    module = _executed(path)
    if not hasattr(module, name):
        raise ConfigError(f"{path} defines no {name}")
    value: object = getattr(module, name)
    return value


def _executed(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"own_{path.parent.name}_{path.stem}", path)
    assert spec is not None  # the file ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's file raises is its fault
        raise ConfigError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return module
