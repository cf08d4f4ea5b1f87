"""Whom a learner waits for, said in the log: a person may have to start these agents."""

import logging
from collections.abc import Iterable, Sequence
from typing import final

from bitarm.runtime.learner.roster import Member
from bitarm.runtime.patience import Patience

_LOGGER = logging.getLogger("bitarm.learner")
_MOST_NAMES = 8
_SILENT = 60.0  # seconds: agents that are there pull, and that takes its time


@final
class LearnerWaiting:
    """The waits of a learner for the agents that owe it an answer."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._for_absent = Patience()
        self._for_joining = Patience()
        self._for_answers = Patience()

    def look(self, busy: Iterable[Member], now: float) -> None:
        """Say who is waited for, if a line is due; `busy` are those that owe an answer."""
        owing = sorted(busy, key=lambda member: member.name)
        away = [member for member in owing if not member.is_present]
        absent = [member for member in away if not member.is_elsewhere]
        elsewhere = [member for member in away if member.is_elsewhere]
        silent = [
            member for member in owing if member.is_present and now - member.heard_at >= _SILENT
        ]
        if (waited := _due(self._for_absent, absent, now)) is not None:
            _LOGGER.warning(
                "run %s has waited %.0f s for agents (bitarm agent … --agent NAME --run %s) "
                "that are not connected: %s",
                self._run,
                waited,
                self._run,
                _names(absent),
            )
        if (waited := _due(self._for_joining, elsewhere, now)) is not None:
            _LOGGER.warning(
                "run %s has waited %.0f s for agents that are connected and have not joined it "
                "(an earlier run of this name, which has not ended, or a version that does not "
                "know it): %s",
                self._run,
                waited,
                _names(elsewhere),
            )
        if _due(self._for_answers, silent, now) is not None:
            _LOGGER.info(
                "run %s has heard nothing for %.0f s of agents that are connected, and were asked: "
                "%s",
                self._run,
                now - max(member.heard_at for member in silent),
                _names(silent),
            )


def _due(patience: Patience, members: Sequence[Member], now: float) -> float | None:
    if not members:
        patience.over()
        return None
    return patience.waited(now)


def _names(members: Sequence[Member]) -> str:
    more = f" and {len(members) - _MOST_NAMES:,} more" if len(members) > _MOST_NAMES else ""
    return ", ".join(member.name for member in members[:_MOST_NAMES]) + more
