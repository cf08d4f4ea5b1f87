"""Docstrings: their examples run; those of public names say what goes in and what comes out."""

import ast
import doctest
import importlib
import inspect
import random
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import pytest
import typer
from docs_blocks import ROOT

import bitarm
from bitarm import errors
from bitarm.api.identification import HistoryEntry, Identification
from bitarm.api.problem import Problem
from bitarm.api.simulate import Simulation, SweepPoint
from bitarm.cli.flags.words import Words, with_words
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.words import Word
from bitarm.planner.plan import Plan
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Bernoulli, Sampler

SOURCE = ROOT / "src" / "bitarm"
_FILES = sorted(SOURCE.rglob("*.py"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder of examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path


def _module(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize(
    "module", [_module(file) for file in _FILES if ">>> " in file.read_text("utf-8")]
)
def test_what_is_shown_at_a_prompt_is_true(module: str) -> None:
    done = doctest.testmod(importlib.import_module(module))
    assert done.attempted > 0
    assert done.failed == 0


_BLOCK = re.compile(r"^    \S.*\n(?:(?:    .*)?\n)*", re.MULTILINE)
_DOES = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.For, ast.While)


def _examples_in(docstring: str) -> Iterator[str]:
    """The indented blocks that are Python and do something; formulas and tables are not."""
    for block in _BLOCK.findall(docstring.split("\nArgs:")[0] + "\n"):
        code = textwrap.dedent(block)
        try:
            statements = ast.parse(code).body
        except SyntaxError:
            continue
        called = [one for one in statements if isinstance(one, ast.Expr)]
        if any(isinstance(one, _DOES) for one in statements) or any(
            isinstance(one.value, ast.Call) for one in called
        ):
            yield code


def _documented(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Every docstring of a module, by the name of what it describes."""
    waiting: list[tuple[str, Any]] = [(module, tree)]
    while waiting:
        name, node = waiting.pop()
        yield name, ast.get_docstring(node) or ""
        waiting += [
            (f"{name}.{inner.name}", inner)
            for inner in node.body
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        ]


_EXAMPLES = {
    name: example
    for file in _FILES
    for name, docstring in _documented(ast.parse(file.read_text("utf-8")), _module(file))
    for example in _examples_in(docstring)
}


def _typed(context: typer.Context, words: Words) -> None:
    """A command of somebody's."""


_ARMS = {"a": [0.1] * 90, "b": [0.9] * 90}
_MODELS = (Bernoulli(mean=0.2), Bernoulli(mean=0.8))
_GIVEN: dict[str, Any] = {"bitarm": bitarm, "random": random, "arms": _ARMS}
_GIVEN_BY_NAME: dict[str, dict[str, Any]] = {
    "bitarm.api.simulate.Simulation": {"arms": _MODELS},
    "bitarm.cli.flags.words": {"with_words": with_words, "identify": _typed},
    "bitarm.core.words": {"Annotated": Annotated, "Word": Word},
    "bitarm.sim.engine.Engine": {
        "Engine": Engine,
        "environment_of": environment_of,
        "models": _MODELS,
        "rng": np.random.default_rng(1),
        "setup": bitarm.setup(["a", "b"], bounds=(0, 1), quantizer="icq", bits=3, seed=1),
    },
    "bitarm.sim.models.Sampler": {"Sampler": Sampler},
}
_TOGETHER = {"bitarm.core.learner.Learner", "bitarm.core.agent.Agent"}  # by the test below
_SLOW = {"bitarm.planner.plan.plan", "bitarm.planner.plan.plan_problem"}


def test_examples_are_found() -> None:
    assert _EXAMPLES.keys() > _GIVEN_BY_NAME.keys() | _TOGETHER | _SLOW
    wrong = "What it does.\n\n    made = nothing(1)\n\nArgs:\n    made: not an example = 1\n"
    assert list(_examples_in(wrong)) == ["made = nothing(1)\n\n"]
    assert not list(_examples_in("A formula:\n\n    x\u2032 = \u03ba\u00b7\u221at\n"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in _SLOW else [])
        for name in sorted(_EXAMPLES.keys() - _TOGETHER)
    ],
)
def test_the_example_of_a_docstring_runs(name: str, folder: Path) -> None:
    exec(compile(_EXAMPLES[name], name, "exec"), _GIVEN | _GIVEN_BY_NAME.get(name, {}))


def test_the_examples_of_the_machines_run_together() -> None:
    """The loop that a learner's docstring shows, fed by the one of an agent's."""
    learner = bitarm.Learner(bitarm.setup(["a", "b"], delta=0.05, bounds=(0, 1)))
    agents = [bitarm.Agent(learner.run, arm) for arm in (0, 1)]

    def next_answer() -> Any:
        request = learner.pending[0]
        names: dict[str, Any] = {
            "Agent": lambda _, arm: agents[arm],
            "run": learner.run,
            "arm": request.arm,
            "request": request,
            "keep": lambda state: None,
            "source": SimpleNamespace(pull=lambda count: [float(request.arm)] * count),
        }
        exec(_EXAMPLES["bitarm.core.agent.Agent"], names)
        return names["answers"][0]

    names = {"learner": learner, "LearnerPhase": LearnerPhase, "next_answer": next_answer}
    exec(_EXAMPLES["bitarm.core.learner.Learner"], names)
    assert learner.ending is not None
    assert learner.ending.best_arm == 1


_FUNCTIONS = [name for name in bitarm.__all__ if inspect.isfunction(getattr(bitarm, name))]


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_public_function_shows_itself_and_says_what_goes_in_and_what_comes_out(name: str) -> None:
    function = getattr(bitarm, name)
    assert f"{function.__module__}.{name}" in _EXAMPLES
    text = inspect.getdoc(function) or ""
    sections = dict(re.findall(r"^(Args|Returns|Raises):\n((?:    .*\n?|\n)+)", text, re.MULTILINE))
    assert sections.keys() == {"Args", "Returns", "Raises"}
    told = re.findall(r"^    (\w+): ", sections["Args"], re.MULTILINE)
    assert told == list(inspect.signature(function).parameters)
    for error in re.findall(r"^    (\w+): ", sections["Raises"], re.MULTILINE):
        assert issubclass(getattr(errors, error), errors.BitarmError)


_VALUES = (HistoryEntry, Identification, Plan, Problem, Simulation, SweepPoint)


@pytest.mark.parametrize("value", _VALUES, ids=lambda value: value.__name__)
def test_a_value_that_comes_out_says_what_each_field_has(value: type) -> None:
    text = inspect.getdoc(value) or ""
    told = re.findall(r"^    (\w+): ", text.partition("\nAttributes:\n")[2], re.MULTILINE)
    assert told == [name for name in value.__annotations__ if not name.startswith("_")]
