"""How far one writer knows each run: it may add only where it has seen the end.

This is what keeps two learners from writing one run's story together: each entry was decided from
all entries before it. Refuses to know how entries are kept.
"""

from typing import final

from bitarm.errors import StoreError


@final
class Positions:
    """The last sequence number that this writer wrote, or else read, of each run."""

    def __init__(self) -> None:
        self._wrote: dict[int, int] = {}
        self._read: dict[int, int] = {}

    def read_to(self, run: int, sequence: int) -> None:
        """An entry was handed out: whoever got it may go on from there."""
        self._read[run] = max(sequence, self._read.get(run, 0))

    def wrote_to(self, run: int, sequence: int) -> None:
        """This writer put the run's last entry there."""
        self._wrote[run] = sequence

    def require_end(self, run: int, end: int, *, place: str) -> None:
        """Refuse to go on unless this writer knows the run up to `end`.

        For a run that it writes, reading does not count: a look at the run's entries must not
        hide that another wrote some of them. After a refusal the run counts as read only.
        """
        known = self._wrote.get(run, self._read.get(run, 0))
        if known == end:
            return
        self._wrote.pop(run, None)
        self._read.pop(run, None)
        raise StoreError(
            f"{place} has {end} entries, this writer knows {known}: another process wrote to the "
            "run, or it was never read here. Nothing was added; read the run to its end, replay "
            "it, and go on from there"
        )
