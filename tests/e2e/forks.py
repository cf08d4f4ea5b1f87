"""`bitarm` as a process of its own, forked from one that has loaded it already.

Such a process is as real as one that its command starts: it has its own memory, files, signals and
number, can be stopped, starved and killed, and ends by itself. Only Python's start and the loading
of modules are missing, half a second of computing for each of hundreds. Tests of what a command
needs and shows start commands (`Field.by_command`), as those of the command line do.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import IO, Any, Protocol, final

from e2e.fork_server import MOST_BYTES
from loopback import eventually

_SERVER = Path(__file__).with_name("fork_server.py")


class Process(Protocol):
    """What tests do with a process, however it was started."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...

    def kill(self) -> None: ...


@final
class Fork:
    """One such process; used like `subprocess.Popen`."""

    def __init__(
        self, *words: str, environment: Mapping[str, str], stdout: IO[bytes], stderr: IO[bytes]
    ) -> None:
        request = {"start": words, "environment": dict(environment)}
        self.pid = _ask(request, stdout.fileno(), stderr.fileno())
        self._handle = os.pidfd_open(self.pid)  # its number is nobody else's until it is asked of
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, minus the signal if one ended it; None while it runs."""
        return self._code if self._code is not None or not self._ends_within(0) else self._ended()

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when it has ended; subprocess.TimeoutExpired if that takes too long."""
        if self._code is not None:
            return self._code
        if not self._ends_within(timeout):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return self._ended()

    def send_signal(self, sig: int) -> None:
        """Nothing, if it has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._handle, sig)

    def kill(self) -> None:
        """End it without warning."""
        self.send_signal(signal.SIGKILL)

    def _ends_within(self, seconds: float | None) -> bool:
        return bool(select.select([self._handle], [], [], seconds)[0])

    def _ended(self) -> int:
        self._code = _ask({"ended": self.pid})
        os.close(self._handle)
        return self._code


def halt(process: Process) -> None:
    """Stop a process where it stands, and wait until it does."""
    process.send_signal(signal.SIGSTOP)
    eventually(lambda: _is_halted(process), f"process {process.pid} to stop")


def thaw(process: Process) -> None:
    """Let it go on, and wait until it does."""
    process.send_signal(signal.SIGCONT)
    eventually(lambda: not _is_halted(process), f"process {process.pid} to go on")


def _is_halted(process: Process) -> bool:
    status = Path(f"/proc/{process.pid}/stat").read_text()
    return status.rpartition(")")[2].split()[0] == "T"


# -- the server, started when it is first needed ------------------------------------------------

_lines: dict[int, socket.socket] = {}  # to the server of a process, by that one's number
_asking = Lock()


def _ask(request: dict[str, Any], *streams: int) -> int:
    with _asking:
        line = _lines.get(os.getpid()) or _start_server()
        payload = json.dumps(request).encode()
        assert len(payload) <= MOST_BYTES
        socket.send_fds(line, [payload], streams)
        answer: int = json.loads(line.recv(MOST_BYTES))
        return answer


def _start_server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, str(_SERVER), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ) | {"OPENBLAS_NUM_THREADS": "1"},  # a fork has only one thread
        )
    _lines[os.getpid()] = ours

    def end(owner: int = os.getpid()) -> None:
        if os.getpid() == owner:
            ours.close()
            server.wait()

    atexit.register(end)
    return ours
