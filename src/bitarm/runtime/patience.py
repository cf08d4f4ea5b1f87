"""When somebody who waits should say so: after a few seconds, then at growing intervals."""

import math
from typing import final

_LONGEST = 600.0  # seconds between two lines


@final
class Patience:
    """One wait, or one after another: begun when it is first asked about, ended by `over`."""

    def __init__(self, first: float = 5.0) -> None:
        self._first = self._pause = first
        self._since = math.inf
        self.due_at = math.inf  # when the next line is due; infinite while nobody waits

    def waited(self, now: float) -> float | None:
        """Seconds waited so far, if a line is due now; ask as long as the wait lasts."""
        if math.isinf(self._since):
            self._since, self.due_at = now, now + self._pause
        if now < self.due_at:
            return None
        self._pause = min(2 * self._pause, _LONGEST)
        self.due_at = now + self._pause
        return now - self._since

    def over(self) -> None:
        """End the wait: nobody waits any longer."""
        self._pause, self._since, self.due_at = self._first, math.inf, math.inf
