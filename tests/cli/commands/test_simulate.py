"""`bitarm simulate`: what it prints, what it refuses, and how it stops and goes on."""

import csv
import errno
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli.program import ARMS, COMMAND, Command, callables, environment, problem

from bitarm.api.simulate import simulate
from bitarm.sim import execute
from bitarm.sim.models import Bernoulli
from bitarm.sim.sweep import ChunkResult, Sweep

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_PATIENCE = 60.0
_ARMS = ("simulate", "--arms", "bernoulli:0.7,0.4")
_COINS = (*_ARMS, "--seed", "1", "--trials", "50")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty; the processes of these tests inherit it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def _chunks(cache: Path) -> list[Path]:
    return sorted((cache / "bitarm" / "chunks").rglob("*.json"))


# What is printed.


def test_json_is_one_object_and_says_what_the_library_says(apart: Command) -> None:
    done = apart(*_COINS, "--delta", "0.1,0.05", "--json")
    coins = (Bernoulli(mean=0.7), Bernoulli(mean=0.4))
    expected = simulate(coins, trials=50, seed=1, delta=[0.1, 0.05]).to_json()
    assert done.code == 0
    assert done.out == json.dumps(expected) + "\n"
    assert done.err == ""  # in a pipe there is no progress


def test_without_a_seed_one_is_chosen_told_and_good_for_repeating(bitarm: Command) -> None:
    first = bitarm(*_ARMS, "--trials", "50", "--json")
    again = bitarm(*_ARMS, "--trials", "50", "--json", "--seed", first.json["seed"])
    assert again.out == first.out
    assert bitarm(*_ARMS, "--trials", "50", "--json").json["seed"] != first.json["seed"]


def test_csv_has_a_row_for_each_setting_and_the_names_of_the_json(bitarm: Command) -> None:
    words = (*_COINS, "--quantizer", "exact,icq", "--bits", "2,3", "--max-rounds", "9")
    points = bitarm(*words, "--json").json["results"]
    rows = list(csv.DictReader(io.StringIO(bitarm(*words, "--csv").out)))
    assert len(rows) == len(points) == 3
    for row, point in zip(rows, points, strict=True):
        assert None not in row
        assert None not in row.values()
        assert row["quantizer"] == point["quantizer"]
        assert row["bits"] == str(point.get("bits", ""))
        assert float(row["delta"]) == point["delta"]
        assert float(row["samples_mean"]) == point["samples"]["mean"]
        assert float(row["samples_sem"]) == point["samples"]["sem"]
        assert float(row["error_rate_high"]) == point["error_rate"]["high"]
        assert row["guarantee_reason"] == point["guarantee_reason"]
        counts = {outcome: row[f"outcomes_{outcome}"] for outcome in point["outcomes"]}
        assert counts == {name: str(count) for name, count in point["outcomes"].items()}


_TYPICAL = (
    ("--delta", "0.1,0.01,0.001"),
    ("--quantizer", "exact,icq,quban", "--bits", "1,2,3,4"),
    ("--quantizer", "exact,icq,quban", "--delta", "0.1,0.01", "--growth", "2,4"),
    ("--policy", "se,lucb,lil-ucb", "--quantizer", "exact,icq"),
    ("--quantizer", "exact,icq", "--max-rounds", "9"),
)


@pytest.mark.parametrize("words", _TYPICAL, ids=" ".join)
def test_a_table_fits_80_columns_and_loses_no_number(
    bitarm: Command, words: tuple[str, ...]
) -> None:
    hard = ("simulate", "--arms", "bernoulli:0.52,0.5", "--seed", "1", "--trials", "50", *words)
    points = bitarm(*hard, "--json").json["results"]
    done = bitarm(*hard)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "…" not in done.out
    assert len(re.findall(r"\[\S+, \S+\]", done.out)) == len(points)
    for title in ("setting", "rounds", "samples", "bits", "error rate"):
        assert title in done.out
    assert "50 trials, seed 1" in done.out


def test_a_table_tells_its_settings_apart(bitarm: Command) -> None:
    words = ("--quantizer", "exact,icq", "--bits", "2,3", "--delta", "0.1,0.01")
    lines = bitarm(*_COINS, *words).out.splitlines()
    labels = [re.split(r"\s{2,}", line)[0] for line in lines[2:8]]
    assert labels == [
        "exact δ=0.1",
        "exact δ=0.01",
        "icq B=2 δ=0.1",
        "icq B=2 δ=0.01",
        "icq B=3 δ=0.1",
        "icq B=3 δ=0.01",
    ]


def test_a_table_tells_limits_apart(bitarm: Command) -> None:
    lines = bitarm(*_COINS, "--max-rounds", "3,4").out.splitlines()
    labels = [re.split(r"\s{2,}", line)[0] for line in lines[2:4]]
    assert len(set(labels)) == 2


def test_trials_without_an_answer_are_shown(bitarm: Command) -> None:
    assert "undecided" not in bitarm(*_COINS).out
    limited = bitarm(*_COINS, "--max-rounds", "2").out
    assert "undecided" in limited
    assert limited.splitlines()[2].endswith(" 50")


def test_lists_are_crossed_in_the_order_typed(bitarm: Command) -> None:
    def settings(*words: str) -> list[tuple[float, int]]:
        points = bitarm(*_COINS, "--quantizer", "icq", *words, "--json").json["results"]
        return [(point["delta"], point["bits"]) for point in points]

    delta, bits = ("--delta", "0.1,0.2"), ("--bits", "3,2")
    assert settings(*delta, *bits) == [(0.1, 3), (0.1, 2), (0.2, 3), (0.2, 2)]
    assert settings(*bits, *delta) == [(0.1, 3), (0.2, 3), (0.1, 2), (0.2, 2)]


def test_a_problem_file_is_simulated_and_flags_win_over_it(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    scheme = 'quantizer = "icq"\nbits = 4\ngrowth = 3'
    text = problem(problem="delta = 0.2", scheme=scheme, limits="rounds = 40")
    file.write_text(text, encoding="utf-8")
    words = ("simulate", file, "--seed", "1", "--trials", "20", "--json")
    (point,) = bitarm(*words).json["results"]
    assert [point[word] for word in ("delta", "bits", "growth")] == [0.2, 4, 3.0]
    assert point["bounds"] == [0.0, 1.0]
    swept = bitarm(*words, "--bits", "1,2").json["results"]
    assert [(it["delta"], it["bits"]) for it in swept] == [(0.2, 1), (0.2, 2)]


@pytest.mark.parametrize(
    ("scheme", "flags"),
    [
        ('quantizer = "quban"\nepsilon_quban = 0.5', ("--quantizer", "icq,exact")),
        ('quantizer = "icq"\nbits = 4', ("--quantizer", "exact")),
        ("checkpoints = [2, 9, 99]", ("--growth", "2,3")),
    ],
)
def test_a_flag_displaces_the_words_of_the_file_that_go_with_its_choice(
    bitarm: Command, tmp_path: Path, scheme: str, flags: tuple[str, ...]
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(scheme=scheme), encoding="utf-8")
    done = bitarm("simulate", file, "--seed", "1", "--trials", "20", "--json", *flags)
    assert done.code == 0, done.err


@pytest.mark.parametrize("words", [(), ("--log-json",)], ids=["text", "json"])
def test_a_sigma_that_is_too_small_runs_with_a_warning(
    bitarm: Command, words: tuple[str, ...]
) -> None:
    done = bitarm(*_COINS, "--sigma", "0.1,0.6", "--json", *words)
    assert done.code == 0
    assert "sigma = 0.1 is too small for these rewards: 0.4966 is valid" in done.err
    assert [point["guarantee"] for point in done.json["results"]] == [None, 0.05]


def test_a_terminal_sees_progress(home: Path) -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *_ARMS, "--seed", "1", "--trials", "20000", "--workers", "1", "--json"],
        env=environment(home, COLUMNS="80", LINES="24"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
        encoding="utf-8",
    ) as process:
        os.close(slave)
        screen = b""
        while True:
            try:
                screen += os.read(master, 4096)
            except OSError as error:  # how a terminal says that nobody writes to it any more
                assert error.errno == errno.EIO  # noqa: PT017
                break
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(master)
    assert process.returncode == 0
    assert b"of 20,000 trials" in screen
    assert json.loads(out)["trials"] == 20000


# What is refused.

_GAUSSIAN = ("simulate", "--arms", "gaussian:0,1")

_REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no trials": ((*_ARMS, "--trials", "0"), "trials must be at least 1, got 0"),
    "less than no trials": ((*_ARMS, "--trials", "-3"), "trials must be at least 1, got -3"),
    "a seed below 0": ((*_ARMS, "--seed", "-1"), "seed must be 0 or more, got -1"),
    "an unknown family": (("simulate", "--arms", "cauchy:0,1"), "family .* got 'cauchy'"),
    "a misspelt family": (
        ("simulate", "--arms", "bernouli:0.1,0.2"),
        "got 'bernouli'; did you mean bernoulli",
    ),
    "no means": (("simulate", "--arms", "bernoulli"), "arms are written as bernoulli:0.7,0.5"),
    "words for means": (("simulate", "--arms", "bernoulli:a,b"), "must be numbers, got 'a,b'"),
    "one arm": (("simulate", "--arms", "bernoulli:0.5"), "at least 2 arms are needed .* got 1"),
    "p above 1": (("simulate", "--arms", "bernoulli:1.2,0.5"), r"must lie in \[0, 1\], got 1.2"),
    "p below 0": (("simulate", "--arms", "bernoulli:-0.2,0.5"), r"must lie in \[0, 1\], got -0.2"),
    "no sd": (_GAUSSIAN, r"gaussian arm.*\bsd\b"),
    "sd of coins": ((*_ARMS, "--sd", "1"), "sd does not .* bernoulli arm"),
    "concentration of coins": (
        (*_ARMS, "--concentration", "1"),
        "concentration does not .* bernoulli arm",
    ),
    "bounds of gaussian arms": (
        (*_GAUSSIAN, "--sd", "1", "--bounds", "0", "1"),
        r"arm 0 is gaussian, whose rewards leave the bounds \[0.0, 1.0\]",
    ),
    "bounds too narrow": (
        (*_ARMS, "--bounds", "0", "0.9"),
        r"arm 0 is bernoulli, whose rewards leave the bounds \[0.0, 0.9\]",
    ),
    "bounds exchanged": ((*_ARMS, "--bounds", "1", "0"), "lower first, got 1.0 and 0.0"),
    "no arms": (("simulate",), "give either a problem file or --arms"),
    "an unknown quantizer": (
        (*_ARMS, "--quantizer", "icq,icg"),
        "quantizer must be one of exact, icq, .* got 'icg'; did you mean icq",
    ),
    "an unknown quantizer with its bits": (
        (*_ARMS, "--quantizer", "icg", "--bits", "3"),
        "quantizer must be one of exact, icq, .* got 'icg'; did you mean icq",
    ),
    "an empty name": ((*_ARMS, "--quantizer", "icq,"), "quantizer must be one of .* got ''"),
    "an unknown policy": ((*_ARMS, "--policy", "es"), "policy must be one of .* got 'es'"),
    "an unknown prior": (
        (*_ARMS, "--quantizer", "icq", "--prior", "x"),
        "prior must be one of uniform, .* got 'x'",
    ),
    "bits for the default": ((*_ARMS, "--bits", "3"), "bits applies to none .* it is for icq"),
    "an unknown width": (
        (*_ARMS, "--width", "x"),
        "width must be one of paper, lil, pairwise, pairwise-mixture",
    ),
    "words for numbers": (
        (*_ARMS, "--delta", "0.1,x"),
        "delta must be numbers with commas, got '0.1,x'",
    ),
    "a hole in a list": ((*_ARMS, "--delta", "0.1,,1"), "delta must be numbers with commas"),
    "half a bit": ((*_ARMS, "--bits", "1.5"), "bits must be whole numbers .* got '1.5'"),
    "δ of 1": ((*_ARMS, "--delta", "0.1,1"), r"delta must lie in \(0, 1\), got 1"),
    "bits for nobody": ((*_ARMS, "--quantizer", "exact", "--bits", "3"), "bits applies to none"),
    "no workers": ((*_ARMS, "--workers", "0"), "workers must be at least 1, got 0"),
    "workers of a cluster": (
        (*_ARMS, "--workers", "2", "--cluster", "tcp://127.0.0.1:1"),
        "workers does not apply to a cluster",
    ),
    "two outputs": ((*_ARMS, "--json", "--csv"), "--json.*--csv"),
    "no σ": (("simulate", "--arms", "poisson:1,2"), "sigma is needed"),
    "no chance": (("simulate", "--arms", "bernoulli:0,1"), "sigma is needed"),
    "a word for a number": ((*_ARMS, "--trials", "many"), "trials"),
    "an unknown flag": ((*_ARMS, "--detla", "0.1"), "--detla"),
    "a file that is not there": (("simulate", "none.toml"), "none.toml cannot be read"),
}


@pytest.mark.parametrize(("words", "message"), _REFUSED.values(), ids=_REFUSED.keys())
def test_bad_input_is_refused_with_what_is_wrong(
    bitarm: Command, cache: Path, words: tuple[str, ...], message: str
) -> None:
    done = bitarm(*words)
    assert done.code == 2, done.err
    assert re.search(message, done.err), done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert _chunks(cache) == []


_SOURCES = {
    "callable": callables("nothing", "low", "high"),
    "csv": '[[arm]]\nname = "x"\nsource = "csv"\npath = "x.csv"\ncolumn = "y"\n' + ARMS,
}


@pytest.mark.parametrize(("source", "arms"), _SOURCES.items())
def test_arms_that_are_measured_are_refused(
    bitarm: Command, tmp_path: Path, source: str, arms: str
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(arms=arms), encoding="utf-8")
    done = bitarm("simulate", file)
    assert done.code == 2
    assert f"has a {source} source: only models are simulated" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--arms", "bernoulli:0.7,0.5"), "give either a problem file or --arms"),
        (("--sd", "1"), "sd applies to --arms only: the file has its own arms"),
    ],
)
def test_arms_that_are_described_twice_are_refused(
    bitarm: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(), encoding="utf-8")
    done = bitarm("simulate", file, *words)
    assert done.code == 2
    assert message in done.err


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_fails_as_a_peer_and_soon(apart: Command) -> None:
    begin = time.monotonic()
    done = apart(*_COINS, "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 4
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in done.err
    assert "Traceback" not in done.err
    assert time.monotonic() - begin < 40


# Chunks that are kept.

_LONGER = (*_ARMS, "--seed", "1", "--trials", "1200", "--json")


def test_a_sweep_that_was_run_before_is_read_from_the_cache(
    bitarm: Command, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bitarm(*_LONGER)
    assert [path.name for path in _chunks(cache)] == ["000000.json", "000001.json", "000002.json"]

    def refuse(sweep: Sweep, index: int) -> ChunkResult:
        pytest.fail(f"chunk {index} was run again")

    monkeypatch.setattr(execute, "run_chunk", refuse)
    assert bitarm(*_LONGER) == first


def test_chunks_are_kept_where_one_says(bitarm: Command, cache: Path, tmp_path: Path) -> None:
    assert bitarm(*_LONGER, "--cache", tmp_path / "mine").code == 0
    assert len(list((tmp_path / "mine").rglob("*.json"))) == 3
    assert not cache.exists()


@pytest.mark.parametrize("words", [(), ("--log-json",)], ids=["text", "json"])
def test_a_damaged_chunk_is_named_and_the_result_unchanged(
    bitarm: Command, cache: Path, words: tuple[str, ...]
) -> None:
    first = bitarm(*_LONGER)
    path = _chunks(cache)[1]
    path.write_bytes(path.read_bytes()[:-40])
    again = bitarm(*_LONGER, *words)
    assert again.code == 0
    assert again.out == first.out
    assert f"{path} is damaged" in again.err


def test_a_disk_without_room_is_an_error_that_says_how_to_go_on(
    bitarm: Command, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bitarm(*_LONGER, "--cache", cache / "other")
    sync, calls = os.fsync, 0

    def fill_up(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_up)
        done = bitarm(*_LONGER)
    assert done.code == 1
    assert done.out == ""
    assert "No space left on device" in done.err
    assert "run the same command again" in done.err
    assert "Traceback" not in done.err
    assert len(_chunks(cache)) == 1
    assert bitarm(*_LONGER).out == expected.out


def test_a_cache_that_cannot_be_written_is_an_error_of_the_disk(
    bitarm: Command, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = bitarm(*_LONGER, "--cache", tmp_path / "file")
    assert done.code == 1
    assert str(tmp_path / "file") in done.err
    assert "Not a directory" in done.err
    assert "Traceback" not in done.err


# Interrupts.

_LONG_TRIALS = 400_000
_LONG = ("simulate", "--arms", "bernoulli:0.51,0.5", "--seed", "3", "--trials", str(_LONG_TRIALS))
_POOLED = (
    sys.executable,
    "-c",
    "from bitarm.sim import execute; execute._WORTH_A_POOL = 0.0\n"
    "from bitarm.__main__ import main; main()",
)
"""The program, but for starting its processes however small the work."""


@pytest.fixture(scope="module")
def long_text() -> str:
    """What the long sweep prints when nobody interrupts it."""
    coins = (Bernoulli(mean=0.51), Bernoulli(mean=0.5))
    plain = simulate(coins, trials=_LONG_TRIALS, seed=3, workers=1).to_json()
    return json.dumps(plain) + "\n"


@dataclass(frozen=True)
class Session:
    """A running command with all its processes."""

    process: subprocess.Popen[str]

    def others(self) -> set[int]:
        """The processes of the session that live, without the command itself."""
        found = set()
        for entry in Path("/proc").iterdir():
            try:
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (OSError, ValueError):
                continue  # no process, or one that has just ended
            if int(session) == self.process.pid and state != "Z":
                found.add(int(entry.name))
        return found - {self.process.pid}

    def wait_until_alone(self, seconds: float) -> set[int]:
        """What is left of the others after waiting for their end."""
        deadline = time.monotonic() + seconds
        while self.others() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.others()


@contextmanager
def _session(command: tuple[str, ...], words: tuple[str, ...], home: Path) -> Iterator[Session]:
    """Run a command in a session of its own; nothing of it survives."""
    process = subprocess.Popen(
        [*command, *words],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    session = Session(process)
    try:
        yield session
    finally:
        for survivor in session.others() | ({process.pid} if process.poll() is None else set()):
            os.kill(survivor, signal.SIGKILL)
        process.communicate(timeout=_PATIENCE)


def _await_chunks(cache: Path, count: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while len(_chunks(cache)) < count:
        assert time.monotonic() < deadline, "the chunks never came"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "workers", "chunks"),
    [(COMMAND, "1", 3), (_POOLED, "2", 5)],
    ids=["in one process", "with two workers"],
)
def test_ctrl_c_ends_a_sweep_that_goes_on_from_there(
    home: Path, cache: Path, long_text: str, command: tuple[str, ...], workers: str, chunks: int
) -> None:
    words = (*_LONG, "--workers", workers, "--json")
    with _session(command, words, home) as session:
        _await_chunks(cache, chunks)
        os.killpg(session.process.pid, signal.SIGINT)  # a terminal tells the whole group
        out, err = session.process.communicate(timeout=_PATIENCE)
        assert session.wait_until_alone(5) == set()
    assert session.process.returncode == 130
    assert out == ""
    assert "interrupted; the same command with --seed 3 goes on from here" in err
    assert "Traceback" not in err
    kept = {path: path.stat().st_mtime_ns for path in _chunks(cache)}
    assert chunks <= len(kept) < 64

    with _session(command, words, home) as session:
        out, err = session.process.communicate(timeout=_PATIENCE)
        assert session.wait_until_alone(5) == set()
    assert session.process.returncode == 0
    assert out == long_text
    assert err == ""
    assert len(_chunks(cache)) == 64
    assert {path: path.stat().st_mtime_ns for path in kept} == kept  # none was run again


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_parent_that_is_killed(
    home: Path, cache: Path, number: signal.Signals
) -> None:
    """A batch system that ends a job, a service that is stopped, a parent out of memory."""
    words = (*_LONG[:-1], "40000000", "--workers", "2", "--json")
    with _session(_POOLED, words, home) as session:
        _await_chunks(cache, 3)  # two of the parent's, one of the workers'
        assert len(session.others()) >= 2
        session.process.send_signal(number)
        session.process.wait(_PATIENCE)
        assert session.wait_until_alone(10) == set()


@pytest.mark.parametrize(
    "while_",
    [
        "bitarm.api.simulate.simulate",
        "bitarm.cli.show.sweep.print_table",
        "bitarm.cli.show.sweep_plot.plot_simulation",
    ],
)
def test_an_interrupt_at_any_time_says_how_to_go_on(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, while_: str
) -> None:
    def interrupt(*words: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(while_, interrupt)
    done = bitarm(*_COINS, "--plot", tmp_path / "sweep.svg")
    assert done.code == 130
    assert "interrupted; the same command with --seed 1 goes on from here" in done.err
