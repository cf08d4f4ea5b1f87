"""What an agent keeps on its own disk: one small file, replaced whole, durable before it speaks.

    {"version": 1, "opening": …, "fingerprint": …, "arms": {"0": {…AgentState…}}, …}

A lock beside it keeps a second process from serving the same agent of the same run.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, final

from bitarm.core.agent import AgentState
from bitarm.core.plain import from_plain, to_plain
from bitarm.core.spec import FAMILIES
from bitarm.errors import BitarmError, StoreError, TransportError

VERSION = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMemory:
    """All that an agent process must not forget."""

    opening: str
    fingerprint: int
    arms: Mapping[int, AgentState] = field(default_factory=dict)
    restarts: int = 0
    discarded: int = 0
    clipped: int = 0
    stopped: bool = False  # in order: nothing was under way


class Keeper(Protocol):
    """Where an agent's memory lies. Law: what `save` was given survives a crash once it returns."""

    def load(self) -> AgentMemory | None:
        """What was saved last; None if nothing was."""
        ...

    def save(self, memory: AgentMemory) -> None:
        """Replace it, all of it or nothing."""
        ...


@final
class AgentFile:
    """A Keeper in a file that one process may use at a time."""

    def __init__(self, path: Path) -> None:
        import fcntl  # only Linux and its kin have it; other commands run without

        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = path.with_suffix(".lock").open("wb")
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise TransportError(
                f"another process on this machine serves this agent already: it holds {path}. "
                "End it first; one agent is one process"
            ) from error

    def load(self) -> AgentMemory | None:
        """What was saved last."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise _unusable(self._path, error) from error
        try:
            return _from_plain(json.loads(text))
        except (BitarmError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{self._path} is no memory of an agent that this version can read: {error}. "
                "To begin the run again with this agent, remove the file"
            ) from error

    def save(self, memory: AgentMemory) -> None:
        """Write beside, flush to the disk, then take the old one's place."""
        fresh = self._path.with_suffix(".new")
        try:
            with fresh.open("w", encoding="utf-8") as file:
                json.dump(_to_plain(memory), file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)  # the new name too must survive
            finally:
                os.close(folder)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise _unusable(self._path, error) from error

    def close(self) -> None:
        """Let another process have it."""
        self._lock.close()


def _unusable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the agent's memory {path} cannot be used: {error}. Nothing was sent that is not in it; "
        "mend the disk or its permissions and start the agent again"
    )


def _to_plain(memory: AgentMemory) -> dict[str, Any]:
    return {
        "version": VERSION,
        "opening": memory.opening,
        "fingerprint": f"{memory.fingerprint:08x}",
        "arms": {str(arm): to_plain(state) for arm, state in memory.arms.items()},
        "restarts": memory.restarts,
        "discarded": memory.discarded,
        "clipped": memory.clipped,
        "stopped": memory.stopped,
    }


def _from_plain(plain: Any) -> AgentMemory:
    if plain["version"] != VERSION:
        raise StoreError(f"version {VERSION} was expected, got {plain['version']!r}")
    return AgentMemory(
        opening=str(plain["opening"]),
        fingerprint=int(plain["fingerprint"], 16),
        arms={
            int(arm): from_plain(AgentState, state, FAMILIES)
            for arm, state in plain["arms"].items()
        },
        restarts=int(plain["restarts"]),
        discarded=int(plain["discarded"]),
        clipped=int(plain["clipped"]),
        stopped=bool(plain["stopped"]),
    )
