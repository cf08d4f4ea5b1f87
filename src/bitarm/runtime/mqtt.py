"""A service joined to a broker: paho's client driven by one selector loop of ours.

Each connection is a new client with a clean session: what must survive is in the journal and in
the agents' files, and a queue that the broker kept would be a second memory that may be stale.
No thread is started: paho's own loop fails silently past a few hundred clients in a process.
"""

import contextlib
import logging
import math
import selectors
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any, final

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from bitarm.errors import TransportError
from bitarm.runtime.backoff import Backoff
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.patience import Patience
from bitarm.runtime.service import Publication, Service
from bitarm.runtime.signals import Stopper

_LOGGER = logging.getLogger("bitarm.mqtt")
_KEEP_ALIVE = 30  # seconds; the broker gives a silent peer up after one and a half times that
_LOOK_EVERY = 1.0  # seconds between two looks at the keep-alive
_ANSWER_WITHIN = 10.0  # seconds for a broker to accept us
_LAST_CHANCE = 0.1, 1.0  # seconds, least and most, of an attempt that begins just before giving up
_SAY_AFTER = 3.0  # seconds without a broker after which to say so
_FLUSH_WITHIN = 3.0
_LEAVE_WITHIN = 1.0  # seconds for the broker to close the line once we have said that we go
_DISCONNECT = b"\xe0\x00"  # MQTT's packet: paho would close the line with it
_MOST_PACKETS = 1024  # read in one pass,
_MOST_BYTES = 4 << 20  # and their bytes: what came is held until the service acts on it
_REFUSALS = {"Not authorized", "Bad user name or password", "Banned"}


@final
class MqttDriver:
    """Runs one service over one broker until the service is finished.

    Until the first connection it tries for `patience` seconds, and a second longer at most where
    the last attempt began late; a connection that breaks later is made again for as long as it
    takes, whatever broke it. A broker that refuses us is an error at once; one whose certificate is
    not trusted is an error only at first: later, somebody on the line could end us with it.
    """

    def __init__(
        self,
        service: Service,
        broker: Broker,
        *,
        patience: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._broker = broker
        self._clock = clock
        self._give_up_at = clock() + patience
        shortest, longest = _LAST_CHANCE
        self._last_chance = max(shortest, min(patience, longest))
        self._selector = selectors.DefaultSelector()
        self._client: paho.Client | None = None
        self._ready = False  # accepted and subscribed
        self._since = 0.0  # when this connection was accepted
        self._answer_by = 0.0  # when it must have been
        self._try_at = 0.0
        self._backoff = Backoff()
        self._patience = Patience(_SAY_AFTER)  # with a broker that does not answer
        self._client_id = broker.client_id(service.endpoint.client_id)
        self._look_at = 0.0
        self._unacknowledged = 0
        self._packets = 0  # that meant something to us
        self._bytes = 0  # of messages in this pass
        self._error: TransportError | None = None

    def run(self, stopper: Stopper | None = None) -> None:
        """Drive the service until it is finished or a signal comes; then call again, or close."""
        if stopper is not None:
            self._selector.register(stopper, selectors.EVENT_READ)
        try:
            while not self._service.finished and not (stopper and stopper.received):
                self._pass()
        finally:
            if stopper is not None:
                self._selector.unregister(stopper)

    def publish(self, publications: Iterable[Publication]) -> None:
        """Hand messages to the broker; without a connection they are forgotten."""
        for publication in publications:
            if self._client is None or not self._ready:
                _LOGGER.debug("not connected: nothing sent to %s", publication.topic)
                continue
            self._unacknowledged += 1
            self._client.publish(
                publication.topic, publication.payload, qos=1, retain=publication.retain
            )

    def close(self) -> None:
        """Wait a little until the broker has all that was said, and leave in order."""
        deadline = self._clock() + _FLUSH_WITHIN
        with contextlib.suppress(TransportError):
            while self._ready and self._unacknowledged and self._clock() < deadline:
                self._exchange(0.05)
        if self._client is not None and self._ready:
            self._hear_out(self._client)
        self.hang_up()

    def hang_up(self) -> None:
        """Leave as a process that is killed does, without a word: the broker publishes our will."""
        if self._client is not None:
            self._forget(self._client)
            self._client = None
        self._selector.close()

    def _hear_out(self, client: paho.Client) -> None:
        """Disconnect, and read until the broker has closed the line.

        If we closed it while something of the broker's is unread, TCP would reset it: the broker
        may then lose what we said last, our leaving included, and publish our will.
        """
        link: Any = client.socket()
        if link is None:
            return
        deadline = self._clock() + _LEAVE_WITHIN
        client.on_disconnect = None
        with contextlib.suppress(OSError):
            link.settimeout(_LEAVE_WITHIN)
            client.loop_write()  # acknowledgements of what came last
            link.sendall(_DISCONNECT)
            while link.recv(1 << 16) and self._clock() < deadline:
                pass

    # -- the loop ----------------------------------------------------------------------------

    def _pass(self) -> None:
        now = self._clock()
        if self._client is None and now >= self._try_at:
            self._connect(now)
            now = self._clock()
        until = min(self._service.wake_at(now), self._look_at if self._client else self._try_at)
        self._exchange(max(0.0, until - now))
        self.publish(self._service.step(self._clock()))

    def _exchange(self, timeout: float) -> None:
        """Wait for the socket, then read and write what it will take."""
        client = self._client
        if client is not None and client.want_write():
            client.loop_write()  # mostly the socket takes it at once: no wait, no registration
        self._watch_socket()
        is_due = client is not None and _has_read_ahead(client)  # select cannot see that
        for key, ready in self._selector.select(0.0 if is_due else timeout):
            if isinstance(key.fileobj, Stopper):
                key.fileobj.drain()
            elif self._client is not None:
                is_due |= bool(ready & selectors.EVENT_READ)
                if ready & selectors.EVENT_WRITE:
                    self._client.loop_write()
        if is_due and self._client is not None:
            self._read(self._client)
        self._look(self._clock())
        if self._error is not None:
            raise self._error

    def _read(self, client: paho.Client) -> None:
        """Read all that is there, so that what came together is acted on together."""
        self._bytes = 0
        for _ in range(_MOST_PACKETS):
            if self._bytes >= _MOST_BYTES:
                return  # the broker keeps the rest, and no longer than it has room
            before = self._packets
            client.loop_read()
            if self._packets == before and not _has_read_ahead(client):
                return

    def _watch_socket(self) -> None:
        link = self._client.socket() if self._client is not None else None
        if self._client is None or link is None:
            return
        events = selectors.EVENT_READ
        if self._client.want_write():
            events |= selectors.EVENT_WRITE
        with contextlib.suppress(KeyError):
            if self._selector.get_key(link).events != events:
                self._selector.modify(link, events)

    def _look(self, now: float) -> None:
        """Now and then: keep the connection alive, and drop one that was never answered."""
        if self._client is None or now < self._look_at:
            return
        self._look_at = now + _LOOK_EVERY
        self._client.loop_misc()
        if self._client is None or self._ready:
            return
        if now >= self._answer_by:
            self._drop("it accepts connections and does not answer", now)
        self._look_at = min(self._look_at, self._answer_by)

    # -- connecting --------------------------------------------------------------------------

    def _new_client(self, within: float) -> paho.Client:
        """A client that has `within` seconds to connect, and tells us of all that happens."""
        broker, will = self._broker, self._service.endpoint.will
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            protocol=paho.MQTTv311,
            clean_session=True,
            reconnect_on_failure=False,
        )
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        client.will_set(will.topic, will.payload, qos=1, retain=will.retain)
        client.max_inflight_messages_set(0)  # no window of paho's own: the broker's is enough
        client.connect_timeout = within
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        client.on_disconnect = self._on_disconnect
        client.on_socket_open = self._on_socket_open
        client.on_socket_close = self._on_socket_close
        client.on_socket_register_write = _wait_for_the_loop
        return client

    def _connect(self, now: float) -> None:
        broker = self._broker
        within = min(_ANSWER_WITHIN, max(self._give_up_at - now, self._last_chance))
        client = self._new_client(within)
        self._client, self._ready, self._unacknowledged = client, False, 0
        self._look_at, self._answer_by = now, now + within
        try:
            if broker.tls:
                client.tls_set_context(self._tls())
            client.connect(broker.host, broker.port, keepalive=_KEEP_ALIVE)
        except ssl.SSLCertVerificationError as error:
            self._distrust(
                f"the certificate of {broker.url} is not trusted: {error.verify_message}. "
                "Give the authority that signed it (--ca), use the host name it was made for, "
                "or renew it if it has expired",
                client,
            )
        except TransportError as error:
            self._distrust(str(error), client)
        except ssl.SSLError as error:
            self._forget(client)
            self._client = None
            self._failed(
                f"no TLS there ({error.reason or error}): is it an mqtt:// port?", self._clock()
            )
        except OSError as error:
            self._client = None
            is_plain = broker.tls and isinstance(error, ConnectionError)
            self._failed(f"{error}{': is it an mqtt:// port?' * is_plain}", self._clock())

    def _tls(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self._broker.ca)
        except (OSError, ssl.SSLError) as error:
            raise TransportError(
                f"the certificate authority {self._broker.ca} cannot be used: {error}"
            ) from error

    def _distrust(self, why: str, client: paho.Client) -> None:
        """Leave a broker that cannot be trusted: an error, unless one was trusted before."""
        self._forget(client)
        self._client = None
        if self._give_up_at < math.inf:
            raise TransportError(why)
        self._failed(why, self._clock())

    def _failed(self, why: str, now: float) -> None:
        """An attempt failed: try again later, or give up if there never was a connection."""
        if now >= self._give_up_at:
            raise TransportError(
                f"no broker answers at {self._broker.url}: {why}. "
                "Check the address, and that the broker is running"
            )
        waited = self._patience.waited(now)
        if waited is None:
            _LOGGER.info("%s: %s; trying again", self._broker.url, why)
        else:
            _LOGGER.warning(
                "bitarm has waited %.0f s for the broker at %s, and goes on trying: %s",
                waited,
                self._broker.url,
                why,
            )
        self._try_at = now + self._backoff.after_failure()

    def _drop(self, why: str, now: float) -> None:
        client, self._client = self._client, None
        if client is not None:
            self._forget(client)
        was_ready, self._ready = self._ready, False
        if not was_ready:
            self._failed(why, now)
            return
        self._service.disconnected(now)
        _LOGGER.warning("connection to %s lost: %s", self._broker.url, why)
        wait = self._backoff.after_loss(now - self._since)
        self._try_at = now + wait
        if self._backoff.is_suspect:
            _LOGGER.warning(
                "%s has closed %d connections of %s in a row, each soon after it was made. Perhaps "
                "another process has the same name there: a run has one learner, and each agent is "
                "one process on one machine. Or somebody else knows its password: give it a new "
                "one. The broker's log says who came in its place. Trying again in %.1f s",
                self._broker.url,
                self._backoff.pushes,
                self._service.endpoint.client_id,
                wait,
            )

    def _forget(self, client: paho.Client) -> None:
        client.on_disconnect = None
        link = client.socket()
        if link is not None:
            self._on_socket_close(client, None, link)
            link.close()

    # -- what paho calls ---------------------------------------------------------------------

    def _on_socket_open(self, client: paho.Client, data: Any, link: Any) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else 40 ms a message
        self._selector.register(link, selectors.EVENT_READ)

    def _on_socket_close(self, client: paho.Client, data: Any, link: Any) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(link)

    def _on_connect(self, client: paho.Client, data: Any, flags: Any, reason: Any, _: Any) -> None:
        if reason.is_failure:
            if str(reason) in _REFUSALS:
                who = self._broker.user or "nobody (no password was given)"
                self._error = TransportError(
                    f"{self._broker.url} refuses {who}: {str(reason).lower()}. "
                    "Check the user name and the password file"
                )
            return
        client.subscribe([(topic, 1) for topic in self._service.endpoint.subscriptions])

    def _on_subscribe(self, client: paho.Client, data: Any, mid: int, reasons: Any, _: Any) -> None:
        refused = [
            topic
            for topic, reason in zip(self._service.endpoint.subscriptions, reasons, strict=True)
            if reason.is_failure
        ]
        if refused:
            self._error = TransportError(
                f"{self._broker.url} does not let {self._broker.user} read {', '.join(refused)}: "
                "its access list must allow it"
            )
            return
        self._ready, self._since = True, self._clock()
        self._give_up_at = math.inf
        self._patience.over()
        self._service.connected(self._since)

    def _on_message(self, client: paho.Client, data: Any, message: paho.MQTTMessage) -> None:
        self._packets += 1
        self._bytes += len(message.payload)
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return  # no topic of ours
        self._service.received(topic, bytes(message.payload), retained=message.retain)

    def _on_publish(self, client: paho.Client, data: Any, mid: int, reason: Any, _: Any) -> None:
        self._unacknowledged -= 1
        self._packets += 1

    def _on_disconnect(
        self, client: paho.Client, data: Any, flags: Any, reason: Any, _: Any
    ) -> None:
        if client is self._client and self._error is None:
            try:
                why = "closed by the other side"
                if not self._ready and not self._broker.tls:
                    why += " before it answered; does it want mqtts://?"
                self._drop(why, self._clock())
            except TransportError as error:  # raised by our own loop, not from inside paho's
                self._error = error


def _has_read_ahead(client: paho.Client) -> bool:
    """Whether TLS holds bytes that it has taken from the socket, and nobody has read."""
    link: Any = client.socket()
    return isinstance(link, ssl.SSLSocket) and link.pending() > 0


def _wait_for_the_loop(client: paho.Client, data: Any, link: Any) -> None:
    """Its presence alone makes paho leave writing to us."""
