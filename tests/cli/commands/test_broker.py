"""`bitarm broker` as its user meets it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli.program import COMMAND, Command, problem
from loopback import PATIENCE, eventually, free_port

from bitarm.api.extras import install_line
from bitarm.cli.commands.broker import limited
from bitarm.runtime.broker import authority, provision
from bitarm.runtime.broker.folder import BrokerFolder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "lab"


@contextmanager
def _serving(*words: object, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`bitarm broker run`, once it answers."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*COMMAND, "broker", "run", *map(str, words)],
            stdout=stream,
            stderr=stream,
            env=dict(os.environ) | {"TMPDIR": str(log.parent)},
        )
        try:
            eventually(lambda: b"the broker answers at" in log.read_bytes(), "the broker's answer")
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)


def test_init_says_what_it_made_and_what_to_do_next(bitarm: Command, place: Path) -> None:
    done = bitarm("broker", "init", place, "--agents", "gw-1,gw-2")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"made    {place}/broker.toml",
        f"made    {place}/ca.crt",
        f"made    {place}/server.pem",
        f"made    {place}/access",
        f"made    {place}/passwords/learner",
        f"made    {place}/passwords/gw-1",
        f"made    {place}/passwords/gw-2",
        f"made    {place}/passwords/broker",
        f"start it with: bitarm broker run {place}",
    ]


def test_a_folder_with_spaces_and_letters_of_any_tongue_serves(
    bitarm: Command, tmp_path: Path
) -> None:
    place = tmp_path / "mein Bröker"
    done = bitarm("broker", "init", place, "--agents", "gw-1", "--port", free_port())
    assert done.out.endswith(f"bitarm broker run '{place}'\n")
    with _serving(place, log=tmp_path / "log") as process:
        assert process.poll() is None


def test_init_again_adds_and_keeps(bitarm: Command, place: Path) -> None:
    bitarm("broker", "init", place, "--agents", "gw-1")
    secret = (place / "passwords/gw-1").read_bytes()
    done = bitarm("broker", "init", place, "--agents", "gw-1,gw-2")
    assert f"kept    {place}/passwords/gw-1" in done.out
    assert f"made    {place}/passwords/gw-2" in done.out
    assert (place / "passwords/gw-1").read_bytes() == secret


def test_no_secret_is_printed(bitarm: Command, place: Path) -> None:
    done = bitarm("broker", "init", place, "--agents", "gw-1")
    secrets = [path.read_text().strip() for path in (place / "passwords").iterdir()]
    assert len(secrets) == 3  # the learner's, the agent's and the broker's own
    assert not any(secret in done.out + done.err for secret in secrets)


def test_a_large_fleet_is_told_in_few_lines(bitarm: Command, place: Path) -> None:
    names = ",".join(f"gw-{number}" for number in range(100))
    done = bitarm("broker", "init", place, "--agents", names)
    assert f"made    102 files in {place}/passwords" in done.out
    assert len(done.out.splitlines()) == 6


def test_the_agents_may_come_from_a_problem_file(
    bitarm: Command, place: Path, tmp_path: Path
) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(problem(scheme="word_of_the_learners_package = 3"))
    assert bitarm("broker", "init", place, "--problem", path).code == 0
    assert provision.agents_of(BrokerFolder(place)) == ("low", "high")


def test_an_account_is_an_agent_s_not_an_arm_s(
    bitarm: Command, place: Path, tmp_path: Path
) -> None:
    path = tmp_path / "problem.toml"
    arm = '[[arm]]\nname = "{}"\n{}source = "bernoulli"\nmean = 0.5\n'.format
    gateway = 'agent = "gw-1"\n'
    path.write_text(arm("north", gateway) + arm("south", gateway) + arm("Top floor, 5 GHz", ""))
    assert bitarm("broker", "init", place, "--problem", path).code == 0
    assert provision.agents_of(BrokerFolder(place)) == ("gw-1", "Top-floor-5-GHz")


def test_agents_are_added_and_removed(bitarm: Command, place: Path) -> None:
    bitarm("broker", "init", place, "--agents", "gw-1")
    assert bitarm("broker", "add", place, "gw-2", "gw-3").code == 0
    assert bitarm("broker", "remove", place, "gw-1").out == f"removed {place}/passwords/gw-1\n"
    assert provision.agents_of(BrokerFolder(place)) == ("gw-2", "gw-3")


def test_renewal_tells_what_changed(bitarm: Command, place: Path) -> None:
    bitarm("broker", "init", place, "--agents", "gw-1")
    done = bitarm("broker", "renew", place)
    assert done.out == f"kept    {place}/ca.crt\nchanged {place}/server.pem\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("init", "DIR"), "the agents come from --agents A,B,C or from --problem FILE: give one"),
        (("init", "DIR", "--agents", "a", "--problem", "x"), "give one"),
        (("init", "DIR", "--agents", ""), "the name of an agent must be 1 to 64 letters"),
        (("init", "DIR", "--agents", "a+b"), "got 'a+b'"),
        (("init", "DIR", "--agents", "a,b/c"), "got 'b/c'"),
        (("init", "DIR", "--agents", "learner"), "that is the learner's own name"),
        (("init", "DIR", "--agents", "a", "--host", "not a host"), "a host is a name such as"),
        (("init", "DIR", "--agents", "a", "--port", "0"), "a port lies between 1 and 65535"),
        (("init", "DIR", "--problem", "missing.toml"), "cannot be read"),
        (("run",), "name the broker's folder, or --open"),
        (("run", "DIR", "--open"), "name the broker's folder, or --open"),
        (("run", "DIR"), "holds no broker: make one with bitarm broker init"),
        (("add", "DIR", "gw-9"), "holds no broker"),
        (("renew", "DIR"), "holds no broker"),
        (("run", "--open", "--port", "99999"), "a port lies between 1 and 65535"),
    ],
)
def test_bad_words_are_refused(
    bitarm: Command, place: Path, words: tuple[str, ...], says: str
) -> None:
    done = bitarm("broker", *(place if word == "DIR" else word for word in words))
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err
    assert not place.exists()


def test_a_folder_that_cannot_be_written_is_refused(bitarm: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = bitarm("broker", "init", tmp_path / "file" / "lab", "--agents", "a")
    assert (done.code, done.out) == (2, "")
    assert "Not a directory" in done.err


def test_an_expired_certificate_is_refused_with_the_way_out(bitarm: Command, place: Path) -> None:
    past = datetime.now(UTC) - timedelta(days=authority.SERVER_DAYS + 1)
    provision.set_up(BrokerFolder(place), ("a",), (), None, past)
    done = bitarm("broker", "run", place)
    assert (done.code, done.out) == (2, "")
    assert f"{place}/server.pem expired on" in done.err
    assert done.err.endswith(f"bitarm broker renew {place}\n")


def test_where_mosquitto_is_missing_the_command_that_installs_it_is_named(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bitarm.runtime.broker.mosquitto._PLACES", ())
    monkeypatch.setenv("PATH", "/nowhere")
    done = bitarm("broker", "run", "--open")
    assert (done.code, done.out) == (2, "")
    assert "sudo apt-get install mosquitto" in done.err


def test_without_the_extra_it_says_what_to_install(
    bitarm: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    done = bitarm("broker", "init", place, "--agents", "a")
    assert (done.code, done.out) == (2, "")
    assert f"the broker needs cryptography: {install_line('net')}" in done.err


def test_an_offender_cannot_fill_a_disk_with_lines_about_it() -> None:
    said: list[str] = []
    tell = limited(said.append)
    for number in range(5_000):
        tell(f"refused: gw-1 at 192.0.2.7:{number} may not write topic-{number} (dropped)")
        tell(f"refused: 192.0.2.{number % 9}:{number} gave no valid name and password")
    assert sum("gw-1" in line for line in said) == 200
    assert len(said) == 200 + 9 * 200
    tell("refused: gw-2 at 192.0.2.7:1 may not write topic (dropped)")
    assert "gw-2" in said[-1]


def test_a_broker_for_trials_runs_until_it_is_told_to_end(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    with _serving("--open", "--port", port, log=log) as process:
        assert f"mqtt://127.0.0.1:{port}" in log.read_text()
    assert process.returncode == 0
    assert list(tmp_path.glob("bitarm-broker-*")) == []


def test_ctrl_c_ends_it(tmp_path: Path, bitarm: Command, place: Path) -> None:
    bitarm("broker", "init", place, "--agents", "a", "--port", free_port())
    with _serving(place, log=tmp_path / "log") as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_port_in_use_is_refused(tmp_path: Path, bitarm: Command, place: Path) -> None:
    port = free_port()
    bitarm("broker", "init", place, "--agents", "a", "--port", port)
    with _serving("--open", "--port", port, log=tmp_path / "log"):
        done = bitarm("broker", "run", place)
    assert (done.code, done.out) == (2, "")
    assert f"port {port} on 127.0.0.1 is taken by another program" in done.err


def test_a_broker_that_is_killed_is_missed(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    with _serving("--open", "--port", port, log=log) as process:
        (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(child), signal.SIGKILL)
        assert process.wait(PATIENCE) == 4
    assert "Mosquitto ended by itself (-9)" in log.read_text()
