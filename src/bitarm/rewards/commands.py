"""Rewards from a command: the numbers that it prints, a line each, for as long as it runs.

The command is started when the first reward is wanted and runs on; what it prints ahead waits in
its pipe, and of what it says on stderr only the end is kept. That it fails, falls silent or prints
words are three errors, each with its own text. One that ends in order has no more rewards.
"""

import contextlib
import math
import os
import selectors
import shlex
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import final

from bitarm.errors import ConfigError, NoMoreRewardsError, RefusedRewardError, RewardError

TIMEOUT = 60.0
"""Seconds of silence after which a command counts as hung, unless it is told otherwise."""
_OVERSLEPT = 1.0
"""Seconds after the end of a wait, from which on it was this process that did not listen."""
_LONGEST_WAIT = 3600.0
"""Seconds that are waited at once: a time-out may be longer than a system can wait, or infinite."""
_SHELL = "/bin/sh"
_LONGEST_LINE = 4096
_OUR_OWN = "BITARM_"  # how the names of our variables begin
_OF_THE_SERVICE = ("CREDENTIALS_DIRECTORY",)  # where systemd puts the secrets of a unit
_QUOTED = 300  # bytes of what the command said on stderr


@final
class CommandSource:
    """One number a line from a program's stdout.

    `command` is a line for the shell, with pipes and variables as there, or a list of words that
    are run as they are, without a shell; both in `folder`. After `timeout` seconds of silence it
    counts as hung. `label` names the arm in errors.
    """

    def __init__(
        self, command: str | Sequence[str], *, folder: Path, timeout: float, label: str
    ) -> None:
        is_line = isinstance(command, str)
        self._words = [_SHELL, "-c", command] if isinstance(command, str) else list(command)
        self._shown = command if isinstance(command, str) else shlex.join(command)
        self._kind = "shell line" if is_line else "command"
        if not self._shown.strip():
            raise ConfigError(f"the {self._kind} of {label} is empty: name a program to run")
        if not timeout > 0:
            raise ConfigError(f"the timeout of a command must be above 0 seconds, got {timeout}")
        self._folder = folder
        self._timeout = timeout
        self._label = label
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""  # the end of what it said on stderr
        self._buffer = b""
        self._given = 0

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` numbers, waiting for them; RewardError if it ends, hangs or errs."""
        return [self._one() for _ in range(count)]

    def close(self) -> None:
        """End the command, and whatever it started."""
        if self._process is not None:
            _end(self._process)

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
        deadline = time.monotonic() + self._timeout
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LONGEST_LINE:
                raise RewardError(f"{self._who} printed {_LONGEST_LINE} bytes without a line's end")
            self._wait(process, until=deadline)
            self._hear(process)
            with contextlib.suppress(BlockingIOError):
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    text = self._obituary(process)
                    raise NoMoreRewardsError(text) if process.returncode == 0 else RewardError(text)
                self._buffer += chunk
                deadline = time.monotonic() + self._timeout
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _wait(self, process: subprocess.Popen[bytes], *, until: float) -> None:
        """Wait until it says something, there or on stderr; end it if it has been silent too long.

        What it says on stderr must be taken from it, or it would stop when that pipe is full. Who
        was stopped itself (Ctrl-Z, a machine that sleeps) has heard nothing of what it said by now,
        and may have stopped it too: then it has its time again.
        """
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if process.stderr is not None and not process.stderr.closed:
                selector.register(process.stderr, selectors.EVENT_READ)
            while True:
                if selector.select(min(max(until - time.monotonic(), 0), _LONGEST_WAIT)):
                    return
                late = time.monotonic() - until
                if 0 <= late < _OVERSLEPT:
                    break
                if late > 0:
                    until += late + self._timeout
        self.close()
        raise RewardError(
            f"{self._who} printed nothing for {self._timeout:g} seconds and was ended; "
            "if it needs longer, give it a timeout"
        )

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        """Keep the end of what it said on stderr, as far as that is there by now."""
        with contextlib.suppress(BlockingIOError):
            while process.stderr is not None and not process.stderr.closed:
                chunk = os.read(process.stderr.fileno(), 1 << 16)
                self._said = (self._said + chunk)[-_QUOTED:]
                if not chunk:
                    process.stderr.close()
                elif len(chunk) == 1 << 16:
                    return  # it has more to say, and perhaps rewards too

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    self._words,
                    cwd=self._folder,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # a Ctrl-C is ours to act on
                )
            except OSError as error:
                raise RewardError(f"{self._who} cannot be started: {error.strerror}") from error
            for pipe in (self._process.stdout, self._process.stderr):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
            weakref.finalize(self, _end, self._process)
        return self._process

    def _obituary(self, process: subprocess.Popen[bytes]) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)  # it closed its stdout: mostly it has ended, or is about to
            _kill_group(process)  # at once: later the number may be another's
        how = "closed its output" if process.returncode is None else f"ended ({process.returncode})"
        given = f"{self._given:,} reward{'' if self._given == 1 else 's'}"
        text = f"{self._who} {how} after {given}"
        self._hear(process)
        said = self._said.decode(errors="replace").strip()
        return f"{text}; it said: {said}" if said else text

    @property
    def _who(self) -> str:
        return f"the {self._kind} of {self._label} ({self._shown[:80]})"


def _environment() -> dict[str, str]:
    """Ours, without what is this program's own business: the broker's password above all."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OUR_OWN) and name not in _OF_THE_SERVICE
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    # Not asked whether it has ended: what a shell left in the background outlives the shell. Until
    # the shell's end is waited for, its group's number is nobody else's.
    if process.returncode is None:
        _kill_group(process)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
