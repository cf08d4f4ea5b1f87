"""The Mosquitto process: found, started, known to answer, told to read its files again, stopped."""

import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from bitarm.errors import ConfigError, MissingExtraError, TransportError
from bitarm.runtime.broker.configuration import Listener

_PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")  # often missing from PATH
_PATIENCE = 10.0  # seconds to answer after the start, and to end after the request
_KEPT_LINES = 20
_RUNS = re.compile(r"mosquitto version \S+ running")


def find_mosquitto() -> Path:
    """The path of the program; MissingExtraError, with what installs it, if it is not there."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path=os.pathsep.join(_PLACES))
    if found is None:
        raise MissingExtraError(
            "the broker needs Mosquitto, which is not installed: sudo apt-get install mosquitto "
            "(or give any other MQTT broker to learner and agents with --broker URL)"
        )
    return Path(found)


Probe = Callable[[], bool]
"""Whether the broker answers; raises TransportError if it answers wrongly."""


@final
class Mosquitto:
    """One running broker. Its log is to be drained with `lines`, or it will come to a halt."""

    def __init__(self, process: subprocess.Popen[bytes], listener: Listener) -> None:
        self._process = process
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        assert process.stderr is not None  # started with a pipe
        self._log = process.stderr
        os.set_blocking(self._log.fileno(), False)
        self._selector.register(self._log, selectors.EVENT_READ)
        self._rest = b""
        self._last: deque[str] = deque(maxlen=_KEPT_LINES)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def lines(self, timeout: float) -> list[str]:
        """What it has logged, after at most `timeout` seconds; raises if it has ended by itself."""
        found = self._read(timeout)
        if not found and self._process.poll() is not None:
            raise self._ended()
        return found

    def reload(self) -> None:
        """Have accounts, access rules and certificates read again."""
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End it; sessions and retained messages are saved first."""
        self._process.terminate()
        deadline = time.monotonic() + _PATIENCE
        while self._process.poll() is None:
            self._read(0.05)  # a full pipe would keep it from ending
            if time.monotonic() > deadline:
                self._process.kill()
                self._process.wait()
        self._selector.close()
        self._log.close()

    def await_answer(self, answers: Probe) -> None:
        """Return once the broker answers.

        Asked only after it says itself that it runs: until then another program that holds the
        port might answer.
        """
        deadline = time.monotonic() + _PATIENCE
        runs = False
        while not (runs and answers()):
            runs = any(_RUNS.fullmatch(line) for line in self.lines(0.05)) or runs
            if time.monotonic() > deadline:
                raise TransportError(
                    f"Mosquitto did not answer on port {self._listener.port} within "
                    f"{_PATIENCE:g} seconds; its log ends: {self._tail()}"
                )

    def _read(self, timeout: float) -> list[str]:
        if not self._selector.select(timeout):
            return []
        try:
            chunk = os.read(self._log.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        lines = [line.decode(errors="replace") for line in whole]
        self._last.extend(lines)
        return lines

    def _ended(self) -> ConfigError | TransportError:
        said = self._tail()
        if "Address already in use" in said:
            return ConfigError(
                f"port {self._listener.port} on {self._listener.reached_at} is taken by another "
                "program: stop it, or choose another port with --port"
            )
        if "Permission denied" in said and self._listener.port < 1024:
            return ConfigError(f"port {self._listener.port} needs root: choose one above 1023")
        return TransportError(f"Mosquitto ended by itself ({self._process.returncode}): {said}")

    def _tail(self) -> str:
        telling = [line for line in self._last if line.startswith("Error") or "rror:" in line]
        return "; ".join(telling or self._last) or "nothing"


@contextmanager
def running(program: Path, configuration: Path, listener: Listener) -> Iterator[Mosquitto]:
    """A broker for as long as the block runs."""
    try:
        with _many_files():
            process = subprocess.Popen(
                [str(program), "-c", str(configuration)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is ours to pass on, after what we have to say
            )
    except OSError as error:
        raise ConfigError(f"{program} cannot be started: {error}") from None
    broker = Mosquitto(process, listener)
    try:
        yield broker
    finally:
        broker.stop()


@contextmanager
def _many_files() -> Iterator[None]:
    """Each connection takes a file descriptor: the usual soft limit ends at a thousand agents.

    A child inherits the limit; afterwards it may run as another user and be out of our reach.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
