"""`bitarm dashboard` and `identify --dashboard`: addresses, refusals, and how they end."""

import json
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from cli.program import COMMAND, Command, environment
from dashboard.stores import identify_into
from loopback import PATIENCE, eventually

from bitarm.core.replay import replay
from bitarm.store import SqliteJournal


def _get(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return json.load(answer)


def _start(home: Path, *words: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, words)], env=environment(home), text=True, **options
    )


def test_it_says_where_it_is_and_ends_with_ctrl_c(home: Path, store: Path) -> None:
    identify_into(store, seed=1)
    process = _start(home, "dashboard", "--port", 0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:")
    assert _get(f"{address}api/v1/runs")["total"] == 1
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, "")
    assert err == "bitarm: the dashboard has ended\n"


def test_open_streams_do_not_keep_it_from_ending(home: Path, store: Path) -> None:
    identify_into(store, seed=1)
    process = _start(home, "dashboard", "--port", 0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    with urllib.request.urlopen(f"{address}api/v1/runs/stream", timeout=PATIENCE) as stream:
        assert stream.readline() == b"retry: 1000\n"
        process.send_signal(signal.SIGINT)
        stream.read()
    assert process.wait(20) == 0
    process.communicate()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_elsewhere_than_on_loopback_it_wants_a_token(bitarm: Command, host: str) -> None:
    done = bitarm("dashboard", "--host", host, "--port", 0)
    assert done.code == 2
    assert "give --token-file" in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "it has 0"), ("short\n", "it has 5"), (None, "cannot be read")],
)
def test_a_token_file_must_hold_a_secret(
    bitarm: Command, tmp_path: Path, content: str | None, words: str
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    done = bitarm("dashboard", "--port", 0, "--token-file", file)
    assert done.code == 2
    assert words in done.err


def test_a_port_that_is_taken(bitarm: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = bitarm("dashboard", "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "cannot listen on 127.0.0.1" in done.err
    assert "--port" in done.err


def test_a_host_that_no_name_can_be(bitarm: Command, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s" * 32, encoding="utf-8")
    done = bitarm("dashboard", "--port", 0, "--host", "a..b", "--token-file", token)
    assert done.code == 2
    assert "cannot listen on a..b" in done.err


def test_a_run_beside_its_page_is_the_same_run(
    apart: Command, bitarm: Command, store: Path
) -> None:
    alone = bitarm("identify", "--seed", 3, "--json")
    beside = apart("identify", "--seed", 3, "--json", "--dashboard")
    assert beside.code == alone.code == 0
    assert beside.json | {"run": 0} == alone.json | {"run": 0}
    assert "watch run 2 at http://127.0.0.1:" in beside.err


def test_a_dashboard_that_dies_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, bitarm: Command, store: Path
) -> None:
    from bitarm.cli.show.dashboard_process import DashboardProcess

    def show(self: DashboardProcess, run: int) -> None:
        self.process.kill()
        self.process.wait()

    monkeypatch.setattr(DashboardProcess, "show", show)
    done = bitarm("identify", "--seed", 1, "--json", "--dashboard")
    assert (done.code, done.json["best_arm_name"]) == (0, "water-tower")
    journal = SqliteJournal.open_read_only(store)
    replay(entry.event for entry in journal.read(1))
    journal.close()


def test_a_dashboard_that_never_starts_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, bitarm: Command
) -> None:
    monkeypatch.setattr("bitarm.cli.show.dashboard_process.sys.executable", "/bin/false")
    done = bitarm("identify", "--seed", 1, "--json", "--dashboard")
    assert (done.code, done.json["best_arm_name"]) == (0, "water-tower")
    assert "the dashboard did not come up; the run goes on without it" in done.err


def test_the_page_ends_with_whoever_started_it(home: Path, store: Path) -> None:
    identify_into(store, seed=1)
    process = _start(
        home, "dashboard", "--port", 0, "--until-stdin-ends",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline().startswith("http://")
    process.stdin.close()
    eventually(lambda: process.poll() is not None, "the end of the page")
    process.stdout.close()
