"""A learner rebuilt from its events: recovery after a crash, and an audit of what it decided."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bitarm.core.epochs import run_field
from bitarm.core.events import (
    AgentJoined,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    PullsCounted,
    ReportAccepted,
    ReportIgnored,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput
from bitarm.core.messages import Position, Report
from bitarm.core.outcome import FROM_OUTSIDE
from bitarm.errors import ProtocolError, StoreError

_WITHOUT_EFFECT = (ReportIgnored, TrafficMeasured, PullsCounted, FleetAssigned)


def replay(events: Iterable[LearnerEvent]) -> Learner:
    """The learner that these events leave behind.

    Inputs (reports, caveats, losses, an interruption) are fed to a new machine; everything else
    must come out of it exactly as it was written down. A journal that says otherwise is refused.
    """
    last = deque(steps(events), maxlen=1)
    if not last:
        raise StoreError("the journal of this run is empty")
    return last[0][0]


def steps(events: Iterable[LearnerEvent]) -> Iterator[tuple[Learner, LearnerEvent]]:
    """The learner after each event; the same machine every time, so look before going on."""
    relevant = (event for event in events if not isinstance(event, _WITHOUT_EFFECT))
    learner: Learner | None = None
    derived: deque[LearnerEvent] = deque()
    for number, event in enumerate(relevant, start=1):
        if not derived:
            if learner is None:
                learner = _open(event)
                derived.extend(learner.start().events)
            else:
                derived.extend(_again(learner, event, number).events)
        if not derived or _content(derived[0]) != _content(event):
            expected = derived[0] if derived else "nothing more"
            raise StoreError(
                f"the journal contradicts itself: event {number} is {event}, "
                f"from what came before follows {expected}"
            )
        derived.popleft()
        assert learner is not None  # opened above
        yield learner, event


def _content(event: LearnerEvent) -> LearnerEvent:
    """What must agree: an ending's sentences may be worded better in a later version."""
    if not isinstance(event, RunEnded):
        return event
    return replace(event, guarantee_reason="", assumptions=())


def _open(event: LearnerEvent) -> Learner:
    if not isinstance(event, RunOpened):
        raise StoreError(f"the journal of a run begins with its opening, found {event}")
    installed = event.setup.packages
    if event.packages != installed:
        raise StoreError(
            f"the run was opened with {_listed(event.packages)}, installed here is "
            f"{_listed(installed)}: only the same version goes on to the same answer"
        )
    return Learner(event.setup, event.opening)


def _listed(packages: tuple[str, ...]) -> str:
    return ", ".join(packages) or "bitarm's own schemes"


def _again(learner: Learner, event: LearnerEvent, number: int) -> LearnerOutput:
    """Live through one input once more; one that the machine refuses was never accepted."""
    try:
        return _input(learner, event)
    except ProtocolError as error:
        raise StoreError(f"the journal contradicts itself: event {number}: {error}") from None


def _input(learner: Learner, event: LearnerEvent) -> LearnerOutput:
    match event:
        case ReportAccepted():
            return learner.receive(
                Report(**_answered(learner, event.arm), arm=event.arm, symbol=event.symbol)
            )
        case PositionTold():
            return learner.receive(
                Position(**_answered(learner, event.arm), arm=event.arm, pulls=event.pulls)
            )
        case EpochBegan():
            return learner.begin(event.epoch)
        case LivesBegan():
            return learner.renew(event.counts)
        case AgentJoined():
            return learner.join(event)
        case CaveatNoted():
            return learner.note(event.text)
        case ArmsLost():
            return learner.lose(event.arms, stop=event.stops)
        case RunEnded() if event.outcome in FROM_OUTSIDE:
            return learner.interrupt(event.outcome)
    return LearnerOutput()


def _answered(learner: Learner, arm: int) -> dict[str, int]:
    """Run field and number of the question that an answer of this arm can only have meant."""
    if not 0 <= arm < len(learner.arms):
        raise StoreError(f"the journal speaks of arm {arm}, the run has {len(learner.arms)}")
    return {
        "run": run_field(learner.run, learner.epoch),
        "message": learner.arms[arm].asked,
    }
