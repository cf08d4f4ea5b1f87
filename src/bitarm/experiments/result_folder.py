"""The folder that a reproduction is written to: whose it is, and when it may be written again."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from bitarm.errors import ConfigError, StoreError

_MARK = "reproduction.json"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What made the numbers in a folder."""

    version: str
    code: str  # a digest of the sources: two checkouts of one version may differ
    seed: int
    trials: int | None  # None: as many as each experiment states
    instance: str
    full: bool


@final
class ResultFolder:
    """A folder of results, claimed before anything is computed."""

    def __init__(self, path: Path, origin: Origin, *, overwrite: bool) -> None:
        self.path = path
        self._origin = origin
        if not overwrite:
            self._check_owner()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"the output folder {path} cannot be made: {error.strerror}; choose another --out"
            ) from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise ConfigError(f"the output folder {path} is not writable; choose another --out")

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write all files; the mark of their origin goes first, so that none is without owner."""
        mark = json.dumps(asdict(self._origin), indent=2) + "\n"
        try:
            for name, content in {_MARK: mark.encode(), **files}.items():
                part = self.path / f".{name}.part"
                part.write_bytes(content)
                part.replace(self.path / name)
        except OSError as error:
            raise StoreError(
                f"results cannot be written to {self.path}: {error.strerror}; what was simulated "
                "is kept: run the same command again"
            ) from None

    def _check_owner(self) -> None:
        if not os.path.exists(self.path):
            return
        if not os.path.isdir(self.path):
            raise ConfigError(f"--out must be a folder, {self.path} is a file")
        try:
            is_empty = not any(self.path.iterdir())
        except OSError as error:
            raise ConfigError(
                f"the output folder {self.path} cannot be read: {error.strerror}; choose another "
                "--out"
            ) from None
        if is_empty:
            return
        theirs = self._read_mark()
        if theirs is None:
            raise ConfigError(
                f"{self.path} holds files that no reproduction wrote; choose another --out, "
                "or --overwrite to write into it all the same"
            )
        ours = asdict(self._origin)
        changed = [key for key in ours if theirs.get(key) != ours[key]]
        if changed:
            before = ", ".join(f"{key} {theirs.get(key)}" for key in changed)
            now = ", ".join(f"{key} {ours[key]}" for key in changed)
            raise ConfigError(
                f"{self.path} holds results with {before}; these would have {now}: "
                "choose another --out, or --overwrite to replace them"
            )

    def _read_mark(self) -> dict[str, Any] | None:
        try:
            mark = json.loads((self.path / _MARK).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return mark if isinstance(mark, dict) else None
