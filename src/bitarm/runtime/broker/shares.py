"""How much one account may have the broker keep, and who sees to it.

An agent may write its status in every run, and whatever it marks as retained the broker keeps for
ever: with invented names of runs, one account could fill the broker's memory. Mosquitto has no
limit for that. So the broker's own account listens to what agents may write, and clears the
oldest of what an account has beyond its share.
"""

import contextlib
import secrets
import ssl
from collections.abc import Callable
from typing import Any, final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from bitarm.peer_log import is_milestone, printable
from bitarm.runtime.broker.accounts import BROKER
from bitarm.runtime.broker.configuration import Listener
from bitarm.runtime.broker.folder import BrokerFolder
from bitarm.wire.topics import LEARNER, ROOT

MOST_KEPT = 100
"""Messages that one account may have kept: runs of different names in which it took part."""
MOST_BYTES = 4 << 20
"""Bytes of the messages that one account may have kept: a status has up to 300,000 where a gateway
serves thousands of arms."""

_WRITTEN_BY_AGENTS = (f"{ROOT}/+/+/status", f"{ROOT}/+/+/report")
_AT_ONCE = 1_000  # packets in one pass, so that the broker's log is read too
_AGAIN_AFTER = 10  # passes without a connection


@final
class Shares:
    """What the broker keeps for each account, oldest first. Knows no connection."""

    def __init__(self, most: int = MOST_KEPT, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: dict[str, dict[str, int]] = {}  # by account: bytes of each topic

    def note(self, topic: str, size: int) -> list[str]:
        """A message was retained; the topics to be cleared so that its account has its share."""
        account = topic.split("/")[3]
        if account == LEARNER:
            return []
        kept = self._kept.setdefault(account, {})
        kept.pop(topic, None)
        if size:
            kept[topic] = size
        cleared = []
        while len(kept) > self._most or sum(kept.values()) > self._most_bytes:
            oldest = next(iter(kept))
            del kept[oldest]
            cleared.append(oldest)
        if not kept:
            del self._kept[account]
        return cleared


@final
class ShareKeeper:
    """Keeps the accounts of a running broker to their shares; `step` it now and then."""

    def __init__(
        self, listener: Listener, folder: BrokerFolder, tell: Callable[[str], None]
    ) -> None:
        self._listener, self._folder, self._tell = listener, folder, tell
        self._shares = Shares()
        self._cleared: dict[str, int] = {}  # by account
        self._client: mqtt.Client | None = None
        self._idle = 0
        self._heard = 0  # messages

    def step(self) -> None:
        """Take in what came, and clear what is too much; without a connection, try again."""
        if self._client is None:
            self._idle -= 1
            if self._idle < 0:
                self._connect()
            return
        for _ in range(_AT_ONCE):  # paho reads one packet at a time
            before = self._heard
            if self._client.loop(timeout=0) != mqtt.MQTT_ERR_SUCCESS:
                self._client, self._idle = None, _AGAIN_AFTER
                return
            if self._heard == before:
                return

    def close(self) -> None:
        """Leave the broker."""
        if self._client is not None:
            self._client.disconnect()
            self._client.loop(timeout=0)
            self._client = None

    def _connect(self) -> None:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"bitarm-shares-{secrets.token_hex(8)}",
            protocol=mqtt.MQTTv5,  # tells of messages that come later whether they are retained
            reconnect_on_failure=False,
        )
        client.username_pw_set(BROKER, self._folder.read_password(BROKER))
        client.tls_set_context(ssl.create_default_context(cafile=str(self._folder.ca_certificate)))
        client.on_connect = self._subscribe
        client.on_message = self._note
        self._idle = _AGAIN_AFTER
        with contextlib.suppress(OSError):  # it is asked again
            client.connect(self._listener.reached_at, self._listener.port)
            self._client = client

    def _subscribe(self, client: mqtt.Client, *_: Any) -> None:
        as_published = SubscribeOptions(qos=0, retainAsPublished=True)
        client.subscribe([(topic, as_published) for topic in _WRITTEN_BY_AGENTS])

    def _note(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        self._heard += 1
        if not message.retain:
            return
        for topic in self._shares.note(message.topic, len(message.payload)):
            client.publish(topic, b"", retain=True)
            account = topic.split("/")[3]
            times = self._cleared[account] = self._cleared.get(account, 0) + 1
            if is_milestone(times):
                self._tell(
                    f"cleared: {account} has more than {MOST_KEPT} messages or "
                    f"{MOST_BYTES >> 20} MiB kept here; {times:,} of its oldest are gone, "
                    f"last {printable(topic)}"
                )
