"""Logs: what happens in a run, on stderr, as lines for people or as JSON for machines."""

import json
import logging
import math
from collections.abc import Sequence
from enum import Enum

from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    RunOpened,
    dump_event,
)

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


def log_events(events: Sequence[LearnerEvent]) -> None:
    """Log events: caveats as warnings, decisions as news, the rest as detail."""
    for event in events:
        level, text = _describe(event)
        if _LOGGER.isEnabledFor(level):
            _LOGGER.log(level, text, extra={"event": dump_event(event)})


def _describe(event: LearnerEvent) -> tuple[int, str]:
    match event:
        case RunOpened():
            spec = event.setup.spec
            return logging.INFO, f"run {spec.fingerprint:08x}: {len(spec.arms)} arms"
        case EpochBegan():
            return logging.INFO, f"a learner went on with the run, epoch {event.epoch}"
        case RoundOpened():
            arms = "1 arm" if len(event.requests) == 1 else f"{len(event.requests):,} arms"
            return logging.DEBUG, f"round {event.round} opened: {arms} asked to advance"
        case ReportAccepted():
            said = f"{event.mean:g}"
            if math.isfinite(event.radius):
                said += f" ± {event.radius:g}"
            if event.ceiling is not None:
                said = f"at most {event.ceiling:g}"
            text = f"arm {event.arm} message {event.message}: {said}"
            return logging.DEBUG, text
        case ArmDropped():
            text = f"round {event.round}: arm {event.arm} dropped for arm {event.because}"
            return logging.INFO, text
        case ArmsLost():
            return logging.WARNING, f"round {event.round}: arms {event.arms} lost with their agent"
        case PositionTold():
            text = (
                f"arm {event.arm} has made {event.pulls} pulls, more than it was asked for: "
                "this journal is older than what it remembers"
            )
            return logging.WARNING, text
        case LivesBegan():
            text = f"arms {event.arms}: earlier live rewards are lost, counted anew"
            return logging.WARNING, text
        case AgentJoined(restarts=0):
            return logging.INFO, f"agent {event.agent} joined"
        case AgentJoined():
            text = f"agent {event.agent} restarted ({event.restarts}), {event.discarded} discarded"
            return logging.WARNING, text
        case CaveatNoted():
            return logging.WARNING, event.text
        case RunEnded():
            return logging.INFO, f"ended: {event.outcome.value}"
    return logging.DEBUG, event.name
