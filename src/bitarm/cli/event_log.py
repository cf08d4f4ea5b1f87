"""What happens in a run, logged.

The sentences are the page's too (`core/sentences.py`); here is how loud each event is.
"""

import logging
from collections.abc import Sequence
from typing import final

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

_LOGGER = logging.getLogger("bitarm")


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
