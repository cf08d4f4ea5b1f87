"""Does a broker answer? Asked as learner and agents will ask: TLS, name and password included."""

import secrets
import ssl
from typing import final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from bitarm.errors import TransportError
from bitarm.runtime.broker.accounts import BROKER
from bitarm.runtime.broker.configuration import Listener
from bitarm.runtime.broker.folder import BrokerFolder

_PATIENCE = 2.0  # seconds for one attempt


@final
class BrokerCheck:
    """Whether a broker answers: each call connects once, and goes away again."""

    def __init__(self, listener: Listener, folder: BrokerFolder | None = None) -> None:
        self._listener = listener
        self._folder = folder
        self._password = None if folder is None else folder.read_password(BROKER)

    def __call__(self) -> bool:
        """Whether the broker admitted us; TransportError if it is there and something is wrong."""
        codes: list[ReasonCode] = []
        client = self._client()
        client.on_connect = lambda _client, _data, _flags, code, _properties: codes.append(code)
        try:
            client.connect(self._listener.reached_at, self._listener.port)
        except ssl.SSLError as error:
            raise TransportError(f"the broker's certificate is refused: {error}") from None
        except OSError:
            return False  # not listening yet
        while not codes and client.loop(timeout=_PATIENCE) == mqtt.MQTT_ERR_SUCCESS:
            pass
        client.disconnect()
        client.loop(timeout=0)
        if codes and codes[0].is_failure and self._password is not None:
            raise TransportError(f"the broker does not admit its own account: {codes[0]}")
        return bool(codes)

    def _client(self) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"bitarm-start-{secrets.token_hex(8)}"
        )
        client.connect_timeout = _PATIENCE
        if self._folder is not None:
            client.tls_set_context(
                ssl.create_default_context(cafile=str(self._folder.ca_certificate))
            )
            client.username_pw_set(BROKER, self._password)
        return client
