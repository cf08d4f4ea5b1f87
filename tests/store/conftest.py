"""What the tests of the store share: a path, a clock that counts, and events to keep."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, RunOpened
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.store import SqliteJournal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def opened() -> RunOpened:
    spec = RunSpec(
        arms=("left", "right"),
        delta=0.1,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Exact(),
        width="paper",
        schedule=paper_schedule(2.0),
        priors=(),
        seed=0,
    )
    return RunOpened(
        setup=Setup(spec=spec, policy=SuccessiveElimination()), opening="a run of the tests"
    )


@pytest.fixture
def notes() -> Callable[..., list[CaveatNoted]]:
    return lambda *texts: [CaveatNoted(text=str(text)) for text in texts]


@pytest.fixture
def open_journal(path: Path) -> Iterator[Callable[..., SqliteJournal]]:
    """Opens the journal at `path`, with little patience, and closes all of them in the end."""
    journals: list[SqliteJournal] = []

    def open_one(*, read_only: bool = False) -> SqliteJournal:
        how = SqliteJournal.open_read_only if read_only else SqliteJournal.open
        journals.append(how(path, patience=0.05))
        return journals[-1]

    yield open_one
    for journal in journals:
        journal.close()
