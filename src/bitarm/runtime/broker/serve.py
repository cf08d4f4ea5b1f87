"""A broker from its start to its end: what it is started with, what is told, when it reloads."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bitarm.errors import ConfigError
from bitarm.runtime.broker import authority, configuration, provision
from bitarm.runtime.broker.check import BrokerCheck
from bitarm.runtime.broker.configuration import Listener
from bitarm.runtime.broker.folder import BrokerFolder, read, read_text, write_private
from bitarm.runtime.broker.mosquitto import Mosquitto, find_mosquitto, running
from bitarm.runtime.broker.mosquitto_log import RefusalReader
from bitarm.runtime.broker.shares import ShareKeeper

Teller = Callable[[str], None]
"""Told one line at a time."""

_LOOK_EVERY = 0.5  # seconds between looks at the files


def serve(folder: BrokerFolder, port: int | None, *, started: Teller, tell: Teller) -> None:
    """Run the broker of a folder until an exception (Ctrl-C, say) ends it.

    `started` is told its URL once it answers, `tell` every refusal. Accounts and certificates that
    change on the disk are taken up within a second.
    """
    folder.require()
    program = find_mosquitto()
    listener = configuration.read_settings(read_text(folder.settings), port=port)
    _check_certificates(folder, tell)
    write_private(folder.configuration, configuration.guarded(folder, listener))
    provision.refresh(folder)
    reader = RefusalReader(provision.grants_of(folder))
    keeper = ShareKeeper(listener, folder, tell)
    with running(program, folder.configuration, listener) as broker, closing(keeper):
        broker.await_answer(BrokerCheck(listener, folder))
        started(f"mqtts://{_host(folder, listener)}:{listener.port}")
        watched = _stamps(folder)
        while True:
            for line in broker.lines(_LOOK_EVERY):
                if told := reader.read(line):
                    tell(told)
            keeper.step()
            if (now := _stamps(folder)) != watched:
                watched = now
                _take_up(broker, folder, reader, tell)


def serve_open(port: int, *, started: Teller, tell: Teller) -> None:
    """Run a broker for trials, without accounts, on this machine only; nothing is kept."""
    program = find_mosquitto()
    listener = Listener(address=configuration.LOOPBACK, port=port, tls=False)
    with tempfile.TemporaryDirectory(prefix="bitarm-broker-") as place:
        path = Path(place) / "mosquitto.conf"
        write_private(path, configuration.unguarded(listener))
        with running(program, path, listener) as broker:
            broker.await_answer(BrokerCheck(listener))
            started(f"mqtt://{listener.address}:{listener.port}")
            while True:
                for line in broker.lines(_LOOK_EVERY):
                    if line.startswith("Error"):
                        tell(line)


def _check_certificates(folder: BrokerFolder, tell: Teller) -> None:
    now = datetime.now(UTC)
    for path in (folder.ca_certificate, folder.server):
        end = authority.expiry(read(path))
        if end <= now:
            raise ConfigError(
                f"{path} expired on {end:%Y-%m-%d}, and no client would connect: "
                f"bitarm broker renew {folder.path}"
            )
        if end - now < authority.RENEW_BEFORE:
            tell(f"{path} expires on {end:%Y-%m-%d}: bitarm broker renew {folder.path}")


def _host(folder: BrokerFolder, listener: Listener) -> str:
    """The name by which others reach it, as its certificate has it."""
    if listener.address != configuration.EVERYWHERE:
        return "localhost" if authority.is_loopback(listener.address) else listener.address
    hosts = authority.hosts_of(read(folder.server))
    return next((host for host in hosts if not authority.is_loopback(host)), "localhost")


Stamps = tuple[int, ...]


def _stamps(folder: BrokerFolder) -> Stamps:
    """When the files that Mosquitto can read again were written."""
    watched = (folder.accounts, folder.access, folder.grants, folder.server)
    return tuple(map(_written_at, watched))


def _written_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # it is not there, or was taken away just now
        return 0


def _take_up(broker: Mosquitto, folder: BrokerFolder, reader: RefusalReader, tell: Teller) -> None:
    """Have changed files read again; grants that cannot be read change nothing."""
    try:
        provision.refresh(folder)
        reader.grants = provision.grants_of(folder)
    except ConfigError as error:
        tell(f"{folder.path}: {error}; the rules stay as they were")
    broker.reload()
