"""A dashboard as a person starts it: a process, an address."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(store: Path, *options: object) -> Iterator[str]:
    """The address of a dashboard of `store`, without the slash at its end."""
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
        yield address.rstrip("/")
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
