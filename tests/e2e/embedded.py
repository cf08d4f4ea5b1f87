"""A run over a network, compared with the run of its seed in one process."""

from contextlib import closing
from pathlib import Path

from drives import story
from e2e.processes import PROBLEM, Field
from networks import substance

from bitarm.api.identify import run_problem
from bitarm.api.problem import parse_problem
from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    PullsCounted,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.replay import replay
from bitarm.core.result import RunResult
from bitarm.store import MemoryJournal, SqliteJournal

_OF_THE_NETWORK = FleetAssigned | TrafficMeasured | PullsCounted | AgentJoined


def _said(journal: Journal) -> list[LearnerEvent]:
    assert len(journal.runs()) == 1
    events = [entry.event for entry in journal.read(1)]
    return [event for event in events if not isinstance(event, _OF_THE_NETWORK)]


def assert_as_embedded(place: Field, problem: str = PROBLEM) -> RunResult:
    """Symbols, decoded means, drops, rounds, price and answer are those of one process.

    Returns that process's result. `samples` may be more in the other: an arm that gave up tells
    after how many pulls only once, and whoever was killed then does not know.
    """
    embedded = MemoryJournal()
    _, result = run_problem(parse_problem(problem, Path()), seed=5, journal=embedded)
    assert place.result()["samples"] >= result.samples
    with closing(SqliteJournal.open_read_only(place.store)) as journal:
        events = _said(journal)
    assert story(events) == story(_said(embedded))
    assert substance(replay(events).save()) == substance(replay(_said(embedded)).save())
    return result
