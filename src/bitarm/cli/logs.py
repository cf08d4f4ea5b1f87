"""Logs: what happens in a run, on stderr, as lines for people or as JSON for machines.

The sentences are the page's too (`core/sentences.py`); here is how loud each event is.
"""

import json
import logging
from collections.abc import Sequence
from enum import Enum
from typing import final

from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    RunEnded,
    RunOpened,
    dump_event,
)
from bitarm.core.sentences import sentence_of
from bitarm.core.setup import Setup
from bitarm.errors import StoreError

_LOGGER = logging.getLogger("bitarm")


class LogLevel(Enum):
    """How much is said."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        event = getattr(record, "event", None)
        line = {
            "at": record.created,
            "level": record.levelname.lower(),
            "text": record.getMessage(),
        }
        return json.dumps(line | ({"event": json.loads(event)} if event else {}))


def configure(level: LogLevel, *, as_json: bool) -> None:
    """Send this program's logs to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        _JsonLines() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    )
    _LOGGER.handlers = [handler]
    _LOGGER.propagate = False
    _LOGGER.setLevel(level.value.upper())


@final
class EventLog:
    """Logs the events of one run as they come: caveats as warnings, decisions as news.

    Arms are called by the names that the run's opening gave them, so the opening must come first. A
    learner that goes on with a run tells its watchers the events of before, the opening included.
    """

    def __init__(self) -> None:
        self._setup: Setup | None = None

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Log these events; StoreError if the run's opening was not among the first."""
        for event in events:
            if isinstance(event, RunOpened):
                self._setup = event.setup
            if self._setup is None:
                raise StoreError(f"a run is logged from its opening on, found {event}")
            level = _level(event)
            if _LOGGER.isEnabledFor(level):
                text = sentence_of(event, self._setup)
                _LOGGER.log(level, text, extra={"event": dump_event(event)})


def _level(event: LearnerEvent) -> int:
    match event:
        case ArmsLost() | PositionTold() | LivesBegan() | CaveatNoted():
            return logging.WARNING
        case AgentJoined() if event.restarts:
            return logging.WARNING
        case RunOpened() | EpochBegan() | ArmDropped() | AgentJoined() | RunEnded():
            return logging.INFO
    return logging.DEBUG
