"""Logs go to stderr, as lines for people or as JSON for machines; `event_log.py` logs a run."""

import json
import logging
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

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
