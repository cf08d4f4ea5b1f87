"""Exit codes: which one an error or the outcome of a run ends with."""

import errno
import sys
from enum import IntEnum

from bitarm.core.outcome import Outcome
from bitarm.errors import (
    BitarmError,
    ConfigError,
    FrameError,
    PeerProtocolError,
    RewardError,
    TransportError,
)
from bitarm.peer_log import printable


class Exit(IntEnum):
    """Exit codes of the program."""

    DECIDED = 0
    INTERNAL = 1  # a defect here, or the disk
    USAGE = 2  # bad usage, configuration or rewards
    NO_ANSWER = 3  # a limit ended the run
    PEER = 4  # an agent, a learner or the broker failed
    INTERRUPTED = 130


_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


def is_disk_fault(error: BaseException | None) -> bool:
    """Whether a disk takes or gives nothing more: neither a defect nor a wrong input."""
    return isinstance(error, OSError) and error.errno in _DISK_FAULTS


def exit_for(error: BitarmError) -> Exit:
    """The code for an error, by whose fault it is."""
    if is_disk_fault(error.__context__):
        return Exit.INTERNAL  # whoever handled it took the place for ill chosen
    if isinstance(error, ConfigError | RewardError):
        return Exit.USAGE
    if isinstance(error, FrameError | PeerProtocolError | TransportError):
        return Exit.PEER
    return Exit.INTERNAL


def exit_for_outcome(outcome: Outcome) -> Exit:
    """The code for the way in which a run ended."""
    if outcome in (Outcome.DECIDED, Outcome.BUDGET_SPENT):
        return Exit.DECIDED
    if outcome is Outcome.INTERRUPTED:
        return Exit.INTERRUPTED
    return Exit.PEER if outcome is Outcome.AGENT_LOST else Exit.NO_ANSWER


def notify(text: str) -> None:
    """Print a sentence for the user on stderr, after the program's name.

    It may quote what a peer said, or a file: that begins no line and moves no cursor.
    """
    print(f"bitarm: {printable(text)}", file=sys.stderr)
