"""Who may connect: a name and a password for each agent, for the learner, and nobody else.

A password is drawn here and written to a file of its own; nobody types it, so none is short. It
never stands on a command line, where every user of the machine could read it.
"""

import base64
import hashlib
import secrets
from collections.abc import Iterable, Mapping

from bitarm.errors import ConfigError
from bitarm.wire.topics import check_agent

CHIRPSTACK = "chirpstack"
"""A name with rights of its own, as the learner's is: see `bitarm.runtime.broker.access`."""
BROKER = "broker"
"""The account with which `bitarm broker run` looks after its own broker; handed out to nobody."""

_SECRET_BYTES = 32
_SALT_BYTES = 12
# Stretching protects passwords that people choose. These have 256 bits: more rounds would only let
# a thousand agents that reconnect at once keep the broker busy.
_ROUNDS = 101


def new_password() -> str:
    """256 bits from the system, in letters that need no quoting."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def hashed(password: str, salt: bytes | None = None) -> str:
    """A password as Mosquitto keeps it: `$7$rounds$salt$PBKDF2-HMAC-SHA512`."""
    salt = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def read_accounts(text: str) -> dict[str, str]:
    """Names and hashes, as Mosquitto's file has them."""
    accounts = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, colon, kept = line.partition(":")
        if not (name and colon and kept):
            raise ConfigError(f"line {number} of the accounts is not of the form name:hash")
        accounts[name] = kept
    return accounts


def write_accounts(accounts: Mapping[str, str]) -> str:
    """Names and hashes as the text of Mosquitto's file."""
    return "".join(f"{name}:{kept}\n" for name, kept in accounts.items())


def named(text: str) -> tuple[str, ...]:
    """The names in a list with commas, each once; ConfigError if no agent may be called so."""
    return distinct(part.strip() for part in text.split(","))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, each once; ConfigError if no agent may be called so."""
    found = tuple(dict.fromkeys(check_agent(name) for name in names))
    if BROKER in found:
        raise ConfigError(f"no agent may be called {BROKER}: that is the broker's own account")
    return found
