"""What an agent keeps on its own disk: one small file, replaced whole, durable before it speaks.

    {"version": 3, "sum": "…", "memory": {"opening": …, "agent": …, "arms": {"0": {…}}, …}}

It names the run, the agent and its arms, and has a check sum: a file that was damaged, or is
another's, is refused. A lock beside it keeps a second process from serving the same agent of the
same run.
"""

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import IO, Any, final

from bitarm.core.agent import AgentState
from bitarm.core.codes import CODES, Code
from bitarm.core.evidence.tasks import TASKS, Task
from bitarm.core.plain import Families, dumps_plain, from_plain, to_plain
from bitarm.errors import BitarmError, StoreError, TransportError
from bitarm.runtime.agent.memory import BEGIN_ANEW, AgentMemory
from bitarm.wire.status import dump_start, load_start

VERSION = 3

_FAMILIES: Families = {Code: CODES, Task: TASKS}


@final
class AgentFile:
    """A Keeper in a file that one process may use at a time."""

    def __init__(self, path: Path) -> None:
        import fcntl  # only Linux and its kin have it; other commands run without

        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = _open_private(path.with_suffix(".lock"))
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
        """What was saved last, None if nothing was; StoreError if it cannot be read."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(self._path, error) from error
        try:
            return _from_plain(json.loads(content.decode()))
        except (
            BitarmError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            reason = error if content else "it is empty"
            raise StoreError(
                f"{self._path} is no memory of an agent that this version can read: {reason}. "
                f"{BEGIN_ANEW}"
            ) from error

    def save(self, memory: AgentMemory) -> None:
        """Write beside, flush to the disk, then take the old one's place."""
        fresh = self._path.with_suffix(".new")
        try:
            with _open_private(fresh) as file:
                file.write(_to_text(memory).encode())
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
        """Release the lock: another process may serve this agent now."""
        self._lock.close()


def _open_private(path: Path) -> IO[bytes]:
    """A file to be written from its beginning, for its owner alone, whatever the umask is.

    One that is there already from before, and open to others, is closed to them.
    """
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(handle, 0o600)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "wb")


def _unusable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the agent's memory {path} cannot be used: {error}. Nothing was sent that is not in it; "
        "mend the disk or its permissions and start the agent again"
    )


def _to_text(memory: AgentMemory) -> str:
    plain = {
        "opening": memory.opening,
        "agent": memory.agent,
        "life": memory.life,
        "arms": {str(arm): to_plain(state) for arm, state in memory.arms.items()},
        "starts": [dump_start(start) for start in memory.starts],
        "restarts": memory.restarts,
        "discarded": memory.discarded,
        "clipped": memory.clipped,
        "refused": memory.refused,
        "stopped": memory.stopped,
    }
    return json.dumps({"version": VERSION, "sum": _sum(plain), "memory": plain})


def _from_plain(plain: Any) -> AgentMemory:
    if plain["version"] != VERSION:
        raise StoreError(f"version {VERSION} was expected, got {plain['version']!r:.20}")
    memory = plain["memory"]
    if plain["sum"] != _sum(memory):
        raise StoreError("its check sum is wrong: it was damaged, or edited")
    return AgentMemory(
        opening=str(memory["opening"]),
        agent=str(memory["agent"]),
        life=str(memory["life"]),
        arms={
            int(arm): from_plain(AgentState, state, _FAMILIES)
            for arm, state in memory["arms"].items()
        },
        starts=tuple(map(load_start, memory["starts"])),
        restarts=int(memory["restarts"]),
        discarded=int(memory["discarded"]),
        clipped=int(memory["clipped"]),
        refused=int(memory["refused"]),
        stopped=bool(memory["stopped"]),
    )


def _sum(memory: Any) -> str:
    """The check sum of the canonical text: a digit that changes in the file changes it."""
    return hashlib.blake2b(dumps_plain(memory).encode(), digest_size=16).hexdigest()
