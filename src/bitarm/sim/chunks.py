"""Finished chunks on disk: an interrupted sweep goes on where it stopped.

A chunk's file is written whole or not at all, and carries a digest of its content: what does not
match is computed again, and said so.
"""

import contextlib
import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import final

from bitarm.errors import ConfigError, StoreError
from bitarm.sim.sweep import ChunkResult, Sweep

_LOG = logging.getLogger("bitarm.sim")

MOST_BYTES = 2_000_000_000
"""Bytes of all chunks in a folder that are left there when the next sweep begins."""

_IN_USE = 3600.0  # seconds after which nobody is taken to be at a sweep any more
_NAME = re.compile(r"[0-9a-f]{32}")


@final
class ChunkStore:
    """The chunks of one sweep, in a folder named by all that determines them."""

    def __init__(self, folder: Path, sweep: Sweep) -> None:
        self._folder = folder / sweep.key()

    def load(self) -> Iterator[ChunkResult]:
        """The chunks that were kept and are not damaged."""
        with contextlib.suppress(OSError):
            os.utime(self._folder)  # it is used: others are forgotten before it
        for path in sorted(self._folder.glob("*.json")):
            chunk = self._read(path)
            if chunk is not None:
                yield chunk

    def keep(self, chunk: ChunkResult) -> None:
        """Write a chunk, durably."""
        text = chunk.dump()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(f"{_digest(text)}\n{text}\n")
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._folder / f"{chunk.index:06d}.json")
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreError(
                f"chunk {chunk.index} cannot be kept in {self._folder}: {error.strerror}; "
                "the chunks before it are kept: make room there, or choose another folder, and run "
                "the same command again"
            ) from None

    def _read(self, path: Path) -> ChunkResult | None:
        try:
            digest, text, _ = path.read_text(encoding="utf-8").split("\n", 2)
            if digest == _digest(text):
                return ChunkResult.load(text)
        except (OSError, ValueError, ConfigError):
            pass  # all of them mean that the file is not what was written
        _LOG.warning("%s is damaged: that chunk is computed again", path)
        return None


def forget_oldest(folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
    """Remove what was not used for longest from a folder of chunks until the rest is small enough.

    Sweeps go whole. What was used within the last hour stays, as another process may be at it; so
    does all that does not look like a sweep's folder. What cannot be removed is left.
    """
    sweeps = []
    for found in folder.glob("*"):
        if _NAME.fullmatch(found.name) and os.path.isdir(found):
            with contextlib.suppress(OSError):  # another process removes it too
                size = sum(file.stat().st_size for file in found.iterdir())
                sweeps.append((found.stat().st_mtime, size, found))
    excess = sum(size for _, size, _ in sweeps) - most_bytes
    for used_at, size, found in sorted(sweeps):
        if excess <= 0 or time.time() - used_at < _IN_USE:
            return
        _LOG.info("%s is forgotten: chunks take more than %d bytes", found, most_bytes)
        shutil.rmtree(found, ignore_errors=True)
        excess -= size


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
