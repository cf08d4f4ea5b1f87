"""How long to wait before the next attempt to connect. Without a clock: seconds go in and come out.

A broker closes the older of two connections with one client id, and Mosquitto does not say why. A
process that gave up then could be stopped by whoever takes its id; one that came back at once
would fight with a second process of the same name for ever. So it always comes back, each time
later, until a connection holds.
"""

from typing import final

_FIRST = 0.1  # seconds
_LONGEST = 5.0  # between two attempts while nobody answers
_LONGEST_PUSHED = 30.0  # while connections are made and do not last
_BRIEF = 1.0  # seconds: a connection that ended sooner did not last
_MUST_OUTLAST = 10  # times the wait before it, else two processes that wait alike go on for ever
_SUSPECT_AFTER = 3  # such connections in a row


@final
class Backoff:
    """The waits of one process, and how often in a row its connections did not last."""

    def __init__(self) -> None:
        self._wait = 0.0  # before the present connection or attempt
        self.pushes = 0

    @property
    def is_suspect(self) -> bool:
        """Whether to tell a person: after the third connection that did not last, then the 6th, …

        Twice as many each time, so that a log is not filled.
        """
        times, rest = divmod(self.pushes, _SUSPECT_AFTER)
        return rest == 0 and times > 0 and times & (times - 1) == 0

    def after_failure(self) -> float:
        """Seconds to wait after an attempt that brought no connection."""
        self._wait = min(max(2 * self._wait, _FIRST), max(self._wait, _LONGEST))
        return self._wait

    def after_loss(self, lasted: float) -> float:
        """Seconds to wait after a connection that was there for `lasted` seconds."""
        if lasted < max(_BRIEF, _MUST_OUTLAST * self._wait):
            self.pushes += 1
            self._wait = min(max(2 * self._wait, _FIRST), _LONGEST_PUSHED)
        else:
            self.pushes = 0
            self._wait = _FIRST
        return self._wait
