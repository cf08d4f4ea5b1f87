"""Many real agents in one thread: each with its own service, machine and connection."""

import selectors
import socket
import threading
from collections.abc import Sequence
from typing import Any

import paho.mqtt.client as paho
from brokers import PlainBroker
from paho.mqtt.enums import CallbackAPIVersion

from bitarm.runtime.agent.service import AgentService

_BURST = 50  # connections that are opened before the broker is given a turn


class AgentThread(threading.Thread):
    """Drives many agents' services over one broker until all of them are finished.

    `bitarm.runtime.mqtt` drives one service; two thousand of its loops would be as many threads.
    """

    def __init__(self, broker: PlainBroker, services: Sequence[AgentService]) -> None:
        super().__init__(daemon=True, name="agents")
        self._broker = broker
        self._services = services
        self._selector = selectors.DefaultSelector()
        self._news: set[int] = set()
        self._now = 0.0

    def run(self) -> None:
        """Connect all, then let those act that have heard something."""
        clients: list[paho.Client] = []
        for number, service in enumerate(self._services):
            clients.append(self._connect(number, service))
            if number % _BURST == 0:
                self._turn(0.0)
        while any(not service.finished for service in self._services):
            self._turn(0.2)
            self._now += 0.001  # the services' clock: nobody grows impatient
            news, self._news = self._news, set()
            for number in news:
                self._step(number, clients[number])
        for client in clients:
            client.disconnect()
            client.loop_write()
        self._selector.close()

    def _step(self, number: int, client: paho.Client) -> None:
        service = self._services[number]
        for said in service.step(self._now):
            client.publish(said.topic, said.payload, qos=1, retain=said.retain)
        if client.want_write():
            client.loop_write()
        if not service.finished and service.wake_at(self._now) <= self._now:
            self._news.add(number)  # there is more to pull

    def _connect(self, number: int, service: AgentService) -> paho.Client:
        endpoint = service.endpoint
        client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=endpoint.client_id, protocol=paho.MQTTv311
        )
        client.max_inflight_messages_set(0)
        client.will_set(endpoint.will.topic, endpoint.will.payload, qos=1, retain=True)

        def opened(client: paho.Client, data: Any, link: Any) -> None:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(link, selectors.EVENT_READ, client)

        def closed(client: paho.Client, data: Any, link: Any) -> None:
            self._selector.unregister(link)

        def connected(*_: Any) -> None:
            client.subscribe([(topic, 1) for topic in endpoint.subscriptions])

        def subscribed(*_: Any) -> None:
            service.connected(self._now)
            self._news.add(number)

        def received(client: paho.Client, data: Any, message: paho.MQTTMessage) -> None:
            service.received(message.topic, bytes(message.payload), retained=message.retain)
            self._news.add(number)

        client.on_socket_open = opened
        client.on_socket_close = closed
        client.on_socket_register_write = lambda *_: None
        client.on_connect = connected
        client.on_subscribe = subscribed
        client.on_message = received
        client.connect("127.0.0.1", self._broker.port, keepalive=600)
        client.loop_write()
        return client

    def _turn(self, timeout: float) -> None:
        for key, _ in self._selector.select(0.0 if self._news else timeout):
            client: paho.Client = key.data
            client.loop_read()
            if client.want_write():
                client.loop_write()
