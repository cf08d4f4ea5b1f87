"""Two learners of one run, as processes on one journal: one goes on, the other stops and says why.

Whoever wins, the run is the one of its seed in one process, to the last bit.
"""

import json
import signal
import time
from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.embedded import assert_as_embedded
from e2e.forks import halt
from e2e.processes import CHALLENGE_PROBLEM, NAMES, PROBLEM, Field, field
from loopback import eventually

pytestmark = pytest.mark.slow

_REASONS = (
    "another learner has taken over",  # it heard its successor
    "has a learner already",  # it looked around before it spoke
    "another process wrote to the",  # it tried to write first
)


def _resume(place: Field, name: str) -> None:
    words = ("learner", "--store", str(place.store), "--json", "--log-level", "info")
    place.start(name, *words, "--resume", "last")


def _assert_one_stopped(place: Field, names: tuple[str, str], problem: str) -> None:
    codes = {name: place.wait(name) for name in names}
    winner, *others = [name for name, code in codes.items() if code == 0]
    for late in others:  # it came when the run was over, and shows the same answer
        said = [json.loads((place.folder / f"{name}.out").read_text()) for name in (winner, late)]
        assert said[0]["best_arm"] == said[1]["best_arm"]
        assert said[0]["samples"] == said[1]["samples"]
    for loser in codes.keys() - {winner, *others}:
        assert codes[loser] in (1, 4), place.said(loser)
        last = place.said(loser).splitlines()[-1]
        assert any(reason in last for reason in _REASONS), last
    assert [place.wait(name) for name in NAMES] == [0, 0, 0]
    (place.folder / f"{winner}.out").rename(place.folder / "learner.out")
    assert_as_embedded(place, problem)


@pytest.mark.parametrize("problem", [PROBLEM, CHALLENGE_PROBLEM], ids=["paper", "challenge"])
def test_two_operators_resume_at_once(problem: str, broker: PlainBroker, tmp_path: Path) -> None:
    with field(tmp_path, broker.url, problem) as place:
        place.start_agent("north")
        place.start_learner()
        eventually(place.events, "a run")
        place.kill("learner")
        (tmp_path / "learner.out").unlink()
        for name in ("one", "other"):
            _resume(place, name)
        for name in NAMES[1:]:
            place.start_agent(name)
        _assert_one_stopped(place, ("one", "other"), problem)


@pytest.mark.parametrize("asleep", [1.0, 3.5, 6.0], ids=["before", "while", "after"])
def test_a_learner_thaws_before_while_and_after_its_successor_speaks(
    asleep: float, broker: PlainBroker, tmp_path: Path
) -> None:
    with field(tmp_path, broker.url) as place:
        for name in NAMES:
            place.start_agent(name)
        place.start_learner()
        place.wait_for_reports(12)
        old = place.running["paused"] = place.running.pop("learner")
        (tmp_path / "learner.err").rename(tmp_path / "paused.err")
        (tmp_path / "learner.out").rename(tmp_path / "paused.out")
        halt(old)
        _resume(place, "successor")
        time.sleep(asleep)
        old.send_signal(signal.SIGCONT)
        _assert_one_stopped(place, ("paused", "successor"), PROBLEM)
