"""`bitarm reproduce`: what it writes, what it prints, what it refuses, how it stops and goes on."""

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli.program import COMMAND, Command, chunks, environment
from loopback import PATIENCE

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_OWN = """
SWEEP = {
    "title": "Mine",
    "x": {"label": "B", "values": [1, 2]},
    "trials": 20,
    "arms": {"model": "bernoulli", "means": [0.9, 0.1]},
    "settings": {"bounds": (0, 1), "quantizer": "icq", "bits": "x"},
    "series": {"mine": {}},
}
"""


def test_an_experiment_becomes_numbers_pictures_and_a_report(
    bitarm: Command, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = bitarm("reproduce", "gaussian", "--trials", "50", "--out", out, "--workers", "1")
    assert done.code == 0
    assert f"report: {out / 'report.html'}" in done.out
    names = {path.name for path in out.iterdir()}
    panels = {f"gaussian-{metric}" for metric in ("rounds", "samples", "payload_bits")}
    assert names == {
        "report.html",
        "results.csv",
        "reproduction.json",
        *(f"{panel}.{ending}" for panel in panels for ending in ("png", "svg")),
    }
    rows = list(csv.DictReader((out / "results.csv").read_text().splitlines()))
    assert len(rows) == 3 * 5 * 10
    compared = [row for row in rows if row["paper_mean"]]
    assert len(compared) == 10 * (5 + 5 + 4)
    for row in compared:
        ratio = float(row["mean"]) / float(row["paper_mean"])
        assert float(row["relative_deviation"]) == pytest.approx(ratio - 1)
        assert row["trials"] == "50"


def test_json_is_one_object(bitarm: Command, tmp_path: Path) -> None:
    words = ("reproduce", "hardness", "--trials", "20", "--out", tmp_path / "out", "--workers", "1")
    done = bitarm(*words, "--json")
    (only,) = done.json["experiments"]
    assert only["experiment"] == "hardness"
    assert {one["metric"] for one in only["deviations"]} == {"rounds", "samples", "payload_bits"}
    assert all(claim.keys() == {"claim", "holds", "failures"} for claim in only["claims"])


def test_other_strategies_stand_beside_ours_with_their_source(
    bitarm: Command, tmp_path: Path
) -> None:
    words = ("reproduce", "peers", "--trials", "12", "--workers", "1", "--out", tmp_path / "out")
    shown = " ".join(bitarm(*words).out.split())
    for part in ("Track-and-Stop", "4,052", "them", "Garivier and Kaufmann 2016, Table 1", "us"):
        assert part in shown
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Beside others" in page
    assert "KL-Racing" in page
    (only,) = bitarm(*words, "--json").json["experiments"]
    by_name = {row["strategy"]: row["figures"] for row in only["peers"]}
    assert by_name["KL-LUCB"][1] == {"samples": 2716.0, "sem": None, "bits": None, "wrong": None}
    assert by_name["challenge (all gains)"][0]["bits"] < 100
    assert "KL-LUCB" not in (tmp_path / "out" / "results.csv").read_text()


@pytest.mark.parametrize("name", ["peers", "hardness"])
def test_figures_are_whole_on_a_narrow_screen(
    name: str, bitarm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = ("--trials", "12", "--workers", "1", "--out", tmp_path / "out")
    done = bitarm("reproduce", name, *out)
    assert done.code == 0, done.err
    table = done.out[: done.out.index("report:")]
    assert max(map(len, table.splitlines())) == 40  # so the screen was narrow
    assert "…" not in table
    assert " 4,052 " in table or " bits\n" in table


def test_the_same_command_writes_the_same_bytes_and_runs_nothing_again(
    bitarm: Command, tmp_path: Path
) -> None:
    words = ("reproduce", "gaussian", "--trials", "30", "--workers", "1", "--json", "--out")
    first, again = bitarm(*words, tmp_path / "a"), bitarm(*words, tmp_path / "b")
    assert first.json["seconds"] > 0
    assert again.json["seconds"] == 0
    same = {path.name for path in (tmp_path / "a").iterdir()} - {"report.html"}  # tells the time
    for name in same:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_file_of_ones_own_is_run(bitarm: Command, tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(_OWN)
    done = bitarm("reproduce", own, "--out", tmp_path / "out", "--workers", "1")
    assert done.code == 0
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").read_text().splitlines()))
    assert {(row["experiment"], row["series"]) for row in rows} == {("mine", "mine")}
    assert {row["paper_mean"] for row in rows} == {""}


def test_a_random_instance_is_not_the_papers(bitarm: Command, tmp_path: Path) -> None:
    words = ("reproduce", "gaussian", "--trials", "5", "--instance", "random", "--seed", "8")
    done = bitarm(*words, "--out", tmp_path / "out", "--workers", "1", "--json")
    (only,) = done.json["experiments"]
    assert only["deviations"] == []
    assert "with seed 8" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["hardnes"], "bounded, gaussian, hardness, alpha, bits"),
        (["hardness", "--trials", "0"], "trials must be at least 1, got 0"),
        (["hardness", "--trials", "-5"], "trials must be at least 1, got -5"),
        (["hardness", "--seed", "-1"], "seed must be 0 or more, got -1"),
        (["hardness", "--instance", "randm"], "--instance must be one of fitted, random"),
        (["hardness", "--out", "/dev/null/x"], "cannot be made"),
        (["hardness", "--workers", "-1"], "workers must be at least 1"),
    ],
)
def test_what_cannot_be_run_is_refused(
    bitarm: Command, tmp_path: Path, words: list[str], told: str
) -> None:
    out = [] if "--out" in words else ["--out", str(tmp_path / "out")]
    done = bitarm("reproduce", *words, *out)
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "out" / "results.csv").exists()


def test_a_sweep_with_an_unknown_key_is_refused(bitarm: Command, tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(_OWN.replace('"series"', '"serie"'))
    done = bitarm("reproduce", own, "--out", tmp_path / "out")
    assert done.code == 2
    assert "mine.py: a key of SWEEP must be one of" in done.err


def test_results_of_another_version_are_not_overwritten(bitarm: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("reproduce", "gaussian", "--trials", "5", "--workers", "1", "--out", out)
    assert bitarm(*words).code == 0
    mark = json.loads((out / "reproduction.json").read_text())
    (out / "reproduction.json").write_text(json.dumps(mark | {"version": "0.0.1"}))
    before = (out / "report.html").read_bytes()
    done = bitarm(*words)
    assert done.code == 2
    assert "holds results with version 0.0.1" in done.err
    assert (out / "report.html").read_bytes() == before
    assert bitarm(*words, "--overwrite").code == 0


def test_interrupted_it_goes_on_where_it_stopped(cache: Path, tmp_path: Path) -> None:
    words = ["reproduce", "bounded", "--trials", "4000", "--workers", "1", "--json"]
    env = environment(tmp_path, XDG_CACHE_HOME=str(cache))
    process = subprocess.Popen(
        [*COMMAND, *words, "--out", str(tmp_path / "out")],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE
    while not chunks(cache):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "the same command goes on from here" in err
    kept = len(chunks(cache))
    assert 0 < kept < 8
    done = subprocess.run(
        [*COMMAND, *words, "--out", str(tmp_path / "out")],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert json.loads(done.stdout)["seconds"] > 0
    assert len(chunks(cache)) == 8
    assert os.path.getsize(tmp_path / "out" / "report.html") > 100_000
