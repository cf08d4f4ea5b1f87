"""The end of a run: everyone is told, and those that are there are given a while to stop."""

from typing import final

from bitarm.core.epochs import is_later
from bitarm.runtime.learner.retained import Retained
from bitarm.runtime.learner.rivals import RETAINED_WITHIN, Bids
from bitarm.runtime.learner.roster import Roster
from bitarm.runtime.service import Publication


@final
class Farewell:
    """What a learner says once its run has ended, and for how long it stays.

    It speaks only after the broker had the time to tell what it retains: if another learner has
    taken over, that one's word counts. It stays until every agent that is there has confirmed that
    it stops, at most `linger` seconds.
    """

    def __init__(
        self, retained: Retained, roster: Roster, bids: Bids, *, linger: float, now: float
    ) -> None:
        self._retained = retained
        self._roster = roster
        self._bids = bids
        self._linger = linger
        self._speaks_at = now
        self._leaves_at: float | None = None  # None until the run has ended
        self._has_told = False
        self._told_in: int | None = None  # the epoch in which another learner told it
        self.is_over = False

    def connected(self, now: float) -> None:
        """The broker may have forgotten what it was told, and knows of others."""
        self._speaks_at = now + RETAINED_WITHIN
        self._has_told, self._told_in = False, None

    def tell_again(self) -> None:
        """The broker retains another learner's word in place of ours."""
        self._has_told = False

    def told_by_another(self, epoch: int | None) -> None:
        """A learner of a later epoch has ended the run too: its word is kept, and ours not told."""
        self._told_in, self._has_told = epoch, True

    def is_told_since(self, epoch: int | None) -> bool:
        """Whether another learner's word for the end is of that epoch, or of one after it."""
        told = self._told_in
        return told is not None and epoch is not None and not is_later(epoch, told)

    def wake_at(self, now: float) -> float | None:
        """When to step at the latest, if the run has ended; None if `step` was not called yet."""
        return self._speaks_at if now < self._speaks_at else self._leaves_at

    def step(self, now: float, *, is_connected: bool) -> list[Publication]:
        """What to publish now that the run has ended; `is_over` afterwards if that was all."""
        if is_connected and now < self._speaks_at:
            return []
        said: list[Publication] = []
        if self._leaves_at is None:
            self._leaves_at = now + self._linger
        if is_connected and not self._has_told:
            self._has_told = True
            said.extend(self._retained.end())
        members = self._roster.members.values()
        is_awaited = any(member.is_present for member in members)
        is_awaited |= bool(self._bids)  # the word of a learner that may have taken over
        if now < self._leaves_at and (is_awaited or not self._has_told):
            return said
        self.is_over = True
        away = [member for member in members if not member.is_done]
        return [*said, *self._retained.clear_statuses(away)]
