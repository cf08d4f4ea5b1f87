"""One account's password is good for that account: nobody else is stopped, starved or read."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from loopback import PATIENCE, eventually
from runtime.broker.lab import Lab, running_lab

from bitarm.runtime.broker import provision
from bitarm.runtime.broker.grants import Grant, Right
from bitarm.runtime.broker.shares import MOST_KEPT
from bitarm.runtime.broker_url import Broker

_PROBLEM = """
[problem]
delta = 0.1
bounds = [0.0, 1.0]
[[arm]]
name = "a"
agent = "gw-1"
source = "bernoulli"
mean = 0.9
[[arm]]
name = "b"
agent = "gw-2"
source = "bernoulli"
mean = 0.2
"""


@contextmanager
def _process(lab: Lab, folder: Path, user: str, *words: str) -> Iterator[Path]:
    """A process of ours on the lab's broker, with the password of its account; its log."""
    (folder / "problem.toml").write_text(_PROBLEM)
    log = folder / f"{user}.err"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "bitarm", *words, "--run", "lab", "--log-level", "info"),
                *("--broker", f"mqtts://localhost:{lab.port}"),
                *("--ca", str(lab.folder.ca_certificate)),
                *("--password-file", str(lab.folder.password(user))),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
            env=dict(os.environ) | {"XDG_DATA_HOME": str(folder)},
        )
        try:
            yield log
            assert process.poll() is None, log.read_text()
        finally:
            process.kill()
            process.wait()


def test_the_name_on_the_wire_is_known_to_the_account_alone() -> None:
    def named(password: str | None, label: str = "bitarm-lab-gw-1") -> str:
        broker = Broker(host="h", port=1, tls=True, user="gw-1", password=password)
        return broker.client_id(label)

    assert named("secret") == named("secret")  # a process takes its own dead connection's place
    assert named("secret").startswith("bitarm-lab-gw-1-")
    others = {named("other"), named(None), named("secret", "bitarm-lab-gw-2")}
    assert len(others | {named("secret")}) == 4
    assert "secret" not in named("secret")


def test_nobody_is_stopped_with_another_account_s_password(lab: Lab, tmp_path: Path) -> None:
    """As an attacker who has read all of docs/wire.md, and the learner's status, would try it."""
    problem = str(tmp_path / "problem.toml")
    with ExitStack() as stack:
        agent = ("agent", problem, "--agent", "gw-2", "--state", str(tmp_path / "state"))
        victim = stack.enter_context(_process(lab, tmp_path, "gw-2", *agent))
        words = ("learner", problem, "--store", str(tmp_path / "runs.sqlite"))
        learner = stack.enter_context(_process(lab, tmp_path, "learner", *words))
        eventually(lambda: "gw-2 serves 1 arm of run" in victim.read_text(), "the agent in its run")
        own = Broker(
            host="localhost", port=lab.port, tls=True, user="gw-1", password=lab.password("gw-1")
        )
        with lab.admitted("gw-1", name="reader") as reader:
            reader.subscribe("bitarm/v2/lab/learner/status")
            boot = reader.next()[1].decode().partition('"boot":')[2].split('"')[1]
        labels = ["bitarm-lab-gw-2", f"bitarm-lab-learner-{boot}"]
        for name in [*labels, *map(own.client_id, labels)] * 3:
            with lab.admitted("gw-1", name=name) as thief:
                assert not thief.gone.wait(0.2)  # nobody had that name, so nobody takes it back
        for log in (victim, learner):
            assert "lost" not in log.read_text()
    assert not any("taken over" in line for line in lab.told())


def test_a_takeover_is_told_with_both_accounts(lab: Lab) -> None:
    with lab.admitted("gw-2", name="gateway") as victim, lab.admitted("gw-1", name="gateway"):
        eventually(victim.gone.is_set, "the end of the first connection")
    line = lab.await_told("taken over: gw-1 at 127.0.0.1:", "client 'gateway'")
    assert "took the place of gw-2 at 127.0.0.1:" in line


def test_an_account_keeps_its_share_and_no_more(lab: Lab) -> None:
    with lab.admitted("gw-2") as honest, lab.admitted("gw-1") as offender:
        honest.publish("bitarm/v2/kept/gw-2/status", b"honest", retain=True)
        for number in range(MOST_KEPT + 60):
            offender.publish(f"bitarm/v2/invented-{number}/gw-1/status", b"x" * 5000, retain=True)
    lab.await_told("cleared: gw-1 has more than 100 messages")

    def kept() -> set[str]:
        with lab.admitted("learner", name="census") as learner:
            learner.subscribe("bitarm/v2/+/+/status", "bitarm/v2/+/learner/status")
            time.sleep(0.3)
            found = {learner.received.get()[0] for _ in range(learner.received.qsize())}
            assert "bitarm/v2/kept/gw-2/status" in found
            return {topic for topic in found if "/gw-1/" in topic}

    eventually(lambda: len(kept()) == MOST_KEPT, "the rest to be cleared")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Lab]:
    with running_lab(tmp_path, "gw-1", "gw-2", "probe") as running:
        yield running


def test_a_sensor_s_topic_is_granted_while_the_broker_runs(small: Lab) -> None:
    lab, topic = small, "sensors/cellar"
    with lab.admitted("gw-1") as agent, lab.admitted("probe") as probe:
        agent.subscribe(topic)
        assert probe.publish(topic, b"1") == 135
        lab.await_told("refused: gw-1 at", f"may not read {topic}")
        given = [
            Grant(user="gw-1", right=Right.READ, topic=topic),
            Grant(user="probe", right=Right.WRITE, topic=topic),
        ]
        provision.grant(lab.folder, given)
        eventually(lambda: probe.publish(topic, b"2") == 0, "the right to write")
        assert agent.received.get(timeout=PATIENCE) == (topic, b"2")
        assert agent.publish(topic, b"3") == 135
        provision.remove(lab.folder, ["probe"])
        assert topic in lab.folder.access.read_text()
        assert "user probe" not in lab.folder.access.read_text()
        eventually(probe.gone.is_set, "the end of an account's connection")
