"""`bitarm broker`: a Mosquitto broker with TLS, a password for each agent, and access rules."""

import re
import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from bitarm.api.arm_tables import load_arms
from bitarm.api.extras import require
from bitarm.cli.exits import notify
from bitarm.errors import ConfigError
from bitarm.peer_log import Allowances
from bitarm.runtime.signals import obeyed

if TYPE_CHECKING:
    from bitarm.runtime.broker.provision import Change

_broker = typer.Typer(
    no_args_is_help=True, help="A Mosquitto broker with TLS, passwords and access rules."
)

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The broker's folder")]
_MOST_LINES = 12
_LINES_AT_ONCE = 200  # about one offender: what it tried differs, and each may matter
_PORT = re.compile(r":\d+")  # of an address: each connection has another
AgentsArgument = Annotated[list[str], typer.Argument(metavar="AGENT", help="Names of agents")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the program, under one name."""
    app.add_typer(_broker, name="broker")


@_broker.command()
def init(
    folder: FolderArgument,
    agents: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Names of the agents", show_default=False)
    ] = None,
    problem: Annotated[
        Path | None,
        typer.Option(
            metavar="PROBLEM.toml", help="Take the agents from this file", show_default=False
        ),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name or address of this machine, as agents will call it; may be repeated. "
            "Without one, only this machine is served",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Where to listen (8883)", show_default=False)
    ] = None,
) -> None:
    """Make authority, certificate, passwords and access rules; keep what is there.

    Give each agent its own file from DIR/passwords and everyone DIR/ca.crt.
    """
    _require_net()
    from bitarm.runtime.broker import accounts, provision
    from bitarm.runtime.broker.folder import BrokerFolder

    if (agents is None) == (problem is None):
        raise ConfigError("the agents come from --agents A,B,C or from --problem FILE: give one")
    names = accounts.named(agents) if agents is not None else _agents_in(problem)
    _report(
        provision.set_up(BrokerFolder(folder), names, host or (), port, datetime.now(UTC)),
    )
    typer.echo(f"start it with: bitarm broker run {shlex.quote(str(folder))}")


@_broker.command()
def add(folder: FolderArgument, agents: AgentsArgument) -> None:
    """Add agents; nobody else's password changes. A running broker takes them up by itself."""
    _require_net()
    from bitarm.runtime.broker import provision
    from bitarm.runtime.broker.folder import BrokerFolder

    _report(provision.add(BrokerFolder(folder), agents))


@_broker.command()
def remove(folder: FolderArgument, agents: AgentsArgument) -> None:
    """Shut agents out. A running broker refuses their next connection."""
    _require_net()
    from bitarm.runtime.broker import provision
    from bitarm.runtime.broker.folder import BrokerFolder

    _report(provision.remove(BrokerFolder(folder), agents))


@_broker.command()
def grant(
    folder: FolderArgument,
    account: Annotated[str, typer.Argument(metavar="ACCOUNT", help="Whose right it is")],
    read: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC", help="It may read this; may be repeated", show_default=False),
    ] = None,
    write: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPIC", help="It may write this; may be repeated", show_default=False
        ),
    ] = None,
) -> None:
    """Let an account read or write topics outside bitarm/: a sensor's, and the agent that listens.

    Without it, accounts reach bitarm's own topics only. DIR/grants has what was granted; a running
    broker takes changes up by itself.
    """
    _require_net()
    from bitarm.runtime.broker import provision
    from bitarm.runtime.broker.folder import BrokerFolder
    from bitarm.runtime.broker.grants import Grant, Right

    if not read and not write:
        raise ConfigError("say what is granted: --read TOPIC, --write TOPIC, or both")
    given = [
        Grant(user=account, right=right, topic=topic)
        for right, topics in ((Right.READ, read or ()), (Right.WRITE, write or ()))
        for topic in topics
    ]
    _report(provision.grant(BrokerFolder(folder), given))


@_broker.command()
def renew(folder: FolderArgument) -> None:
    """Make a new server certificate (good for 13 months); agents need nothing new.

    The authority lasts ten years; in its last month it is renewed too, and then everyone needs the
    new DIR/ca.crt.
    """
    _require_net()
    from bitarm.runtime.broker import provision
    from bitarm.runtime.broker.folder import BrokerFolder

    _report(provision.renew(BrokerFolder(folder), datetime.now(UTC)))


@_broker.command()
def run(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The broker's folder")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Where to listen, for this time", show_default=False)
    ] = None,
    is_open: Annotated[
        bool,
        typer.Option(
            "--open", help="No folder, no TLS, no passwords: for trials, this machine only"
        ),
    ] = False,
) -> None:
    """Run a broker until Ctrl-C, and say who is refused and why."""
    _require_net()
    from bitarm.runtime.broker.configuration import PLAIN_PORT
    from bitarm.runtime.broker.folder import BrokerFolder
    from bitarm.runtime.broker.serve import serve, serve_open

    if (folder is None) != is_open:
        raise ConfigError("name the broker's folder, or --open for one without passwords")
    with _until_told():
        if folder is None:
            serve_open(PLAIN_PORT if port is None else port, started=_started, tell=limited())
        else:
            serve(BrokerFolder(folder), port, started=_started, tell=limited())


def limited(say: Callable[[str], None] = notify) -> Callable[[str], None]:
    """A way to say lines of the broker that no offender can fill a disk with."""
    allowances = Allowances(at_once=_LINES_AT_ONCE)

    def tell(line: str) -> None:
        offender = " ".join(_PORT.sub("", line).split()[:4])  # who, or at which address
        more = allowances.take(offender)
        if more is not None:
            say(line + more)

    return tell


class _Ended(BaseException):
    """A service manager told the broker to end."""


@contextmanager
def _until_told() -> Iterator[None]:
    """Let SIGTERM, and the end of a terminal, end the block in order; not under nohup."""

    def end(number: int, frame: FrameType | None) -> None:
        raise _Ended

    numbers = obeyed(signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        with suppress(_Ended):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _started(url: str) -> None:
    notify(f"the broker answers at {url}; Ctrl-C ends it")


def _require_net() -> None:
    for module in ("cryptography", "paho"):
        require(module, extra="net", what="the broker")


def _agents_in(path: Path | None) -> Sequence[str]:
    from bitarm.runtime.broker import accounts

    assert path is not None  # one of the two was given
    return accounts.distinct(arm.agent for arm in load_arms(path).arms)


def _report(changes: Sequence["Change"]) -> None:
    """Print what was done to each file; many files of a folder with one fate share a line."""
    alike: dict[tuple[str, Path], list[Path]] = {}
    for change in changes:
        alike.setdefault((change.deed.value, change.path.parent), []).append(change.path)
    for (deed, folder), paths in alike.items():
        if len(paths) > _MOST_LINES:
            typer.echo(f"{deed:8}{len(paths):,} files in {folder}")
        else:
            for path in paths:
                typer.echo(f"{deed:8}{path}")
