"""What peers sent that they must not send: counted, and logged with the offender.

One offender cannot fill the log: after a few lines only every tenfold count is told.
"""

import logging
from collections import Counter
from typing import final

from bitarm.peer_log import in_short, is_milestone

_LOGGER = logging.getLogger("bitarm.refused")
_LINES = 5
_MOST_OFFENDERS = 10_000


@final
class Refusals:
    """How often each sender was refused."""

    def __init__(self) -> None:
        self.by_offender: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many messages were refused, whoever sent them."""
        return self.by_offender.total()

    def note(self, offender: str, why: str) -> None:
        """Count one; `offender` is the topic that it came by."""
        if offender not in self.by_offender and len(self.by_offender) >= _MOST_OFFENDERS:
            offender = "others"
        self.by_offender[offender] += 1
        count = self.by_offender[offender]
        if count <= _LINES or is_milestone(count):
            more = f" ({count} refused from there so far)" if count >= _LINES else ""
            _LOGGER.warning("refused, from %s: %s%s", in_short(offender), in_short(why), more)
