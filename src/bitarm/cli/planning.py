"""What `bitarm plan` and `identify --plan` do with their flags."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from bitarm.api.extras import require
from bitarm.api.problem import Problem, load_problem
from bitarm.cli.show.plan import print_plan, sketch
from bitarm.errors import ConfigError
from bitarm.planner.plan import Plan, Progress, plan

_PICTURES = (".svg", ".png", ".pdf")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How a plan is shown, and where it goes."""

    as_json: bool
    plot: Path | None
    save: Path | None


def run_plan(
    problem: Path | None, arms: int | None, words: Mapping[str, Any], output: Output
) -> None:
    """Plan what the flags describe, and show it."""
    _check_output(output)
    if problem is None:
        made = _plan(arms, words)
    elif arms is not None:
        raise ConfigError("arms does not apply to a problem file: it has its own")
    else:
        made = plan_problem(load_problem(problem), words)
    if output.plot is not None:
        require("matplotlib", extra="sim", what="a plot")
        from bitarm.planner.picture import draw_plan

        draw_plan(made, output.plot)
    if output.save is not None:
        _save(made, output.save)
    if output.as_json:
        typer.echo(json.dumps(made.to_json()))
    else:
        print_plan(Console(), made)


def plan_problem(problem: Problem, words: Mapping[str, Any]) -> Plan:
    """A plan for the arms of a problem file; flags win over its own words.

    Its [scheme] says what has been used so far and is left aside: only flags fix anything.
    """
    own = {word: value for word, value in problem.problem.items() if value is not None}
    limits = {f"max_{word}": limit for word, limit in problem.limits.items()}
    return _plan(len(problem.arms), {**own, **limits, **words})


def plan_first(problem: Problem, words: Mapping[str, Any]) -> Plan:
    """The same before a run, told on stderr: what stdout carries is the run's."""
    made = plan_problem(problem, words)
    print(f"plan: {sketch(made)}", file=sys.stderr)
    return made


def _plan(arms: int | None, words: Mapping[str, Any]) -> Plan:
    with _bar() as progress:
        return plan(arms, **words, progress=progress)


def _check_output(output: Output) -> None:
    """A plan takes seconds: what could not be written afterwards is refused before."""
    if output.plot is not None and output.plot.suffix not in _PICTURES:
        raise ConfigError(f"a plot must end in {', '.join(_PICTURES)}, got {output.plot}")
    for path in (output.plot, output.save):
        if path is not None and not path.parent.is_dir():
            raise ConfigError(f"there is no folder {path.parent} to write {path.name} to")


def _save(made: Plan, path: Path) -> None:
    try:
        path.write_text(made.to_toml(), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the setting cannot be written to {path}: {error}") from None


@contextmanager
def _bar() -> Iterator[Progress]:
    """What is being done, on stderr; nothing where that is no terminal."""
    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield lambda what, done: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("compiling the simulator", total=None)

        def told(what: str, done: int) -> None:
            bar.update(task, description=f"{done:,} {what} measured")

        yield told
