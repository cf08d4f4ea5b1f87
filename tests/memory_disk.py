"""Where files cost nothing: a disk in memory, if this machine has one that will do.

Journals and agents' files are forced to the disk at every step, tens of thousands of times in a
run of the tests: that is a third of what some tests compute, and most of what they wait for.
"""

import os
import shutil
from pathlib import Path

_PLACE = Path("/dev/shm")
_ROOM = 1 << 29  # a run of all tests leaves some 20 MB; containers may have only 64 MB there


def memory_disk() -> Path | None:
    """A folder in memory with room for all tests, whose programs can be run."""
    if not (_PLACE.is_dir() and os.access(_PLACE, os.W_OK)):
        return None
    may_run = not os.statvfs(_PLACE).f_flag & os.ST_NOEXEC
    return _PLACE if may_run and shutil.disk_usage(_PLACE).free > _ROOM else None
