"""A plain Mosquitto on a free port of the loopback, started and stopped by the tests; and a proxy
that cuts the line between it and its clients.
"""

import contextlib
import os
import selectors
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import eventually, free_port

from bitarm.runtime.broker_url import Broker


def mosquitto() -> str:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    found = shutil.which("mosquitto", path=path)
    assert found, "the tests need Mosquitto: scripts/system-packages mosquitto"
    return found


class PlainBroker:
    """A broker process that can be killed and started again on the same port."""

    def __init__(self, folder: Path, *, lines: str = "allow_anonymous true") -> None:
        self.port = free_port()
        self._folder = folder
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\n{lines}\nset_tcp_nodelay true\n"
            "max_inflight_messages 0\nmax_queued_messages 0\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
        )
        if os.geteuid() == 0:  # else it would become the user mosquitto, who cannot write there
            with self._config.open("a") as file:
                file.write("user root\n")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> Broker:
        return Broker(host="127.0.0.1", port=self.port, tls=False)

    @property
    def url(self) -> str:
        return self.address.url

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        with (self._folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen(
                [mosquitto(), "-c", str(self._config)], stdout=log, stderr=log
            )
        eventually(self._answers, f"a broker on port {self.port}")

    def wait_for(self, client: str) -> None:
        """Until a client of this name has connected."""
        log = self._folder / "mosquitto.log"
        eventually(lambda: f" as {client} " in log.read_text(), f"{client} at the broker")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "mosquitto.log").read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[PlainBroker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    plain = PlainBroker(folder)
    plain.start()
    yield plain
    plain.kill()


class CuttableLine:
    """A TCP proxy: while it is cut, nothing passes in either direction and nobody is told."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._other: dict[socket.socket, socket.socket] = {}
        self._cut = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        self._cut.set()

    def mend(self) -> None:
        """The old connections are dead; new ones pass."""
        for sock in list(self._other):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._cut.clear()

    def close(self) -> None:
        self._closed.set()
        self._thread.join(10)

    def _work(self) -> None:
        while not self._closed.is_set():
            if self._cut.is_set():
                time.sleep(0.01)
                continue
            for key, _ in self._selector.select(0.02):
                if key.fileobj is self._listener:
                    self._accept()
                elif not self._cut.is_set():
                    assert isinstance(key.fileobj, socket.socket)
                    self._pass_on(key.fileobj)
        for sock in list(self._other):
            sock.close()
        self._listener.close()
        self._selector.close()

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", self._target), 5)
        except OSError:
            near.close()
            return
        self._other[near], self._other[far] = far, near
        for sock in (near, far):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(sock, selectors.EVENT_READ)

    def _pass_on(self, sock: socket.socket) -> None:
        try:
            data = sock.recv(1 << 16)
            if data:
                self._other[sock].sendall(data)
                return
        except (OSError, KeyError):
            pass
        for end in (sock, self._other.get(sock)):
            if end is not None and end in self._other:
                del self._other[end]
                self._selector.unregister(end)
                end.close()


@pytest.fixture
def line(broker: PlainBroker) -> Iterator[CuttableLine]:
    proxy = CuttableLine(broker.port)
    yield proxy
    proxy.close()
