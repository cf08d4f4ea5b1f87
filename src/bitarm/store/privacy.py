"""Whose eyes a journal is for: its owner's, unless the owner says otherwise.

It holds what every agent measured and when. SQLite gives the files that it puts beside a journal
the mode of the journal itself, so one file's mode decides for all three.
"""

import contextlib
import logging
import os
import stat
from pathlib import Path

_LOGGER = logging.getLogger("bitarm.store")
_OWNER_ONLY = 0o600
_COMPANIONS = ("", "-wal", "-shm")


def create_private(path: Path) -> None:
    """Create a file that is missing, empty and for its owner alone, whatever the umask is.

    One that exists is left, and what cannot be created to SQLite, which says why.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY))


def warn_if_public(path: Path) -> None:
    """Log it if everybody on the machine can use a journal, or what lies beside it.

    It keeps its mode: that may be meant. That of a group always is.
    """
    public: list[str] = []
    for companion in _COMPANIONS:
        found = path.with_name(path.name + companion)
        with contextlib.suppress(OSError):  # it is not there, or was taken away just now
            if found.stat().st_mode & stat.S_IRWXO:
                public.append(str(found))
    if public:
        _LOGGER.warning(
            "%s can be used by every user of this machine: if that is not meant, run chmod o= %s",
            public[0],
            " ".join(public),
        )
