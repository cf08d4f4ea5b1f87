"""A dashboard as a person starts it: a process, an address."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running dashboard: where it is, without the slash at the end, and its process."""

    address: str
    pid: int


@contextmanager
def served_process(store: Path, *options: object) -> Iterator[Served]:
    """A dashboard of `store` for the time of a block."""
    process = subprocess.Popen(
        [*(sys.executable, "-m", "bitarm", "dashboard", "--store"), str(store), "--port", "0"]
        + [str(option) for option in options],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address, "the dashboard did not come up"
        yield Served(address=address.rstrip("/"), pid=process.pid)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def served(store: Path, *options: object) -> Iterator[str]:
    """The address of a dashboard of `store`, without the slash at its end."""
    with served_process(store, *options) as dashboard:
        yield dashboard.address
