"""How far a command has come, on stderr while it works; nothing where that is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


@final
class _Speed(ProgressColumn):
    """Trials a second; nothing until there are two times to compare."""

    def render(self, task: Task) -> Text:
        """The speed as text."""
        return Text("" if task.speed is None else f"{task.speed:,.0f} a second")


@contextmanager
def trials_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar of trials: yields a function to call with how many are done, and of how many."""
    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield lambda done, trials: None
        return
    with Progress(
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} trials"),
        BarColumn(),
        _Speed(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
    ) as bar:
        task = bar.add_task("", total=1)
        yield lambda done, trials: bar.update(task, completed=done, total=trials)


@contextmanager
def measurements_bar() -> Iterator[Callable[[str, int], None]]:
    """A line on a plan: yields a function to call with what was measured, and how many of it."""
    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield lambda what, done: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("compiling the simulator", total=None)
        yield lambda what, done: bar.update(task, description=f"{done:,} {what} measured")
