"""What is made, kept and changed when a broker is set up, grows, shrinks or is renewed.

Every step can be repeated: what is there is kept, secrets above all. A set-up that was cut off is
finished by the same call.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import final

from bitarm.errors import ConfigError
from bitarm.runtime.broker import accounts, authority, configuration
from bitarm.runtime.broker.access import access_list
from bitarm.runtime.broker.accounts import BROKER
from bitarm.runtime.broker.authority import KeyPair
from bitarm.runtime.broker.configuration import Listener
from bitarm.runtime.broker.folder import BrokerFolder, read, read_text, write_private, write_public
from bitarm.runtime.broker.grants import Grant, read_grants, write_grants
from bitarm.wire.topics import LEARNER

_ALWAYS = ("localhost", "127.0.0.1", "::1")  # the broker's own machine


class Deed(Enum):
    """What was done to a file."""

    MADE = "made"
    KEPT = "kept"
    CHANGED = "changed"
    REMOVED = "removed"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file and what was done to it."""

    path: Path
    deed: Deed


def set_up(
    folder: BrokerFolder,
    agents: Sequence[str],
    hosts: Sequence[str],
    port: int | None,
    now: datetime,
) -> list[Change]:
    """Make all that a broker needs; agents, hosts and the port may be added to an old one."""
    checked = tuple(authority.check_host(host) for host in hosts)
    names = accounts.distinct(agents)
    _refuse_unfit(folder)
    settings = configuration.write_settings(_listener(folder, checked, port))
    folder.create()
    # The settings come first: they mark the folder as a broker's, so that a set-up can be finished.
    changes = [_content(folder.settings, settings), _authority(folder, now)]
    changes.append(_server(folder, checked, now))
    changes.append(_access(folder))
    return [*changes, *_enrol(folder, (LEARNER, *names)), *_enrol_itself(folder)]


def refresh(folder: BrokerFolder) -> None:
    """Bring up to date what a broker is started with: its access rules and its own account."""
    _access(folder)
    _enrol_itself(folder)


def add(folder: BrokerFolder, agents: Sequence[str]) -> list[Change]:
    """Make a password for each agent that has none."""
    folder.require()
    return _enrol(folder, accounts.distinct(agents))


def remove(folder: BrokerFolder, agents: Sequence[str]) -> list[Change]:
    """Shut agents out: their names and passwords are no longer good."""
    folder.require()
    names = accounts.distinct(agents)
    known = accounts.read_accounts(read_text(folder.accounts))
    for name in names:
        if name not in known:
            raise ConfigError(f"{folder.path} has no agent {name!r}: it has {_list(known)}")
    left = {name: kept for name, kept in known.items() if name not in names}
    write_private(folder.accounts, accounts.write_accounts(left))
    _grant(folder, [grant for grant in grants_of(folder) if grant.user not in names])
    for name in names:
        folder.password(name).unlink(missing_ok=True)
    return [Change(path=folder.password(name), deed=Deed.REMOVED) for name in names]


def grant(folder: BrokerFolder, grants: Sequence[Grant]) -> list[Change]:
    """Let accounts read or write topics beside those of all agents."""
    folder.require()
    known = accounts.read_accounts(read_text(folder.accounts))
    for given in grants:
        if given.user not in known:
            raise ConfigError(
                f"{folder.path} has no account {given.user!r}: it has {_list(known)}; "
                f"bitarm broker add {folder.path} {given.user} makes one"
            )
    return _grant(folder, list(dict.fromkeys((*grants_of(folder), *grants))))


def grants_of(folder: BrokerFolder) -> tuple[Grant, ...]:
    """What single accounts may do beside the rules for all."""
    return read_grants(read_text(folder.grants)) if folder.grants.exists() else ()


def renew(folder: BrokerFolder, now: datetime) -> list[Change]:
    """Make a new server certificate, and a new authority if that is about to expire."""
    folder.require()
    changes = [_authority(folder, now)]
    hosts = authority.hosts_of(read(folder.server))
    changes.append(_issue(folder, hosts, now, Deed.CHANGED))
    return changes


def agents_of(folder: BrokerFolder) -> tuple[str, ...]:
    """The names that may connect beside the learner."""
    known = accounts.read_accounts(read_text(folder.accounts))
    return tuple(name for name in known if name not in (LEARNER, BROKER))


def _refuse_unfit(folder: BrokerFolder) -> None:
    """Refuse a folder that holds something else: keys must not be scattered over it."""
    path = folder.path
    name = str(path.resolve())
    if not name.isprintable() or name != name.strip():
        raise ConfigError(
            "a broker's folder stands in lines of Mosquitto's configuration: it must not end in a "
            f"space or hold a line break, got {name!r}"
        )
    try:
        if path.exists() and not folder.settings.exists() and any(path.iterdir()):
            raise ConfigError(f"{path} is not empty and holds no broker: name a folder of its own")
    except OSError as error:
        raise ConfigError(f"the broker's folder cannot be used: {error}") from None


def _listener(folder: BrokerFolder, hosts: Sequence[str], port: int | None) -> Listener:
    """Where the broker is to listen: past this machine as soon as it has a name out there."""
    text = read_text(folder.settings) if folder.settings.exists() else ""
    before = configuration.read_settings(text, port=port)
    named = any(not authority.is_loopback(host) for host in hosts)
    opened = named and authority.is_loopback(before.address)
    return Listener(
        address=configuration.EVERYWHERE if opened else before.address, port=before.port, tls=True
    )


def _authority(folder: BrokerFolder, now: datetime) -> Change:
    path = folder.ca_certificate
    there = path.exists()
    if there and authority.expiry(read(path)) - now > authority.RENEW_BEFORE:
        return Change(path=path, deed=Deed.KEPT)
    pair = authority.new_authority(now)
    write_private(folder.ca_key, pair.key)
    write_public(path, pair.certificate)
    return Change(path=path, deed=Deed.CHANGED if there else Deed.MADE)


def _server(folder: BrokerFolder, hosts: Sequence[str], now: datetime) -> Change:
    path = folder.server
    if not path.exists():
        return _issue(folder, authority.merged(_ALWAYS, hosts), now, Deed.MADE)
    old = read(path)
    known = authority.hosts_of(old)
    wanted = authority.merged(known, hosts)
    if wanted == known and authority.expiry(old) - now > authority.RENEW_BEFORE:
        return Change(path=path, deed=Deed.KEPT)
    return _issue(folder, wanted, now, Deed.CHANGED)


def _issue(folder: BrokerFolder, hosts: Sequence[str], now: datetime, deed: Deed) -> Change:
    if not folder.ca_key.exists():
        raise ConfigError(f"{folder.ca_key} is needed to sign a certificate: put it back for now")
    signer = KeyPair(certificate=read(folder.ca_certificate), key=read(folder.ca_key))
    pair = authority.new_server(signer, hosts, now)
    write_private(folder.server, pair.pem)
    return Change(path=folder.server, deed=deed)


def _enrol(folder: BrokerFolder, names: Iterable[str]) -> list[Change]:
    """An account decides: its password's file may have been moved to the agent's machine."""
    there = folder.accounts.exists()
    known = accounts.read_accounts(read_text(folder.accounts)) if there else {}
    changes = []
    for name in names:
        path = folder.password(name)
        if name in known:
            changes.append(Change(path=path, deed=Deed.KEPT))
            continue
        if not path.exists():
            write_private(path, accounts.new_password() + "\n")
        known[name] = accounts.hashed(folder.read_password(name))
        changes.append(Change(path=path, deed=Deed.MADE))
    if not there or any(change.deed is Deed.MADE for change in changes):
        write_private(folder.accounts, accounts.write_accounts(known))
    return changes


def _enrol_itself(folder: BrokerFolder) -> list[Change]:
    """The broker's own account; its password stays here, and is drawn again if it was moved."""
    known = accounts.read_accounts(read_text(folder.accounts))
    if BROKER in known and not folder.password(BROKER).exists():
        del known[BROKER]
        write_private(folder.accounts, accounts.write_accounts(known))
    return _enrol(folder, (BROKER,))


def _grant(folder: BrokerFolder, grants: Sequence[Grant]) -> list[Change]:
    return [_content(folder.grants, write_grants(grants)), _access(folder)]


def _access(folder: BrokerFolder) -> Change:
    return _content(folder.access, access_list(grants_of(folder)))


def _content(path: Path, content: str) -> Change:
    if not path.exists():
        write_private(path, content)
        return Change(path=path, deed=Deed.MADE)
    if read_text(path) == content:
        return Change(path=path, deed=Deed.KEPT)
    write_private(path, content)
    return Change(path=path, deed=Deed.CHANGED)


def _list(known: Iterable[str]) -> str:
    return ", ".join(name for name in known if name not in (LEARNER, BROKER)) or "none"
