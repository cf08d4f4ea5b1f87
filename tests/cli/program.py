"""The command line as its user meets it: in this process where that is enough, else in another."""

import errno
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "bitarm")

PAPER = ("--quantizer", "icq", "--width", "paper", "--sigma", "0.112")
"""The paper's own scheme, as flags, with a σ that is valid for the built-in example."""

PAPER_SCHEME = 'quantizer = "icq"\nwidth = "paper"'
"""The same as lines of a file's [scheme]."""

ARMS = """
[[arm]]
name = "low"
source = "bernoulli"
mean = 0.2

[[arm]]
name = "high"
source = "bernoulli"
mean = 0.8
"""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout; fails if anything else is there."""
        loaded = json.loads(self.out)
        assert isinstance(loaded, dict)
        return loaded


Command = Callable[..., Finished]
"""A command's words go in, what it left behind comes out."""


def problem(*, problem: str = "", scheme: str = "", limits: str = "", arms: str = ARMS) -> str:
    """A problem file of two coins, with lines added to its tables."""
    bounds = "" if "bounds" in problem else "bounds = [0.0, 1.0]\n"
    return f"[problem]\n{bounds}{problem}\n[scheme]\n{scheme}\n[limits]\n{limits}\n" + arms


def callables(module: str, *names: str) -> str:
    """Arms whose rewards are functions of one module."""
    return "".join(
        f'[[arm]]\nname = "{name}"\nsource = "callable"\nfunction = "{module}:{name}"\n'
        for name in names
    )


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment with a data folder of its own and a plain screen."""
    dropped = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PYTHONWARNINGS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | {"XDG_DATA_HOME": str(home), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"} | more


def run_apart(
    *words: object, env: Mapping[str, str], command: tuple[str, ...] = COMMAND, timeout: float = 60
) -> Finished:
    """Run the command in a process of its own, with pipes."""
    done = subprocess.run(
        [*command, *map(str, words)],
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    return Finished(code=done.returncode, out=done.stdout, err=done.stderr)


class OnTerminal:
    """A running command whose stderr is a terminal of 80 columns and 40 lines."""

    def __init__(self, home: Path, *words: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            env=environment(home, COLUMNS="80", LINES="40"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=slave,
            encoding="utf-8",
        )
        os.close(slave)
        self._screen = b""

    def await_text(self, text: str) -> None:
        """Return when the screen has shown it."""
        while text.encode() not in self._screen:
            self._screen += os.read(self._master, 4096)

    def finished(self) -> Finished:
        """What is left when it has ended; `err` is all that the screen got."""
        with self.process:
            while True:
                try:
                    self._screen += os.read(self._master, 4096)
                except OSError as error:  # how a terminal says that nobody writes to it any more
                    assert error.errno == errno.EIO  # noqa: PT017
                    break
            assert self.process.stdout is not None
            out = self.process.stdout.read()
        os.close(self._master)
        return Finished(code=self.process.returncode, out=out, err=self._screen.decode())


def chunks(cache: Path) -> list[Path]:
    """The finished chunks of sweeps that are kept in the user's cache folder."""
    return sorted((cache / "bitarm" / "chunks").rglob("*.json"))
