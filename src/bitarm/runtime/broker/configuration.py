"""How Mosquitto is told what to do: where to listen, whom to admit, how much to take."""

import pwd
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from bitarm.errors import ConfigError
from bitarm.runtime.broker.authority import is_loopback
from bitarm.runtime.broker.folder import BrokerFolder

LOOPBACK = "127.0.0.1"
EVERYWHERE = "*"
TLS_PORT = 8883
PLAIN_PORT = 1883

# The largest message is the retained settings of a run: some 60 bytes an arm. Frames have 32 KiB.
MAX_PACKET_BYTES = 1 << 20
# Mosquitto's default of 1,000 would drop reports of a larger fleet that answers at once; the bytes
# bound what one client that does not read can make the broker hold.
_MAX_QUEUED = 100_000
_MAX_QUEUED_BYTES = 64 << 20
_MAX_IN_FLIGHT = 1_000
# All that the broker may hold; who asks for more is shut out, and the others go on.
_MEMORY_BYTES = 1 << 30

_LIMITS = f"""\
allow_zero_length_clientid false
max_packet_size {MAX_PACKET_BYTES}
max_queued_messages {_MAX_QUEUED}
max_queued_bytes {_MAX_QUEUED_BYTES}
max_inflight_messages {_MAX_IN_FLIGHT}
memory_limit {_MEMORY_BYTES}
set_tcp_nodelay true
sys_interval 0
log_dest stderr
log_timestamp false
log_type error
log_type warning
log_type notice
log_type information
"""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Where the broker is reached. Past this machine it speaks TLS only."""

    address: str  # an address of this machine, or EVERYWHERE
    port: int
    tls: bool

    def __post_init__(self) -> None:
        if not 1 <= self.port <= 65535:
            raise ConfigError(f"a port lies between 1 and 65535, got {self.port}")
        if not self.tls and not is_loopback(self.address):
            raise ConfigError(
                f"a broker without TLS listens on {LOOPBACK} only, not on {self.address}: "
                "passwords and reports would be open to everyone on the way"
            )

    @property
    def reached_at(self) -> str:
        """An address at which this machine reaches its own broker."""
        return LOOPBACK if self.address == EVERYWHERE else self.address

    @property
    def line(self) -> str:
        """The listener as a line of Mosquitto's configuration."""
        return f"listener {self.port}" + (f" {self.address}" if self.address != EVERYWHERE else "")


def guarded(folder: BrokerFolder, listener: Listener) -> str:
    """The configuration of a broker with TLS, accounts and access rules.

    Sessions that outlive their connection end after an hour: ours do not outlive it, and one
    account could open any number of them.

    Mosquitto tells of a denied message in its debug log only; `bitarm.runtime.broker.mosquitto_log`
    picks these lines out.
    """
    if not listener.tls:
        raise ConfigError("a broker with accounts speaks TLS: passwords must not travel openly")
    path = folder.path.resolve()  # a name that Mosquitto's lines can hold: see `provision`
    place = BrokerFolder(path)
    return f"""\
# Written by `bitarm broker run` at every start. Lines of your own go into conf.d/*.conf.
{_owner(path)}{listener.line}
certfile {place.server}
keyfile {place.server}
tls_version tlsv1.2
allow_anonymous false
password_file {place.accounts}
acl_file {place.access}
persistence true
persistence_location {place.data}/
autosave_interval 60
persistent_client_expiration 1h
{_LIMITS}log_type subscribe
log_type debug
include_dir {place.own_lines}
"""


def unguarded(listener: Listener) -> str:
    """The configuration of a broker for trials: this machine only, no accounts, nothing kept."""
    if listener.tls:
        raise ConfigError("a broker for trials has no certificate")
    return f"{listener.line}\nallow_anonymous true\npersistence false\n{_LIMITS}"


def write_settings(listener: Listener) -> str:
    """`broker.toml`: what a person may change."""
    return (
        f"# {EVERYWHERE!r} listens on all networks of this machine, {LOOPBACK!r} on none.\n"
        f'listen = "{listener.address}"\nport = {listener.port}\n'
    )


def read_settings(text: str, *, port: int | None) -> Listener:
    """Where a broker listens; `port` wins over what the file says."""
    try:
        given: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number too long, lists too deep
        raise ConfigError(f"broker.toml is not valid TOML: {error}") from None
    listen, kept = given.pop("listen", LOOPBACK), given.pop("port", TLS_PORT)
    if given or not isinstance(listen, str) or type(kept) is not int:
        raise ConfigError("broker.toml has two words: listen, a text, and port, a whole number")
    return Listener(address=listen, port=kept if port is None else port, tls=True)


def _owner(path: Path) -> str:
    """Started by root, Mosquitto becomes the folder's owner, whose files it must read."""
    try:
        return f"user {pwd.getpwuid(path.stat().st_uid).pw_name}\n"
    except (KeyError, FileNotFoundError):
        return ""
