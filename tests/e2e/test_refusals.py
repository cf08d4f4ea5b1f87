"""What a user meets when something is wrong: one line that says what, and an exit code."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.processes import PROBLEM, RUN, Field, field
from loopback import PATIENCE, eventually, free_port

from bitarm.api.arm_tables import parse_arms
from bitarm.api.network.agent import run_agent
from bitarm.core.events import LostRule
from bitarm.errors import ConfigError, TransportError
from bitarm.runtime.broker_url import Broker
from bitarm.store import SqliteJournal

pytestmark = pytest.mark.slow

_COMMANDS = {
    "exits": ("sh -c 'echo 0.5; echo the probe fell off >&2; exit 3'", "ended (3) after 1 reward"),
    "hangs": ("sh -c 'echo 0.5; sleep 600'", "printed nothing for 0.5 seconds and was ended"),
    "talks": ("sh -c 'echo 0.5; echo hello'", "must print a number a line, it printed 'hello'"),
    "is not there": ("no-such-probe --fast", "no-such-probe: not found"),
}


@pytest.fixture
def place(broker: PlainBroker, tmp_path: Path) -> Iterator[Field]:
    with field(tmp_path, broker.url) as made:
        yield made


def _last_line(place: Field, name: str) -> str:
    return place.said(name).splitlines()[-1]


@pytest.mark.parametrize("name", ["learner", "north"])
def test_a_broker_that_does_not_answer(name: str, tmp_path: Path) -> None:
    url = f"mqtt://127.0.0.1:{free_port()}"
    with field(tmp_path, url) as place:
        if name == "learner":
            place.start_learner("--connect-within", "0.5")
        else:
            place.start_agent(name, "--connect-within", "0.5")
        assert place.wait(name) == 4
        line = _last_line(place, name)
    assert line.startswith(f"bitarm: no broker answers at {url}: [Errno 111] Connection refused")
    assert line.endswith("Check the address, and that the broker is running")


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("lorawan-us915-dr0", "frames of 11 bytes take at most 57 rounds"),  # growth 1.1
        ("lora", "link must be one of lorawan-eu868-dr0"),
    ],
)
def test_a_link_that_does_not_carry_the_run_is_refused_before_anything_else(
    link: str, says: str, tmp_path: Path
) -> None:
    with field(tmp_path, f"mqtt://127.0.0.1:{free_port()}") as place:
        place.start_learner("--link", link)
        assert place.wait("learner") == 2
        assert says in _last_line(place, "learner")
        assert place.events() == []


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        ("mqtt", "it accepts connections and does not answer"),
        ("mqtts", "handshake operation timed out"),
    ],
)
def test_something_else_listens_there(scheme: str, says: str, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        url = f"{scheme}://127.0.0.1:{deaf.getsockname()[1]}"
        with field(tmp_path, url) as place:
            place.start_agent("north", "--connect-within", "0.5")
            line, _ = deaf.accept()
            with closing(line):
                began = time.monotonic()
                assert place.wait("north") == 4
                assert time.monotonic() - began < 14  # 0.5 on a busy machine, and not the usual 15
            assert says in _last_line(place, "north")


def test_a_wrong_password(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()
    (folder / "passwords").write_text("")
    broker = PlainBroker(folder, lines=f"allow_anonymous false\npassword_file {folder}/passwords")
    broker.start()
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    try:
        with field(tmp_path, broker.url) as place:
            place.start_agent("north", "--password-file", str(secret))
            assert place.wait("north") == 4
            line = _last_line(place, "north")
            place.start_agent("south")
            assert place.wait("south") == 4
            nobody = _last_line(place, "south")
            assert "hunter2" not in place.said("north")
    finally:
        broker.kill()
    assert line == (
        f"bitarm: {broker.url} refuses north: not authorized. "
        "Check the user name and the password file"
    )
    assert "refuses nobody (no password was given): not authorized" in nobody


def test_a_second_learner_is_refused_and_the_first_goes_on(place: Field) -> None:
    place.start_learner()
    eventually(lambda: place.events(), "a run")
    words = ("learner", str(place.problem), "--run", RUN, "--store", str(place.folder / "other"))
    place.start("second", *words)
    assert place.wait("second") == 4
    assert "run 'lab' on" in _last_line(place, "second")
    assert "has a learner already" in _last_line(place, "second")
    for name in ("north", "south", "tower"):
        place.start_agent(name)
    assert place.wait("learner") == 0
    assert place.result()["best_arm_name"] == "tower"


def test_a_learner_that_died_is_no_learner(place: Field) -> None:
    place.start_learner()
    eventually(lambda: place.events(), "a run")
    place.kill("learner")
    place.start_learner()
    for name in ("north", "south", "tower"):
        place.start_agent(name)
    assert place.wait("learner") == 0


def test_a_second_agent_on_this_machine_is_refused(place: Field) -> None:
    place.start_agent("north")
    eventually(lambda: list((place.folder / "state").rglob("north.lock")), "the first agent")
    words = ("agent", str(place.problem), "--agent", "north", "--run", RUN)
    place.start("second", *words, "--state", str(place.folder / "state"))
    assert place.wait("second") == 4
    assert "another process on this machine serves this agent already" in place.said("second")


def test_two_agents_of_one_name_say_what_they_suspect_and_neither_is_stopped(
    place: Field,
) -> None:
    place.start_agent("north")
    eventually(lambda: list((place.folder / "state").rglob("north.lock")), "the first agent")
    words = ("agent", str(place.problem), "--agent", "north", "--run", RUN)
    place.start("second", *words, "--state", str(place.folder / "elsewhere"))
    suspected = "connections of bitarm-lab-north in a row, each soon after it was made"
    eventually(
        lambda: any(suspected in place.said(name) for name in ("north", "second")),
        "one of two agents to say what it suspects",
    )
    assert [place.running[name].poll() for name in ("north", "second")] == [None, None]
    place.kill("second")
    for name in ("south", "tower"):
        place.start_agent(name)
    place.start_learner()
    assert place.wait("learner") == 0
    assert [place.wait(name) for name in ("north", "south", "tower")] == [0, 0, 0]


@pytest.mark.parametrize("how", _COMMANDS)
def test_a_reward_command_that_fails(how: str, place: Field) -> None:
    command, text = _COMMANDS[how]
    problem = PROBLEM.replace(
        '[[arm]]\nname = "north"\nsource = "beta"\nmean = 0.93\nconcentration = 19\n',
        f'[[arm]]\nname = "north"\nsource = "command"\ncommand = "{command}"\ntimeout = 0.5\n',
    )
    place.problem.write_text(problem)
    place.start_agent("north")
    place.start_learner()
    assert place.wait("north") == 2
    assert f"bitarm: north (arm 0): the shell line of north ({command[:20]}" in place.said("north")
    assert text in _last_line(place, "north")
    eventually(lambda: "agent north failed: north (arm 0)" in place.said("learner"), "the news")


def test_another_seed_than_the_learner_s_is_refused(place: Field) -> None:
    place.start_learner()
    place.start_agent("north", "--seed", "6")
    assert place.wait("north") == 2
    assert "the learner runs" in _last_line(place, "north")
    said = "runs with seed 5, this agent was set up for 6: give both the same"
    assert said in _last_line(place, "north")


def test_a_journal_of_a_newer_version_is_left_alone(place: Field) -> None:
    import sqlite3

    SqliteJournal.open(place.store).close()
    with closing(sqlite3.connect(place.store)) as connection:
        connection.execute("PRAGMA user_version = 99")
    place.start_learner()
    assert place.wait("learner") == 1
    assert "upgrade bitarm to read it" in _last_line(place, "learner")


def test_a_disk_that_is_full_loses_nothing_that_was_kept(place: Field) -> None:
    """A limit on the size of files is what a full disk is to the journal."""
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000));"
        "from bitarm.__main__ import main; main()"
    )
    for name in ("north", "south", "tower"):
        place.start_agent(name)
    words = ["learner", str(place.problem), "--run", RUN, "--seed", "5", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", limited, *words, "--store", place.store, "--broker", place.url],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert str(place.store) in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip().endswith("bitarm learner --resume 1")
    before = len(place.events())
    assert before > 3
    place.start_learner()  # on a disk with room it goes on from there
    assert place.wait("learner") == 0
    assert place.result()["best_arm_name"] == "tower"
    assert len(place.events()) > before


def test_secrets_do_not_come_from_the_command_line(place: Field) -> None:
    place.start(
        "north", "agent", str(place.problem), "--agent", "north", "--run", "x", url="mqtt://a:b@h"
    )
    assert place.wait("north") == 2
    assert "a password does not belong in a broker's address" in place.said("north")


def test_ctrl_c_ends_the_run_and_sigterm_leaves_it(place: Field) -> None:
    import signal

    place.start_agent("north")
    place.start_learner()
    eventually(lambda: "agent north is here" in place.said("learner"), "north")
    place.running["learner"].send_signal(signal.SIGTERM)
    assert place.wait("learner") == 130
    assert "the run waits: go on with bitarm learner --resume 1" in _last_line(place, "learner")
    place.start_learner()
    eventually(lambda: place.said("learner").count("agent north is here") == 2, "north again")
    place.running["learner"].send_signal(signal.SIGINT)
    assert place.wait("learner") == 130
    assert place.wait("north") == 3  # the run has no answer
    result = json.loads((place.folder / "learner.out").read_text())
    assert result["outcome"] == "interrupted"


def test_an_agent_that_is_not_in_the_problem(tmp_path: Path) -> None:
    arms = parse_arms(PROBLEM, Path())
    nowhere = Broker(host="127.0.0.1", port=free_port(), tls=False)
    with pytest.raises(ConfigError, match="no arm of agent 'west'; it has north, south, tower"):
        run_agent(arms, agent="west", name="lab", broker=nowhere, state=tmp_path)
    with pytest.raises(TransportError, match="no broker answers"):
        run_agent(arms, agent="north", name="lab", broker=nowhere, state=tmp_path, patience=0.1)


@pytest.mark.parametrize("rule", [LostRule.DROP, LostRule.STOP])
def test_an_agent_that_never_comes(rule: LostRule, place: Field, broker: PlainBroker) -> None:
    for name in ("north", "tower"):
        place.start_agent(name)
        broker.wait_for(f"bitarm-{RUN}-{name}")  # so that nobody has to be waited for but south
    place.start_learner("--lost", rule.value, "--join-within", "2", "--lost-after", "8")
    code = place.wait("learner")
    result = place.result()
    if rule is LostRule.STOP:
        assert (code, result["outcome"], result["best_arm"]) == (4, "agent_lost", None)
    else:
        assert (code, result["best_arm_name"]) == (0, "tower")
        assert "it covers the 2 arms that remained, not south" in result["guarantee_reason"]
    told = 3 if rule is LostRule.STOP else 0  # whether the run has an answer
    assert [place.wait(name) for name in ("north", "tower")] == [told, told]
