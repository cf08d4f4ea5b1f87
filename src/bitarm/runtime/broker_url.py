"""Which broker, as whom, and trusted by which certificate.

A URL says where; a password comes from a file or the environment and never from a URL or a flag,
where every user of the machine could read it.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final
from urllib.parse import urlsplit

from bitarm.errors import ConfigError

PASSWORD_VARIABLE = "BITARM_PASSWORD"
# Client ids stand in a broker's log: a password that a person chose must not be guessed from one.
_ROUNDS = 100_000
_SECRET_BYTES = 8
_PORTS = {"mqtt": 1883, "mqtts": 8883}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A broker's address, and what it wants to see from us."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: Path | None = None  # trusted instead of the system's authorities

    @property
    def url(self) -> str:
        """The address in one word, without a user."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}"

    def client_id(self, label: str) -> str:
        """The client id of the process that `label` names; nobody else can know it.

        A broker closes a connection when another one comes with its id, whoever it is: with one
        account's password anybody could stop everybody. So the id ends in what only those can
        compute who have this account's password. It is the same for each connection: a process
        that comes back takes the place of its own dead connection, whose last will would
        otherwise be published after it was back. Without a password the label is the id.
        """
        if self.password is None:
            return label
        secret = hashlib.pbkdf2_hmac(
            "sha256", self.password.encode(), label.encode(), _ROUNDS, dklen=_SECRET_BYTES
        )
        return f"{label}-{secret.hex()}"


def read_broker(
    url: str,
    *,
    user: str,
    password_file: Path | None,
    ca: Path | None,
    environment: Mapping[str, str],
) -> Broker:
    """The broker that a URL names; `user` unless the URL names another."""
    try:
        parts = urlsplit(url)
        port = parts.port
        (parts.hostname or "").encode("idna")  # as who looks for it will: no label may be empty
    except ValueError as error:
        raise ConfigError(f"the broker's address {url!r} cannot be read: {error}") from None
    if parts.password is not None:
        raise ConfigError(
            "a password does not belong in a broker's address, where every user of this machine "
            f"can see it: put it into a file (--password-file) or into {PASSWORD_VARIABLE}"
        )
    if parts.scheme not in _PORTS or not parts.hostname or port == 0 or parts.path.strip("/"):
        raise ConfigError(
            f"a broker's address is mqtt://host[:port] or mqtts://host[:port], got {url!r}"
        )
    tls = parts.scheme == "mqtts"
    if ca is not None and not tls:
        raise ConfigError("a certificate authority (--ca) is for mqtts:// only: mqtt:// has no TLS")
    if ca is not None and not os.path.isfile(ca):
        raise ConfigError(f"the certificate authority {ca} is no file that can be read")
    password = _password(password_file, environment)
    return Broker(
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        tls=tls,
        user=(parts.username or user) if password or parts.username else None,
        password=password,
        ca=ca,
    )


def _password(file: Path | None, environment: Mapping[str, str]) -> str | None:
    if file is None:
        return environment.get(PASSWORD_VARIABLE) or None
    try:
        password = file.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the password file {file} cannot be read: {error}") from None
    if not password:
        raise ConfigError(f"the password file {file} is empty")
    return password
