"""Three kinds of agents over one broker: the run ends as the run in one process does."""

import json
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, final

import paho.mqtt.client as paho
import pytest
from brokers import PlainBroker, broker
from devices.benches import Bench, node_command, process_bench
from devices.runs import FRACTION, serve
from drives import story
from e2e.processes import NAMES, RUN, field
from loopback import eventually
from paho.mqtt.enums import CallbackAPIVersion

from bitarm import wire
from bitarm.api.identify import run_problem
from bitarm.api.problem import parse_problem
from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    PullsCounted,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.messages import Dismiss
from bitarm.store import MemoryJournal, SqliteJournal

__all__ = ["broker"]

MEANS = {"north": 0.4, "south": 0.5, "tower": 0.7}
ROWS = 2000
UNIT = 1024  # rewards are multiples of 1/UNIT: sums are exact in any order


@final
class Recorded:
    """The rewards of an arm in the device's units."""

    def __init__(self, rewards: list[float]) -> None:
        self._units = [round(reward * 2**FRACTION) for reward in rewards]

    def read(self, first: int, count: int) -> list[int]:
        return self._units[first : first + count]


@final
class Gateway:
    """Joins a device to the broker: it says who it is, and passes frames on."""

    def __init__(self, name: str, device: Bench, rewards: Recorded, port: int) -> None:
        self._own, self._device, self._rewards = f"bitarm/v2/{RUN}/{name}", device, rewards
        self._told: dict[str, Any] = {}
        self._answered, self._boot = 0, os.urandom(8).hex()
        self.refused: list[str] = []
        self.is_done = False
        self._client = client = paho.Client(CallbackAPIVersion.VERSION2)
        client.on_message = self._hear
        client.will_set(f"{self._own}/status", '{"presence": "offline"}', 1, retain=True)
        client.connect("127.0.0.1", port)
        client.subscribe([(f"{self._own}/run", 1), (f"{self._own}/request", 1)])
        client.loop_start()

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _hear(self, client: Any, data: Any, message: paho.MQTTMessage) -> None:
        if message.topic.endswith("/run"):
            self._told = json.loads(message.payload or b"{}")
            if self._told:
                self._device.ask(f"0 new {FRACTION} 0 {1 << FRACTION} 1000000")
                self._say("online", retain=True)
            return
        frame, made = bytes(message.payload), 0
        (heard,) = wire.decode(frame)
        for reply in serve(self._device, 0, frame, self._rewards):
            if reply.kind not in ("say", "quiet"):
                self.refused.append(reply.kind)
            if reply.frame is not None:
                client.publish(f"{self._own}/report", reply.frame, 1)
            made = reply.count
        if isinstance(heard, Dismiss):
            self._say("done", retain=False, made={str(heard.arm): made})
            client.publish(f"{self._own}/status", b"", 1, retain=True)
            self.is_done = True
        else:
            self._answered = heard.message

    def _say(self, presence: str, *, retain: bool, **more: Any) -> None:
        status = {name: self._told[name] for name in ("opening", "epoch")} | more
        status |= {"presence": presence, "answered": self._answered, "boot": self._boot}
        status["codes"] = ["nearest", "above"]
        self._client.publish(f"{self._own}/status", json.dumps(status), 1, retain=retain)


@contextmanager
def gateway(name: str, device: Bench, rewards: Recorded, port: int) -> Iterator[Gateway]:
    own = Gateway(name, device, rewards, port)
    try:
        yield own
    finally:
        own.close()


def recorded(folder: Path) -> str:
    """A problem whose rewards are in a file."""
    draw = random.Random(5)
    rows = [
        [(round(MEANS[name] * UNIT) + draw.randint(-UNIT // 4, UNIT // 4)) / UNIT for name in NAMES]
        for _ in range(ROWS)
    ]
    lines = [",".join(NAMES), *(",".join(map(repr, row)) for row in rows)]
    (folder / "rewards.csv").write_text("\n".join(lines) + "\n")
    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "csv"\npath = "rewards.csv"\ncolumn = "{name}"\n'
        for name in NAMES
    )
    scheme = '[scheme]\nquantizer = "dyadic"\npolicy = "challenge"\n'
    return f"[problem]\nbounds = [0.0, 1.0]\ndelta = 0.05\n{scheme}{arms}"


def column(folder: Path, name: str) -> Recorded:
    head, *rows = (folder / "rewards.csv").read_text().splitlines()
    at = head.split(",").index(name)
    return Recorded([float(row.split(",")[at]) for row in rows])


def told(journal: Journal) -> list[LearnerEvent]:
    """A run's events but for those of its network, where arms tell their pulls one by one, and for
    its setup: a run in one process knows how many rows its files have.
    """
    events = [entry.event for entry in journal.read(1)]
    network = FleetAssigned | TrafficMeasured | AgentJoined | PullsCounted | RunOpened
    return [event for event in events if not isinstance(event, network)]


@pytest.mark.slow
def test_python_micropython_and_c_over_one_broker(
    broker: PlainBroker, tmp_path: Path, programs: dict[str, Path]
) -> None:
    problem = recorded(tmp_path)
    with field(tmp_path, broker.url, problem) as place, ExitStack() as stack:
        commands = {"south": node_command(), "tower": [str(programs["c with floats"])]}
        gateways = [
            stack.enter_context(
                gateway(
                    name,
                    stack.enter_context(process_bench(command)),
                    column(tmp_path, name),
                    broker.port,
                )
            )
            for name, command in commands.items()
        ]
        place.start_agent("north")
        place.start_learner()
        assert place.wait("learner") == 0, place.said("learner")
        assert place.wait("north") == 0, place.said("north")
        eventually(lambda: all(own.is_done for own in gateways), "two devices that are done")
        assert [own.refused for own in gateways] == [[], []]
    embedded = MemoryJournal()
    _, result = run_problem(parse_problem(problem, tmp_path), seed=5, journal=embedded)
    with closing(SqliteJournal.open_read_only(place.store)) as journal:
        assert story(told(journal)) == story(told(embedded))
    assert place.result()["best_arm"] == result.best_arm
    assert place.result()["payload_bits"] == result.payload_bits
    assert place.result()["guarantee"] == result.guarantee
