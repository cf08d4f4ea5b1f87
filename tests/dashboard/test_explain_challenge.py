"""A round of challenges is explained by what the journal holds of it, and by nothing else."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dashboard.conftest import client_of
from dashboard.stores import PAPER, identify_into
from fastapi.testclient import TestClient

from bitarm.core.events import LearnerEvent, PullsCounted, ReportAccepted, RoundOpened, RunEnded
from bitarm.core.evidence.tasks import Challenge, hurdle
from bitarm.dashboard.explain_challenge import example, explain_challenge
from bitarm.dashboard.library import UnknownEntryError
from bitarm.store import SqliteJournal

JUDGED: dict[str, Any] = {"policy": "challenge", "quantizer": "dyadic", "width": "bounded"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judged") / "runs.sqlite"
    identify_into(path, seed=1, **JUDGED)
    identify_into(path, seed=1, **PAPER)
    return path


@pytest.fixture
def events(store: Path) -> list[LearnerEvent]:
    with closing(SqliteJournal.open_read_only(store)) as journal:
        return [entry.event for entry in journal.read(1)]


@pytest.fixture
def client(store: Path) -> Iterator[TestClient]:
    with client_of(store) as client:
        yield client


def _asked(events: list[LearnerEvent], round: int) -> dict[int, Challenge]:
    return {
        request.arm: request.question.task
        for event in events
        if isinstance(event, RoundOpened) and event.round == round
        for request in event.requests
        if isinstance(request.question.task, Challenge)
    }


def test_every_round_of_challenges_is_told_as_it_was_asked_and_answered(
    events: list[LearnerEvent],
) -> None:
    answers = {(e.round, e.arm): e for e in events if isinstance(e, ReportAccepted)}
    (counted,) = [e for e in events if isinstance(e, PullsCounted)]
    rounds = explain_challenge(events, run=1, round=None).rounds
    for round in rounds:
        explained = explain_challenge(events, run=1, round=round)
        asked = _asked(events, round)
        assert [arm.arm for arm in explained.challenged] == list(asked)
        for arm in explained.challenged:
            answer = answers[round, arm.arm]
            assert arm.symbol == str(answer.symbol)
            assert arm.gave_up == (answer.beaten_by == explained.leader.arm)
            assert arm.pulls == (counted.counts[arm.arm] if arm.gave_up else arm.until)
            assert (arm.mean is None) == arm.gave_up
            task = asked[arm.arm]
            assert task.edge == explained.leader.edge
            assert [line.hurdle for line in explained.lines] == [hurdle(b) for b in task.hurdles]
            assert arm.until == explained.leader.pulls


def test_the_first_round_in_which_an_arm_gave_up_is_shown_unless_another_is_asked_for(
    events: list[LearnerEvent],
) -> None:
    first = next(e for e in events if isinstance(e, ReportAccepted) and e.beaten_by is not None)
    assert explain_challenge(events, run=1, round=None).round == first.round


def test_the_example_is_the_same_every_time_and_has_both_answers() -> None:
    explained = explain_challenge(example(), run=None, round=None)
    assert explained == explain_challenge(example(), run=None, round=None)
    assert {arm.gave_up for arm in explained.challenged} == {True, False}
    (ending,) = [event for event in example() if isinstance(event, RunEnded)]
    assert ending.best_arm == explained.leader.arm


def test_a_round_without_challenges_is_refused_with_those_that_have_some(
    events: list[LearnerEvent],
) -> None:
    with pytest.raises(UnknownEntryError, match=r"round 1 has no challenge; these have: \["):
        explain_challenge(events, run=1, round=1)


def test_over_the_api_a_run_of_another_policy_is_refused(client: TestClient) -> None:
    assert client.get("/api/v1/explain/challenge").json()["run"] is None
    assert client.get("/api/v1/explain/challenge?run=1").json()["run"] == 1
    refused = client.get("/api/v1/explain/challenge?run=2")
    assert refused.status_code == 404
    assert "no arm of this run was challenged" in refused.json()["error"]


def test_rows_views_and_results_agree_on_the_samples(client: TestClient) -> None:
    (row,) = [row for row in client.get("/api/v1/runs").json()["runs"] if row["run"] == 1]
    view = client.get("/api/v1/runs/1").json()
    assert row["samples"] == view["row"]["samples"] == view["result"]["samples"]
    assert view["result"]["samples"] == sum(arm["pulls"] for arm in view["result"]["arms"])
    assert not row["samples_at_most"]
    assert any(arm is not None for arm in view["timeline"]["reports"]["beaten_by"])
    assert "sigma" not in view["settings"]  # nothing relies on it
