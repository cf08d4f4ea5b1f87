"""Thousands of agents in one process: bare MQTT clients on one selector loop that answer at once.

    python -m benchmarks.fleet PORT COUNT [RUNS]

Each serves the arms that it is told of, one or many, and answers every request with a report that
says "as you thought", so nobody is ever dropped: what is measured is the exchange. They answer a
learner and a bare client in the same way. With RUNS, there are COUNT of them in each of so many
runs, `bench-0` and so on.
"""

import selectors
import socket
import sys
from itertools import product
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Report, Request
from bitarm.wire.announcement import load_announcement
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import Subject, Topics

RUN = "bench"
BITS = 3
MIDDLE = Symbol(1 << (BITS - 1), BITS)
TOPICS = Topics(RUN)


def agent_name(number: int) -> str:
    return f"agent-{number:04d}"


def make_client(name: str, selector: selectors.BaseSelector) -> paho.Client:
    """A client that leaves reading and writing to the selector's loop."""
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv311)
    client.max_inflight_messages_set(0)

    def opened(client: paho.Client, data: Any, link: Any) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(link, selectors.EVENT_READ, client)

    client.on_socket_open = opened
    client.on_socket_register_write = lambda *_: None
    return client


def turn(selector: selectors.BaseSelector, timeout: float) -> None:
    """One pass: read what is there, write what is due."""
    for key, _ in selector.select(timeout):
        client: paho.Client = key.data
        client.loop_read()
        if client.want_write():
            client.loop_write()


def run_name(number: int) -> str:
    return f"{RUN}-{number}"


def _serve(client: paho.Client, topics: Topics, name: str, subscribed: list[str]) -> None:
    run, request = topics.of(name, Subject.RUN), topics.of(name, Subject.REQUEST)
    report, status = topics.of(name, Subject.REPORT), topics.of(name, Subject.STATUS)

    def connected(client: paho.Client, *_: Any) -> None:
        client.subscribe([(run, 1), (request, 1)])

    def received(client: paho.Client, data: Any, message: paho.MQTTMessage) -> None:
        payload = bytes(message.payload)
        if message.topic == request:
            answers = [
                Report(run=asked.run, arm=asked.arm, message=asked.message, symbol=MIDDLE)
                for asked in wire.decode(payload)
                if isinstance(asked, Request)
            ]
            for frame in wire.pack_all(answers) if answers else ():
                client.publish(report, frame, qos=1)
            return
        if payload:  # a run; empty when it is over
            announced = load_announcement(payload)
            here = Status(
                presence=Presence.ONLINE, opening=announced.opening, epoch=announced.epoch
            )
            client.publish(status, dump_status(here), qos=1)

    client.on_connect = connected
    client.on_subscribe = lambda *_: subscribed.append(name)
    client.on_message = received


def main(port: int, count: int, runs: int = 0) -> None:
    selector = selectors.DefaultSelector()
    subscribed: list[str] = []
    names = [RUN] if not runs else [run_name(number) for number in range(runs)]
    for run, number in product(names, range(count)):
        client = make_client(f"{run}-{agent_name(number)}", selector)
        _serve(client, Topics(run), agent_name(number), subscribed)
        client.connect("127.0.0.1", port, keepalive=3600)
        client.loop_write()
        turn(selector, 0)
    while len(subscribed) < count * len(names):
        turn(selector, 1.0)
    print("ready", flush=True)
    while True:
        turn(selector, 1.0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
