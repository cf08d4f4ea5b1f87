"""Brokers of other makers on the loopback, each started with what it takes to let anybody in."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from brokers import mosquitto
from loopback import eventually, free_port

HERE = Path(__file__).parent
RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_STARTS_WITHIN = 120.0  # seconds; RabbitMQ takes 5 to 20


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How to start a broker, and what else must run before it."""

    words: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    before: list[str] | None = None


def _mosquitto(folder: Path, port: int) -> Command:
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    return Command(words=[mosquitto(), "-c", str(config)])


def _amqtt(folder: Path, port: int) -> Command:
    return Command(words=[sys.executable, str(HERE / "amqtt_broker.py"), str(port)])


def _aedes(folder: Path, port: int) -> Command:
    node = shutil.which("node")
    assert node, "aedes needs Node.js: scripts/system-packages npm"
    return Command(words=[node, str(HERE / "aedes.mjs"), str(port)])


def _rabbitmq(folder: Path, port: int) -> Command:
    """A node of its own, with a name server of its own: nothing of it outlives the test."""
    assert RABBITMQ.exists(), "install it first: scripts/system-packages rabbitmq-server"
    config, plugins = folder / "rabbitmq.conf", folder / "enabled_plugins"
    config.write_text(
        f"listeners.tcp = none\nmqtt.listeners.tcp.1 = 127.0.0.1:{port}\n"
        "mqtt.allow_anonymous = true\n"
    )
    plugins.write_text("[rabbitmq_mqtt].\n")
    names = str(free_port())  # of epmd, Erlang's name server
    return Command(
        words=[str(RABBITMQ)],
        environment={
            "HOME": str(folder),
            "ERL_EPMD_PORT": names,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "bitarm@localhost",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
                "-kernel inet_dist_use_interface {127,0,0,1} -kernel inet_dist_listen_options []"
            ),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(config),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
        },
        before=["epmd", "-port", names, "-address", "127.0.0.1"],
    )


KINDS: dict[str, Callable[[Path, int], Command]] = {
    "mosquitto": _mosquitto,
    "amqtt": _amqtt,
    "aedes": _aedes,
    "rabbitmq": _rabbitmq,
}


@contextlib.contextmanager
def serving(kind: str, folder: Path) -> Iterator[int]:
    """The port of a broker of this kind, which keeps its files in a folder."""
    port = free_port()
    command = KINDS[kind](folder, port)
    environment = dict(os.environ) | command.environment
    with contextlib.ExitStack() as ending, (folder / "broker.log").open("wb") as log:
        for words in filter(None, (command.before, command.words)):
            process = subprocess.Popen(words, stdout=log, stderr=log, env=environment)
            ending.callback(_end, process)
        eventually(lambda: _answers(process, port, folder), kind, within=_STARTS_WITHIN)
        yield port


def _end(process: "subprocess.Popen[bytes]") -> None:
    """In order, so that what a process started ends with it."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _answers(process: "subprocess.Popen[bytes]", port: int, folder: Path) -> bool:
    assert process.poll() is None, (folder / "broker.log").read_text()
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
