"""`bitarm runs`: list, show, replay, export; how runs are named; journals that were changed."""

import csv
import io
import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli.program import COMMAND, PAPER, Command, environment, problem
from loopback import PATIENCE

from bitarm.core.events import ReportAccepted, RunOpened, load_event
from bitarm.store import SqliteJournal
from bitarm.store.event_bodies import write_body


def _alter(store: Path, sequence: int, **changes: Any) -> None:
    """Rewrite one event of run 1 behind the journal's back."""
    with closing(sqlite3.connect(store)) as connection, connection:
        (body,) = connection.execute(
            "SELECT body FROM events WHERE run = 1 AND sequence = ?", (sequence,)
        ).fetchone()
        connection.execute(
            "UPDATE events SET body = ? WHERE run = 1 AND sequence = ?",
            (json.dumps(json.loads(body) | changes, sort_keys=True), sequence),
        )


def _rewrite(store: Path, sequence: int, event: dict[str, Any]) -> None:
    """Put another event in the place of one of run 1, as a journal keeps it."""
    body = write_body(load_event(json.dumps(event)))
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "UPDATE events SET body = ? WHERE run = 1 AND sequence = ?", (body, sequence)
        )


@pytest.fixture
def result(bitarm: Command) -> dict[str, Any]:
    """Run 1 in the journal, decided by the paper's scheme."""
    return bitarm("identify", "--seed", 1, *PAPER, "--json").json


def test_an_empty_journal_lists_nothing_and_says_what_fills_it(
    bitarm: Command, store: Path
) -> None:
    assert bitarm("runs", "list", "--json").json == {"runs": []}
    done = bitarm("runs", "list")
    assert done.code == 0
    assert " ".join(done.out.split()) == f"no runs in {store} yet: bitarm identify makes one"


@pytest.mark.parametrize("command", ["show", "replay", "export"])
def test_an_empty_journal_has_no_last_run(command: str, bitarm: Command) -> None:
    done = bitarm("runs", command, "last")
    assert (done.code, done.out) == (2, "")
    assert done.err == "bitarm: there is no last run: the journal has none yet\n"


@pytest.mark.parametrize("command", ["show", "replay", "export"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("7", "there is no run '7': the journal has 1, the newest is 1"),
        ("0", "there is no run '0': the journal has 1, the newest is 1"),
        ("00000000", "there is no run '00000000': the journal has 1"),
        ("lats", "a run is named by its number, by the 8 hex digits of its fingerprint"),
    ],
)
@pytest.mark.usefixtures("result")
def test_a_run_that_is_not_there_is_refused(
    command: str, name: str, message: str, bitarm: Command
) -> None:
    done = bitarm("runs", command, name)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.usefixtures("result")
def test_a_list_has_the_newest_run_first(bitarm: Command) -> None:
    second = bitarm("identify", "--seed", 2, "--max-rounds", 2, "--json").json
    listed = bitarm("runs", "list", "--json").json["runs"]
    assert [run["run"] for run in listed] == [2, 1]
    assert [run["outcome"] for run in listed] == ["round_limit", "decided"]
    assert [run["best_arm_name"] for run in listed] == [None, "water-tower"]
    assert listed[0]["fingerprint"] == second["fingerprint"]
    assert all(run["arms"] == 8 and run["opened_at"] <= run["ended_at"] for run in listed)


@pytest.mark.usefixtures("result")
@pytest.mark.parametrize(
    ("columns", "titles"),
    [
        (80, "run fingerprint opened (UTC) arms outcome best arm events"),
        (60, "run opened (UTC) outcome best arm"),
        (40, "run outcome best arm"),
    ],
)
def test_a_list_fits_its_screen_and_cuts_no_word(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch, columns: int, titles: str
) -> None:
    bitarm("identify", "--seed", 2, "--max-samples", 100)
    monkeypatch.setenv("COLUMNS", str(columns))
    header, _, *rows = lines = bitarm("runs", "list").out.splitlines()
    assert " ".join(header.split()) == titles
    assert [row.split()[0] for row in rows] == ["2", "1"]
    assert "sample_limit" in rows[0]
    assert "water-tower" in rows[1]
    assert "…" not in "".join(lines)
    assert max(map(len, lines)) <= columns


def test_long_names_leave_a_column_out(bitarm: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("firmware", "budget"):
        bitarm("identify", f"examples/{name}.toml", "--seed", 4)
    monkeypatch.setenv("COLUMNS", "80")
    assert "…" not in bitarm("runs", "list").out


def test_a_run_may_be_named_by_number_fingerprint_or_last(
    bitarm: Command, result: dict[str, Any]
) -> None:
    shown = [
        bitarm("runs", "show", name, "--json").json
        for name in ("1", "last", "LAST", result["fingerprint"], result["fingerprint"].upper())
    ]
    assert all(show == shown[0] for show in shown)
    assert {key: value for key, value in shown[0].items() if key != "opened_at"} == result


def test_two_runs_of_one_fingerprint_are_told_apart_by_number(
    bitarm: Command, result: dict[str, Any]
) -> None:
    bitarm("identify", "--seed", 1, *PAPER)
    done = bitarm("runs", "show", result["fingerprint"])
    assert done.code == 2
    assert "is the fingerprint of 2 runs: say which by number: 1, 2" in done.err


@pytest.mark.usefixtures("result")
def test_a_run_is_shown_with_its_arms_and_its_answer(bitarm: Command) -> None:
    done = bitarm("runs", "show", "last")
    assert (done.code, done.err) == (0, "")
    assert "Round 12   samples 9,188   payload 183 bits" in done.out
    assert "best arm     water-tower (arm 2)" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_run_that_was_cut_off_is_shown_as_such(
    bitarm: Command, journal: SqliteJournal, result: dict[str, Any]
) -> None:
    opened, *events = (entry.event for entry in journal.read(1))
    assert isinstance(opened, RunOpened)
    journal.append(journal.open_run(opened), events[:20])
    done = bitarm("runs", "show", 2)
    assert done.code == 0
    assert "The run has not ended: it is still going on, or it was cut off." in done.out
    assert "best arm" not in done.out
    shown = bitarm("runs", "show", 2, "--json").json
    assert shown["run"] == 2
    assert "best_arm" not in shown
    assert bitarm("runs", "list", "--json").json["runs"][0]["outcome"] is None
    replayed = bitarm("runs", "replay", 2, "--json")
    assert (replayed.code, replayed.json["agrees"]) == (0, True)
    assert result["run"] == 1


@pytest.mark.usefixtures("result")
def test_a_replay_agrees_with_every_decision(bitarm: Command) -> None:
    done = bitarm("runs", "replay", "last")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("run 1: 82 events replayed, every decision agrees\n")
    assert done.out.count("Round ") == 12
    assert bitarm("runs", "replay", 1, "--json").json == {"run": 1, "events": 82, "agrees": True}


_REPORT = 3  # the sequence number of the first report


@pytest.mark.usefixtures("result")
def test_a_replay_on_a_terminal_redraws_one_table(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # so that output counts as a terminal
    done = bitarm("runs", "replay", "last", "--pace", "0")
    assert done.code == 0
    erased = done.out.count("\x1b[2K")
    assert erased > 10  # the lines of the table before
    assert done.out.endswith("every decision agrees\n")
    monkeypatch.delenv("FORCE_COLOR")
    assert "\x1b" not in bitarm("runs", "replay", "last").out


@pytest.mark.parametrize(
    ("sequence", "changes"),
    [
        (_REPORT, {"mean": 0.123}),
        (_REPORT, {"radius": 0.5}),
        (_REPORT, {"symbol": {"nbits": 3, "value": 7}}),
        (_REPORT, {"symbol": {"nbits": 5, "value": 7}}),  # no symbol of this quantizer
        (_REPORT, {"message": 2}),  # not asked for
        (_REPORT, {"arm": 4}),
        (2, {"round": 2}),
        (82, {"best_arm": 1}),
        (82, {"guarantee": 0.001}),
        (82, {"samples": 1}),
        (81, {"name": "caveat_noted", "text": "no"}),
    ],
    ids=str,
)
@pytest.mark.usefixtures("result")
def test_a_replay_detects_a_journal_that_was_changed(
    sequence: int, changes: dict[str, Any], bitarm: Command, store: Path
) -> None:
    event = json.loads(bitarm("runs", "export", 1).out.splitlines()[sequence - 1])["event"]
    if "name" in changes:
        event = {}
    _rewrite(store, sequence, event | changes)
    done = bitarm("runs", "replay", 1, "--json")
    assert (done.code, done.out) == (1, "")
    assert "the journal contradicts itself" in done.err
    assert "Traceback" not in done.err


def _exported(bitarm: Command) -> list[dict[str, Any]]:
    return [json.loads(line)["event"] for line in bitarm("runs", "export", 1).out.splitlines()]


def test_a_replay_of_the_default_agrees_and_sees_a_changed_question_or_loser(
    bitarm: Command, store: Path
) -> None:
    bitarm("identify", "--seed", 1)
    assert bitarm("runs", "replay", 1, "--json").json["agrees"]
    events = _exported(bitarm)
    gave_up = next(i for i, event in enumerate(events, 1) if event.get("beaten_by") is not None)
    changed: list[tuple[int, dict[str, Any]]] = [
        (gave_up, {"beaten_by": events[gave_up - 1]["beaten_by"] + 1}),
        (gave_up, {"beaten_by": None}),
        *_other_questions(events),
    ]
    assert len(changed) == 2 + 3
    for sequence, changes in changed:
        _rewrite(store, sequence, events[sequence - 1] | changes)
        done = bitarm("runs", "replay", 1, "--json")
        assert (done.code, done.out) == (1, "")
        assert "the journal contradicts itself" in done.err
        _rewrite(store, sequence, events[sequence - 1])
    assert bitarm("runs", "replay", 1, "--json").json["agrees"]


def _other_questions(events: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """The first challenges: after more pulls, over other hurdles, and from another rung on."""
    sequence, requests = next(
        (number, event["requests"])
        for number, event in enumerate(events, 1)
        if event["name"] == "round_opened"
        and (event["requests"][0]["question"]["task"] or {}).get("name") == "challenge"
    )
    first, *others = requests
    question = first["question"]
    task = question["task"]
    one, *more = task["hurdles"]
    return [
        (sequence, {"requests": [first | {"question": question | changes}, *others]})
        for changes in (
            {"until": question["until"] + 1},
            {"task": task | {"hurdles": [one + 1, *more]}},
            {"task": task | {"first": task["first"] + 1}},
        )
    ]


@pytest.mark.parametrize("command", ["show", "replay", "export"])
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE events SET body = '{' WHERE sequence = 5", "entry 5 is no event"),
        ("UPDATE events SET body = '{}' WHERE sequence = 5", "entry 5 is no event"),
        ("DELETE FROM events WHERE sequence = 5", "lacks entry 5"),
    ],
)
@pytest.mark.usefixtures("result")
def test_a_journal_with_a_damaged_entry_says_which(
    command: str, statement: str, message: str, bitarm: Command, store: Path
) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(statement)
    done = bitarm("runs", command, 1)
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("result")
def test_a_report_of_an_arm_that_is_not_there_is_the_journals_fault(
    bitarm: Command, store: Path
) -> None:
    _alter(store, _REPORT, arm=400)
    for command in ("show", "replay"):
        done = bitarm("runs", command, 1)
        assert done.code == 1
        assert "Traceback" not in done.err
        assert "the journal speaks of arm 400, the run has 8" in done.err


@pytest.mark.usefixtures("result")
def test_an_export_in_json_lines_reads_back_as_the_same_events(
    bitarm: Command, journal: SqliteJournal
) -> None:
    kept = list(journal.read(1))
    lines = [json.loads(line) for line in bitarm("runs", "export", 1).out.splitlines()]
    assert [line["sequence"] for line in lines] == list(range(1, len(kept) + 1))
    assert [line["at"] for line in lines] == [entry.at for entry in kept]
    assert [load_event(json.dumps(line["event"])) for line in lines] == [
        entry.event for entry in kept
    ]


@pytest.mark.usefixtures("result")
def test_an_export_in_csv_is_a_table_of_the_reports(
    bitarm: Command, journal: SqliteJournal
) -> None:
    kept = [entry for entry in journal.read(1) if isinstance(entry.event, ReportAccepted)]
    done = bitarm("runs", "export", 1, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [int(row["sequence"]) for row in rows] == [entry.sequence for entry in kept]
    told = bitarm("runs", "show", 1, "--json").json
    assert [int(row["arm"]) for row in rows] == [
        entry.event.arm for entry in kept if isinstance(entry.event, ReportAccepted)
    ]
    assert {row["name"] for row in rows} == {arm["name"] for arm in told["arms"]}
    assert sum(int(row["payload_bits"]) for row in rows) == told["payload_bits"]
    assert int(rows[-1]["total_payload_bits"]) == told["payload_bits"]
    assert None not in rows[0]  # no line has more cells than the header


def test_a_format_that_does_not_exist_is_refused(bitarm: Command) -> None:
    done = bitarm("runs", "export", "last", "--format", "xml")
    assert done.code == 2
    assert "xml" in done.err
    assert "jsonl" in done.err
    assert "Traceback" not in done.err


def test_a_store_of_ones_own_is_used_and_the_default_left_alone(
    bitarm: Command, store: Path, tmp_path: Path
) -> None:
    own = tmp_path / "deep" / "er" / "own.sqlite"
    assert bitarm("identify", "--seed", 1, "--store", own).code == 0
    assert len(bitarm("runs", "list", "--store", own, "--json").json["runs"]) == 1
    assert bitarm("runs", "show", "last", "--store", own).code == 0
    assert not store.exists()


@pytest.mark.usefixtures("result")
def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "runs", "export", "last"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as `head` does when it has seen enough
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE) == 0


def test_names_with_markup_are_shown_as_they_are(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem().replace('"high"', '"[red]x[/red]"'), encoding="utf-8")
    done = bitarm("identify", file, "--seed", 1)
    assert "[red]x[/red] (arm 1)" in done.out
    assert "[red]x[/red]" in bitarm("runs", "list").out
    assert bitarm("runs", "show", "last").out.count("[red]x[/red]") == 2


def test_names_that_would_write_on_the_terminal_are_made_harmless(
    bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "problem.toml"
    name = r'"\u001b]0;owned\u0007x"'
    file.write_text(problem().replace('"high"', name), encoding="utf-8")
    said = [bitarm("identify", file, "--seed", 1), bitarm("runs", "list")]
    said += [bitarm("runs", "show", "last"), bitarm("runs", "replay", "last")]
    for done in said:
        assert done.code == 0
        assert "?]0;owned?x" in done.out or "replayed" in done.out
        assert not {"\x1b", "\x07"} & set(done.out + done.err)


def test_the_last_table_of_a_replay_knows_what_arms_that_gave_up_pulled(bitarm: Command) -> None:
    made = bitarm("identify", "--seed", 1, "--json").json
    last = bitarm("runs", "replay", "last").out.split("Round ")[-1]
    assert f"samples {made['samples']:,} " in last
    assert "≤" not in last
