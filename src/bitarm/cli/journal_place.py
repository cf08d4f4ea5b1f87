"""Is the journal that a run is kept in still the file that its path names?

Somebody may delete, move or replace it while a learner writes to it. The system then keeps the old
file until the learner ends, and the run goes on, since an answer is better than none; but what is
written is lost with the process. That must be said while a copy can still be made.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import final

from bitarm.core.events import LearnerEvent

_LOGGER = logging.getLogger("bitarm.journal")


@final
class JournalPlace:
    """A watcher of one run that looks after every transaction where its journal is."""

    def __init__(self, path: Path) -> None:
        """`path` is of a journal that is open by now."""
        self._path = path
        self._file = _file_at(path)
        self._is_told = False

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Warn, once, if what was just written is not where it will be looked for."""
        why = self.trouble()
        if why is not None and not self._is_told:
            _LOGGER.warning("%s", why)
        self._is_told = why is not None

    def trouble(self) -> str | None:
        """What is wrong with the place, and what to do; None if nothing is."""
        if _file_at(self._path) == self._file:
            return None
        return (
            f"the journal {self._path} was deleted, moved or replaced while this run is kept in "
            "it: put it back where it was. Otherwise the run ends as it would have, but nothing of "
            "it is kept, and it cannot be resumed"
        )


def _file_at(path: Path) -> tuple[int, int] | None:
    """What names a file whatever its path is; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
