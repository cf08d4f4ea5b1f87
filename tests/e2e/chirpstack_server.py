"""A ChirpStack server and the class A devices behind it, as its documentation describes them."""

import base64
import json
import threading
from collections import deque
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from runtime.chirpstack import events
from runtime.chirpstack.events import APPLICATION

from bitarm import wire
from bitarm.api.problem import Problem
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.epochs import split_field
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Answer, Cause, Dismiss, Request
from bitarm.core.question import BEATEN
from bitarm.core.rewards import collect

_PATIENCE = 10  # turns of 20 ms between two empty frames: events must not pile up at the learner
_LAST_WORDS = 4  # times that a device says that it gave up, until it rests


class Device:
    """Arms on one device that knows nothing of the run: it speaks, then it listens.

    Run and epoch it takes from what it is asked: only the learner has the key to its link.
    """

    def __init__(self, problem: Problem, eui: str, seed: int) -> None:
        self.eui = eui
        arms = [(number, arm) for number, arm in enumerate(problem.arms) if arm.device == eui]
        self._machines: dict[int, Agent] = {}
        self._sources = {
            number: arm.rewards(number, seed, folder=problem.folder) for number, arm in arms
        }
        self._due: dict[int, Answer] = {}
        self._said: dict[int, Answer] = {}  # the last answer of each arm
        self._last_words = 0

    @property
    def is_resting(self) -> bool:
        """Whether the run is over; or its arms are out, and it has said so often enough."""
        has_ended = any(machine.state.cause is Cause.ENDED for machine in self._machines.values())
        return self._is_out and (has_ended or self._last_words >= _LAST_WORDS)

    @property
    def _is_out(self) -> bool:
        machines = self._machines.values()
        return len(machines) == len(self._sources) and all(map(_is_out, machines))

    @property
    def has_report(self) -> bool:
        return bool(self._due)

    @property
    def dismissed(self) -> bool:
        out = [machine.state.phase is AgentPhase.DISMISSED for machine in self._machines.values()]
        return len(out) == len(self._sources) and all(out)

    def speak(self) -> list[bytes]:
        """Frames of reports; an empty one where there is nothing to report."""
        due = self._said if self._is_out else self._due
        self._last_words += self._is_out
        self._due = {}
        return wire.pack_all(tuple(due.values()), limit=51) if due else [b""]

    def listen(self, frame: bytes) -> None:
        for message in wire.decode(frame):
            assert isinstance(message, Request | Dismiss)
            run, _ = split_field(message.run)
            machine = self._machines.setdefault(message.arm, Agent(run, message.arm))
            self._answer(machine.receive(message))
            while machine.wanted or machine.is_looking:
                if machine.is_looking:  # its rewards can be had again: nothing to save
                    self._answer(machine.look())
                    continue
                rewards = self._sources[message.arm].pull(machine.wanted)
                batch = collect(rewards, None, clip=False)
                self._answer(machine.observe(batch.count, batch.total, batch.rewards))

    def _answer(self, answers: tuple[Answer, ...]) -> None:
        self._due.update((answer.arm, answer) for answer in answers)
        self._said.update(self._due)


def _is_out(machine: Agent) -> bool:
    """Whether an arm was dismissed, or said that it is beaten."""
    state = machine.state
    is_challenged = state.question is not None and isinstance(state.question.task, Challenge)
    return state.cause is not None or (is_challenged and state.symbol == BEATEN)


class ChirpStack:
    """Keeps downlinks until their device speaks; one goes down after each uplink."""

    def __init__(self, port: int, devices: list[Device], lose_every: int | None = None) -> None:
        self.devices = {device.eui: device for device in devices}
        self.downlinks = 0
        self._lose_every = lose_every
        self._queues: dict[str, deque[dict[str, Any]]] = {eui: deque() for eui in self.devices}
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id="chirpstack")
        self._client.on_message = self._command
        self._client.connect("127.0.0.1", port)
        self._client.subscribe(f"application/{APPLICATION}/device/+/command/down", 1)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join(30)
        self._client.disconnect()
        self._client.on_message = None

    def _command(self, client: paho.Client, data: Any, message: paho.MQTTMessage) -> None:
        command = json.loads(message.payload)
        assert command["devEui"] == message.topic.split("/")[3]
        queue = self._queues[command["devEui"]]
        if command["id"] not in [item["id"] for item in queue]:
            queue.append(command)

    def _work(self) -> None:
        for eui in self.devices:
            self._say(eui, "join", events.join(eui))
        turn = 0
        while not self._over.is_set():
            turn += 1
            for device in self.devices.values():
                is_over = device.dismissed or device.is_resting
                if not is_over and (device.has_report or turn % _PATIENCE == 0):
                    for frame in device.speak():
                        self._window(device, frame)
            self._client.loop(0.02)

    def _window(self, device: Device, frame: bytes) -> None:
        """An uplink, and the downlink in the window after it; some do not arrive."""
        self._say(device.eui, "up", events.up(device.eui, frame))
        if self._queues[device.eui]:
            item = self._queues[device.eui].popleft()
            self._say(device.eui, "txack", events.txack(device.eui, item["id"]))
            self.downlinks += 1
            if self._lose_every is None or self.downlinks % self._lose_every:
                device.listen(base64.b64decode(item["data"]))

    def _say(self, eui: str, kind: str, event: bytes) -> None:
        self._client.publish(events.topic(eui, kind), event, qos=1)
