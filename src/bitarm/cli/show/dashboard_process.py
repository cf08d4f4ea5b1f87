"""A dashboard beside a run: a process of its own, so that neither can disturb the other."""

import contextlib
import os
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import final

from bitarm.api.extras import require
from bitarm.cli.exits import notify

_PATIENCE = 20.0  # seconds that a run waits for its page


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardProcess:
    """A dashboard that shows a store; its `address` is None if it did not come up."""

    process: subprocess.Popen[str]
    address: str | None

    def show(self, run: int) -> None:
        """Say where a run's page is, and open it where there is a screen."""
        if self.address is None:
            return
        page = f"{self.address}runs/{run}"
        print(f"watch run {run} at {page}", file=sys.stderr)
        if sys.platform in ("darwin", "win32") or _has_screen():
            with contextlib.suppress(webbrowser.Error, OSError):  # a run needs no browser
                webbrowser.open(page)

    def stay(self) -> None:
        """Leave the page up until Ctrl-C."""
        if self.address is None:
            return
        print(f"the page stays at {self.address} until Ctrl-C", file=sys.stderr)
        with contextlib.suppress(KeyboardInterrupt):
            self.process.wait()


@contextlib.contextmanager
def dashboard_process(store: Path) -> Iterator[DashboardProcess]:
    """A dashboard of a store for the time of a block; one that fails is told and done without."""
    for module in ("fastapi", "uvicorn"):
        require(module, extra="dashboard", what="the dashboard")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "bitarm", "dashboard"),
            *("--store", str(store), "--port", "0", "--until-stdin-ends"),
        ],
        stdin=subprocess.PIPE,  # closed when this process ends, however it ends
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the run
    )
    try:
        address = _first_line(process)
        if address is None:
            notify("the dashboard did not come up; the run goes on without it")
        yield DashboardProcess(process=process, address=address)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _first_line(process: subprocess.Popen[str]) -> str | None:
    """What the process says first; None if it ends or is silent for too long."""
    stdout = process.stdout
    assert stdout is not None  # it was started with a pipe
    lines: Queue[str] = Queue()
    threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
    try:
        return lines.get(timeout=_PATIENCE).strip() or None
    except Empty:
        return None


def _has_screen() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
