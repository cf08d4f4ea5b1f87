"""Logs: what happens in a run, on stderr, as lines for people or as JSON for machines.

The sentences are the page's too (`core/sentences.py`); here is how loud each event is.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, final

from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    RunEnded,
    RunOpened,
    dump_event,
)
from bitarm.core.sentences import sentence_of
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import StoreError
from bitarm.peer_log import printable

_LOGGER = logging.getLogger("bitarm")


class LogLevel(Enum):
    """How much is said."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class _Lines(logging.Formatter):
    """A line for each record, whatever peers' texts are in it; a defect's traceback below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802, logging's own name
        return printable(super().formatMessage(record))


class _JsonLines(logging.Formatter):
    """A JSON object for each record: when, how loud, who says it, what, and what it is about."""

    def __init__(self, about: Mapping[str, str]) -> None:
        super().__init__()
        self._about = dict(about)

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
        }
        line |= self._about | getattr(record, "fields", {})
        event = getattr(record, "event", None)
        if event:
            line["event"] = json.loads(event)
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def configure(
    level: LogLevel, *, as_json: bool, about: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Send this program's logs to stderr; `about` is in every line that is written as JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        _JsonLines(about) if as_json else _Lines("%(asctime)s %(levelname)s %(message)s")
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
        self._run = ""

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Log these events; StoreError if the run's opening was not among the first."""
        for event in events:
            if isinstance(event, RunOpened):
                self._setup = event.setup
                self._run = f"{event.setup.fingerprint:08x}"
            if isinstance(event, FleetAssigned):
                self._run = event.fleet  # as a person named it
            if self._setup is None:
                raise StoreError(f"a run is logged from its opening on, found {event}")
            level = _level(event)
            if _LOGGER.isEnabledFor(level):
                text = sentence_of(event, self._setup)
                fields = {"run": self._run} | _fields(event, self._setup.spec)
                _LOGGER.log(level, text, extra={"event": dump_event(event), "fields": fields})


def _fields(event: LearnerEvent, spec: RunSpec) -> dict[str, str]:
    """The arm and the agent that an event is about, by their names, if it is about one."""
    fields = {}
    arm, agent = getattr(event, "arm", None), getattr(event, "agent", None)
    if isinstance(arm, int) and 0 <= arm < len(spec.arms):
        fields["arm"] = spec.arms[arm]
    if isinstance(agent, str):
        fields["agent"] = agent
    return fields


def _level(event: LearnerEvent) -> int:
    match event:
        case ArmsLost() | PositionTold() | LivesBegan() | CaveatNoted():
            return logging.WARNING
        case AgentJoined() if event.restarts:
            return logging.WARNING
        case RunOpened() | EpochBegan() | ArmDropped() | AgentJoined() | RunEnded():
            return logging.INFO
    return logging.DEBUG
