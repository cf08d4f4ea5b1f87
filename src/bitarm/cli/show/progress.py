"""A bar on stderr while trials run; nothing where stderr is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
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
    """A function to call with the trials that are done and those that there are."""
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
