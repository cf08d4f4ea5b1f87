"""Processes killed with SIGKILL, a broker killed too, a line that is cut: the same answer."""

from pathlib import Path

import pytest
from brokers import CuttableLine, PlainBroker
from e2e.embedded import assert_as_embedded
from e2e.processes import CHALLENGE_PROBLEM, NAMES, PROBLEM, field

pytestmark = pytest.mark.slow

# Whom to kill after how many reports: 16 deaths in three runs.
_DEATHS = [
    [("learner", 0), ("north", 6), ("broker", 15), ("learner", 27), ("tower", 40), ("learner", 60)],
    [("south", 0), ("broker", 3), ("learner", 9), ("tower", 21), ("broker", 33)],
    [("broker", 0), ("tower", 4), ("north", 8), ("learner", 16), ("south", 30)],
]

_OF_A_CHALLENGE = [("south", 0), ("tower", 2), ("learner", 3), ("north", 5), ("broker", 6)]


@pytest.mark.parametrize(
    ("deaths", "problem"),
    [
        *((deaths, PROBLEM) for deaths in _DEATHS),
        (_OF_A_CHALLENGE, CHALLENGE_PROBLEM),
    ],
    ids=["learner", "south", "broker", "challenge"],
)
def test_killed_again_and_again(
    deaths: list[tuple[str, int]], problem: str, broker: PlainBroker, tmp_path: Path
) -> None:
    with field(tmp_path, broker.url, problem) as place:
        for name in NAMES:
            place.start_agent(name)
        place.start_learner()
        for victim, reports in deaths:
            place.wait_for_reports(reports)
            if victim == "broker":
                broker.kill()
                broker.start()
            else:
                place.kill(victim)
                if victim == "learner":
                    place.start_learner()
                else:
                    place.start_agent(victim)
        assert place.wait("learner") == 0, place.said("learner")
        assert [place.wait(name) for name in NAMES] == [0, 0, 0]
        assert place.result()["best_arm_name"] == "tower"
        result = assert_as_embedded(place, problem)
        assert place.result()["samples"] == result.samples  # of arms that gave up too


def test_a_line_that_is_cut_in_both_directions(
    broker: PlainBroker, line: CuttableLine, tmp_path: Path
) -> None:
    with field(tmp_path, broker.url) as place:
        through = f"mqtt://127.0.0.1:{line.port}"
        place.start_agent("north", url=through)
        place.start_agent("south")
        place.start_agent("tower")
        place.start_learner(url=through)
        for reports in (6, 30, 60):
            place.wait_for_reports(reports)
            line.cut()
            line.mend()
        assert place.wait("learner") == 0, place.said("learner")
        assert [place.wait(name) for name in NAMES] == [0, 0, 0]
        assert place.result()["samples"] == assert_as_embedded(place).samples
