"""Who is told of a run as it goes on: the log, the live table, and whoever else wants to know."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from rich.console import Console

from bitarm.cli.event_log import EventLog
from bitarm.cli.show.heartbeat import Heartbeat
from bitarm.cli.show.live import LiveTable
from bitarm.core.events import LearnerEvent
from bitarm.core.journal import Watcher


@contextmanager
def watching(*others: Watcher, table_on: Console | None, pace: float = 0) -> Iterator[Watcher]:
    """A watcher for the run of a block: it logs every event and tells it to `others`.

    A live table is drawn on the console `table_on`, if there is one, and rests for `pace` seconds
    after each round. Without one, a line a minute says that the run goes on.
    """
    watchers = [EventLog().watch, *others]

    def watch(events: Sequence[LearnerEvent]) -> None:
        for watcher in watchers:
            watcher(events)

    with ExitStack() as stack:
        if table_on is not None:
            watchers.append(stack.enter_context(LiveTable(table_on, pace=pace)).watch)
        else:
            watchers.append(stack.enter_context(Heartbeat()).watch)
        yield watch
