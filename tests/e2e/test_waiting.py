"""Processes that wait say for what and whom; agents end as their run did, and say so."""

import signal
from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.processes import NAMES, Field, field
from loopback import eventually, free_port

pytestmark = pytest.mark.slow


def _says(place: Field, name: str, text: str) -> None:
    eventually(lambda: text in place.said(name), f"{name} to say {text!r}: {place.said(name)}")


def _printed(place: Field, name: str) -> list[str]:
    return (place.folder / f"{name}.out").read_text().splitlines()


def test_whoever_waits_says_for_whom(broker: PlainBroker, tmp_path: Path) -> None:
    with field(tmp_path, broker.url, by_command=True) as place:
        place.start_agent("north")
        _says(place, "north", "s for run lab: no learner has announced it here")
        place.start_learner()
        _says(place, "learner", "that are not connected: south, tower")
        for name in ("south", "tower"):
            place.start_agent(name)
        assert place.wait("learner") == 0
        assert [place.wait(name) for name in NAMES] == [0, 0, 0]
        last = {name: _printed(place, name)[-1] for name in NAMES}
        assert last["tower"] == "the run is over: it has an answer"
        assert "the run goes on without this agent" in last.values()


def test_a_broker_that_does_not_answer_is_named_before_anybody_gives_up(tmp_path: Path) -> None:
    with field(tmp_path, f"mqtt://127.0.0.1:{free_port()}") as place:
        place.start_agent("north")
        place.start_learner()
        for name in ("north", "learner"):
            _says(place, name, "s for the broker at mqtt://127.0.0.1")
            assert place.running[name].poll() is None


@pytest.mark.parametrize(
    ("how", "code", "last"),
    [
        (signal.SIGINT, 3, "the run ended without an answer: the run was interrupted"),
        (None, 3, "the run ended without an answer: the limit on rounds was reached"),
    ],
    ids=["interrupted", "limit"],
)
def test_a_run_without_an_answer_is_told_by_each_agent_s_end(
    how: signal.Signals | None, code: int, last: str, broker: PlainBroker, tmp_path: Path
) -> None:
    with field(tmp_path, broker.url) as place:
        for name in NAMES:
            place.start_agent(name)
        place.start_learner(*(() if how else ("--max-rounds", "2")))
        if how is not None:
            place.wait_for_reports(4)
            place.running["learner"].send_signal(how)
        assert place.wait("learner") == (130 if how else 3)
        assert [place.wait(name) for name in NAMES] == [code] * 3
        assert {_printed(place, name)[-1] for name in NAMES} == {last}
