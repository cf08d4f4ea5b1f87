"""Rewards from a command: the numbers that it prints, a line each, for as long as it runs.

The command is started when the first reward is wanted and runs on; what it prints ahead waits in
its pipe. That it ends, falls silent or prints words are three errors, each with its own text.
"""

import contextlib
import math
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, final

from bitarm.errors import ConfigError, RefusedRewardError, RewardError

TIMEOUT = 60.0
"""Seconds of silence after which a command counts as hung, unless it is told otherwise."""
_LONGEST_LINE = 4096
_QUOTED = 300  # characters of what the command said on stderr


@final
class CommandSource:
    """One number a line from a program's stdout.

    `command` is a command line, or a list of its words, run in `folder`; after `timeout` seconds of
    silence it counts as hung. `label` names the arm in errors.
    """

    def __init__(
        self, command: str | Sequence[str], *, folder: Path, timeout: float, label: str
    ) -> None:
        self._words = shlex.split(command) if isinstance(command, str) else list(command)
        if not self._words:
            raise ConfigError("a command has at least one word")
        if not timeout > 0:
            raise ConfigError(f"the timeout of a command must be above 0 seconds, got {timeout}")
        self._folder = folder
        self._timeout = timeout
        self._label = label
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._buffer = b""
        self._given = 0

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` numbers, waiting for them; RewardError if it ends, hangs or errs."""
        return [self._one() for _ in range(count)]

    def close(self) -> None:
        """End the command, and whatever it started."""
        if self._process is not None and self._said is not None:
            _end(self._process, self._said)

    def _one(self) -> float:
        line = self._line()
        try:
            reward = float(line)
        except ValueError:
            reward = math.nan
        if not math.isfinite(reward):
            shown = line.decode(errors="replace").strip()[:80]
            raise RefusedRewardError(
                f"{self._who} must print a number a line, it printed {shown!r}"
            )
        self._given += 1
        return reward

    def _line(self) -> bytes:
        process = self._started()
        assert process.stdout is not None  # a pipe
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LONGEST_LINE:
                raise RewardError(f"{self._who} printed {_LONGEST_LINE} bytes without a line's end")
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                if not selector.select(self._timeout):
                    self.close()
                    raise RewardError(
                        f"{self._who} printed nothing for {self._timeout:g} seconds and was ended; "
                        "if it needs longer, give it a timeout"
                    )
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise RewardError(self._obituary(process))
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115, lives as long as the command
            try:
                self._process = subprocess.Popen(
                    self._words,
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=self._said,
                    start_new_session=True,  # a Ctrl-C is ours to act on
                )
            except OSError as error:
                self._said.close()
                raise RewardError(f"{self._who} cannot be started: {error.strerror}") from error
            weakref.finalize(self, _end, self._process, self._said)
        return self._process

    def _obituary(self, process: subprocess.Popen[bytes]) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)  # it closed its stdout: mostly it has ended, or is about to
        how = "closed its output" if process.poll() is None else f"ended ({process.returncode})"
        text = f"{self._who} {how} after {self._given} rewards"
        if self._said is not None:
            self._said.seek(0)
            said = self._said.read()[-_QUOTED:].decode(errors="replace").strip()
            text += f"; it said: {said}" if said else ""
        return text

    @property
    def _who(self) -> str:
        return f"the command of {self._label} ({shlex.join(self._words)[:80]})"


def _end(process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
    said.close()
