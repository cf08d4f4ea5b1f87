"""Nothing is kept that could not be read back."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.events import CaveatNoted, ReportAccepted, RunOpened
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal
from bitarm.store.bodies import read_body, write_body

Open = Callable[..., SqliteJournal]


def accepted(mean: float) -> ReportAccepted:
    return ReportAccepted(
        round=1,
        arm=0,
        message=1,
        pulls=2,
        symbol=Symbol(value=3, nbits=2),
        mean=mean,
        error=math.inf,
        radius=0.1,
    )


@given(st.text(st.characters(exclude_categories=["Cs"])), st.floats(allow_nan=False))
def test_what_is_kept_is_read_back_exactly(text: str, mean: float) -> None:
    for event in (CaveatNoted(text=text), accepted(mean)):
        assert read_body(write_body(event), place="here") == event


@given(st.text() | st.binary() | st.none() | st.integers())
def test_anything_else_is_a_store_error(body: object) -> None:
    with pytest.raises(StoreError, match=r"^here is no event"):
        read_body(body, place="here")


@pytest.mark.parametrize(
    "event",
    [
        accepted(math.nan),
        accepted(1),  # an int in a float's place
        CaveatNoted(text="lost file: \udcff"),  # as in a file name that is no UTF-8
    ],
)
def test_what_could_not_be_read_back_is_not_kept(
    open_journal: Open, opened: RunOpened, event: CaveatNoted | ReportAccepted
) -> None:
    journal = open_journal()
    run = journal.open_run(opened)
    with pytest.raises(StoreError, match="cannot be kept"):
        journal.append(run, [CaveatNoted(text="a"), event])
    assert [entry.event for entry in journal.read(run)] == [opened]
