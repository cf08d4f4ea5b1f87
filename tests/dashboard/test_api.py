"""The API says what the journal says."""

import json
from pathlib import Path
from typing import Any

import pytest
from dashboard.conftest import client_of
from dashboard.stores import PAPER, SlowRun, identify_into, standings_in
from starlette.testclient import TestClient

from bitarm import wire
from bitarm.core.messages import Message, Position, Report, Request
from bitarm.core.plain import to_plain
from bitarm.core.result import result_of


def _run(client: TestClient, run: int) -> dict[str, Any]:
    response = client.get(f"/api/v1/runs/{run}")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def _frames(client: TestClient, sequence: int) -> list[dict[str, Any]]:
    found = client.get(f"/api/v1/runs/1/events/{sequence}/frames").json()
    frames: list[dict[str, Any]] = found["frames"]
    return frames


def _message(frame: dict[str, Any]) -> Message:
    (message,) = wire.decode(bytes.fromhex(frame["hex"]))
    return message


def _folded(columns: dict[str, list[Any]], *wanted: str) -> list[tuple[Any, ...]]:
    return list(zip(*(columns[name] for name in wanted), strict=True))


def test_runs_are_listed_newest_first_with_their_price(
    client: TestClient, decided_store: Path
) -> None:
    found = client.get("/api/v1/runs").json()
    assert (found["total"], [row["run"] for row in found["runs"]]) == (3, [3, 2, 1])
    cut_off, limited, decided = found["runs"]
    result = result_of(standings_in(decided_store, 1))
    for name in ("best_arm", "best_arm_name", "guarantee", "rounds", "samples", "payload_bits"):
        assert decided[name] == getattr(result, name), name
    assert decided["raw_bits"] == 8 * result.raw_bytes
    assert (decided["state"], decided["outcome"]) == ("ended", "decided")
    assert (limited["outcome"], limited["best_arm_name"]) == ("round_limit", None)
    standings = standings_in(decided_store, 3)
    assert (cut_off["state"], cut_off["rounds"]) == ("open", standings.round)
    assert cut_off["contenders"] == sum(arm.active for arm in standings.arms)
    assert cut_off["leader"] == "north"


def test_older_runs_come_with_before(client: TestClient) -> None:
    found = client.get("/api/v1/runs", params={"before": 3, "limit": 1}).json()
    assert [row["run"] for row in found["runs"]] == [2]


@pytest.mark.parametrize("run", [1, 2, 3])
def test_a_run_as_columns_is_the_journal(client: TestClient, decided_store: Path, run: int) -> None:
    found, standings = _run(client, run), standings_in(decided_store, run)
    reports = found["timeline"]["reports"]
    for number, arm in enumerate(standings.arms):
        own = [
            row
            for row in _folded(reports, "arm", "mean", "radius", "pulls", "nbits")
            if row[0] == number
        ]
        assert own[-1][1:4] == (arm.mean, arm.radius, arm.pulls)
        assert sum(row[4] for row in own) == arm.payload_bits
    drops = _folded(found["timeline"]["drops"], "arm", "round", "because")
    assert drops == [
        (number, arm.dropped_in, arm.dropped_for)
        for number, _, _ in drops
        if (arm := standings.arms[number])
    ]
    assert len(drops) == sum(not arm.active for arm in standings.arms)
    everything = [
        sequence for table in found["timeline"].values() for sequence in table["sequence"]
    ]
    assert sorted(everything) == list(range(1, found["row"]["entries"] + 1))
    if standings.ending:
        result = found["result"]
        assert {**result.pop("words"), **result} == result_of(standings).to_json()


def test_an_end_bin_is_marked(client: TestClient, decided_store: Path) -> None:
    reports = _run(client, 1)["timeline"]["reports"]
    events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
    symbols = {
        event["sequence"]: event["event"]["symbol"]["value"]
        for event in events
        if event["name"] == "report_accepted"
    }
    assert {sequence: value in (0, 7) for sequence, value in symbols.items()} == dict(
        _folded(reports, "sequence", "outermost")
    )
    assert set(_run(client, 2)["timeline"]["reports"]["outermost"]) == {None}


def test_events_are_told_in_words(client: TestClient) -> None:
    events = client.get("/api/v1/runs/1/events", params={"after": 1, "limit": 2}).json()["events"]
    assert [event["sequence"] for event in events] == [2, 3]
    assert events[0]["text"] == "round 1 opened: 4 arms asked to advance"
    assert events[1]["text"].startswith("north reported ")
    last = client.get("/api/v1/runs/2/events", params={"limit": 500}).json()["events"][-2]
    assert last["text"] == "ended without an answer: round limit"


def test_the_frame_of_a_report_is_the_frame_that_was_sent(client: TestClient) -> None:
    event = client.get("/api/v1/runs/1/events", params={"after": 2, "limit": 1}).json()["events"][0]
    (frame,) = client.get("/api/v1/runs/1/events/3/frames").json()["frames"]
    (report,) = wire.decode(bytes.fromhex(frame["hex"]))
    assert isinstance(report, Report)
    assert (report.arm, report.message) == (event["event"]["arm"], event["event"]["message"])
    assert report.symbol.value == event["event"]["symbol"]["value"]
    bits = "".join(field["bits"] for field in frame["fields"])
    assert int(bits, 2).to_bytes(frame["wire_bytes"]) == bytes.fromhex(frame["hex"])


def test_rounds_drops_and_endings_have_frames_too(client: TestClient) -> None:
    events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
    for event in events:
        found = client.get(
            f"/api/v1/runs/1/events/{event['sequence']}/frames", params={"limit": 100}
        ).json()
        assert found["total"] == event["messages"] == len(found["frames"])
    kinds = {
        event["name"]: client.get(f"/api/v1/runs/1/events/{event['sequence']}/frames").json()
        for event in events
    }
    second = kinds["round_opened"]["frames"][0]
    assert second["message"] == "request"
    assert kinds["arm_dropped"]["frames"][0]["message"] == "dismiss"
    assert [frame["arm"] for frame in kinds["run_ended"]["frames"]] == [0]


def test_a_run_of_the_default_scheme_tells_who_gave_up(judged_store: Path) -> None:
    standings = standings_in(judged_store, 1)
    with client_of(judged_store) as client:
        found = _run(client, 1)
        events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
    settings = found["settings"]
    assert (settings["quantizer"], settings["policy"]) == ("dyadic", "challenge")
    reports = found["timeline"]["reports"]
    rows = _folded(reports, "arm", "mean", "radius", "beaten_by")
    last = {arm: tuple(row) for arm, *row in rows}
    assert {arm: row[:2] for arm, row in last.items()} == {
        number: (arm.mean, arm.radius) for number, arm in enumerate(standings.arms)
    }
    beaten = {number: by for number, (_, _, by) in last.items() if by is not None}
    assert beaten
    for number, by in beaten.items():
        told = [row[1:3] for row in rows if row[0] == number]
        assert told[-1] == told[-2]  # mean and radius are those that it told before
        name = standings.arms[number].name
        (said,) = (event["text"] for event in events if event["text"].startswith(f"{name} gave up"))
        assert said.endswith(f"{standings.arms[by].name} is better")
    assert set(reports["outermost"]) == {None}


def test_the_frame_of_a_request_says_what_the_question_is(judged_store: Path) -> None:
    asked: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    with client_of(judged_store) as client:
        events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
        for event in events:
            for request in event["event"].get("requests", ()):
                path = f"/api/v1/runs/1/events/{event['sequence']}/frames"
                found = client.get(path, params={"arm": request["arm"]}).json()
                task = (request["question"]["task"] or {"name": "none"})["name"]
                asked[task] = (request, *found["frames"])
    assert {"none", "pilot", "edge", "challenge"} == set(asked)
    for task, (request, frame) in asked.items():
        (message,) = wire.decode(bytes.fromhex(frame["hex"]))
        assert isinstance(message, Request)
        assert to_plain(message) == request
        question, told = request["question"], {field["name"]: field for field in frame["fields"]}
        assert told["until"]["meaning"] == f"pull until {question['until']} pulls in all"
        form = "nearest" if task == "none" else task
        assert told["question"]["meaning"] == f"tell the mean, in the form {form}"


def test_a_learner_that_goes_on_asks_again_under_new_numbers(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    slow = SlowRun(path, **PAPER)
    for _ in range(3):
        slow.play_round()
    slow.go_on(2)
    slow.play_round()
    with client_of(path) as client:
        events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
        began = next(event for event in events if event["name"] == "epoch_began")
        assert began["text"] == "a learner went on with the run, epoch 2"
        frames = _frames(client, began["sequence"])
        assert len(frames) == began["messages"] == 4
        again = [_message(frame) for frame in frames]
        (before,) = (
            event
            for event in events
            if event["event"].get("round") == 4 and "requests" in event["event"]
        )
        assert [request.arm for request in again] == [0, 1, 2, 3]
        for request, first in zip(again, before["event"]["requests"], strict=True):
            assert isinstance(request, Request)
            assert to_plain(request.question) == first["question"]
            assert (request.message, first["message"]) == (1, 4)
            assert (request.run & 0xFF, first["run"] & 0xFF) == (2, 1)
        report = next(
            event
            for event in events
            if event["sequence"] > began["sequence"] and "symbol" in event["event"]
        )
        answer = _message(*_frames(client, report["sequence"]))
        assert isinstance(answer, Report)
        assert (answer.message, answer.run, report["event"]["message"]) == (1, again[0].run, 4)
    slow.close()


def test_an_agent_that_is_ahead_answers_with_its_position(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    slow = SlowRun(path, **PAPER)
    for _ in range(3):
        slow.play_round()
    slow.go_on(2, ahead=100)  # they were asked for 16
    slow.play_round()
    with client_of(path) as client:
        events = client.get("/api/v1/runs/1/events", params={"limit": 500}).json()["events"]
        told = next(event for event in events if event["name"] == "position_told")
        assert told["text"].startswith("north has made 100 pulls, more than it was asked for")
        (frame,) = _frames(client, told["sequence"])
        assert (frame["message"], frame["payload_bits"]) == ("position", 0)
        position = _message(frame)
        assert isinstance(position, Position)
        assert (position.arm, position.message, position.pulls) == (0, 1, 100)
        notes = _run(client, 1)["timeline"]["notes"]
        assert ("position_told", [0], 4) in _folded(notes, "name", "arms", "round")
    slow.close()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/v1/runs/99", 404, "there is no run 99"),
        ("/api/v1/runs/99/events", 404, "there is no run 99"),
        ("/api/v1/runs/1/events/9999/frames", 404, "no entry 9999"),
        ("/api/v1/runs/x", 422, "run: "),
        ("/api/v1/runs?limit=0", 422, "limit: "),
        ("/api/v1/explain?mu_hat=2", 422, "must lie in [0, 1]"),
        ("/api/v1/explain?growth=90&index=24", 422, "rounds, round 24 was asked for"),
        ("/api/v1/nothing", 404, "Not Found"),
    ],
)
def test_what_cannot_be_answered_says_why(
    client: TestClient, path: str, status: int, words: str
) -> None:
    response = client.get(path)
    assert (response.status_code, list(response.json())) == (status, ["error"])
    assert words in response.json()["error"]


def test_pages_hold_structure_and_no_data(client: TestClient) -> None:
    for path in ("/", "/runs/1", "/compare", "/explain"):
        page = client.get(path)
        assert page.status_code == 200
        assert "north" not in page.text
    assert client.get("/elsewhere").status_code == 404


@pytest.mark.slow
def test_ten_thousand_events_are_few_bytes(tmp_path: Path) -> None:
    path = tmp_path / "big.sqlite"
    means = {f"arm-{number}": 0.5 for number in range(1000)}
    identify_into(path, seed=1, means=means, max_rounds=10, **PAPER)
    with client_of(path) as client:
        answer = client.get("/api/v1/runs/1")
    entries = answer.json()["row"]["entries"]
    assert entries > 10_000
    assert len(answer.content) < 140 * entries


def test_the_document_names_every_field(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    row = document["components"]["schemas"]["RunRow"]["properties"]
    assert {"best_arm", "outcome", "guarantee", "rounds", "samples", "payload_bits"} <= set(row)
    assert "/api/v1/runs/{run}/stream" in document["paths"]
    assert "https://" not in json.dumps(document)
