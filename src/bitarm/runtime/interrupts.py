"""Ctrl-C at a moment of our own choosing: not between a write and the note that it was made."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Whatever Ctrl-C does here, it does it when the block is left.

    Python raises KeyboardInterrupt between any two steps, and so between a commit and what follows
    from it: the same events would be written twice. Other threads are never interrupted.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    came: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        usual(signal.SIGINT, came[0])
