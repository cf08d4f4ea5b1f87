"""A short run of the whole system over any broker: an agent is killed, and comes back."""

from pathlib import Path

from e2e.embedded import assert_as_embedded
from e2e.processes import CHALLENGE_PROBLEM, NAMES, RUN, Field, field
from loopback import eventually

from bitarm.core.events import AgentJoined


def assert_a_short_run(folder: Path, port: int) -> dict[str, object]:
    """Learner and three agents end as one process would; returns what the learner printed.

    Two agents are there first, so that what they said before the learner came must reach it.
    """
    with field(folder, f"mqtt://127.0.0.1:{port}", CHALLENGE_PROBLEM) as place:
        for name in NAMES[:2]:
            place.start_agent(name)
        place.start_learner()
        eventually(lambda: _joined(place) == 2, f"two agents: {place.said('learner')}")
        _assert_that_a_second_learner_is_refused(place)
        place.start_agent(NAMES[2])
        place.wait_for_reports(2)
        place.kill("south")
        place.start_agent("south")
        assert place.wait("learner") == 0, place.said("learner")
        assert [place.wait(name) for name in NAMES] == [0, 0, 0]
        assert place.result()["best_arm_name"] == "tower"
        assert_as_embedded(place, CHALLENGE_PROBLEM)
        return place.result()


def _joined(place: Field) -> int:
    return len({event.agent for event in place.events() if isinstance(event, AgentJoined)})


def _assert_that_a_second_learner_is_refused(place: Field) -> None:
    store = str(place.folder / "second.sqlite")
    place.start("second", "learner", str(place.problem), "--run", RUN, "--store", store)
    assert place.wait("second") == 4, place.said("second")
    assert "has a learner already" in place.said("second")
