"""What an event says to a person, in one line. Names of arms are quoted as they are: plain text."""

from bitarm.core.events import (
    ArmDropped,
    CaveatNoted,
    LearnerEvent,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.spec import RunSpec


def in_words(event: LearnerEvent, spec: RunSpec) -> str:
    """One line about an event; an unknown kind is named."""
    match event:
        case RunOpened():
            return f"run opened: {len(spec.arms)} arms, {spec.quantizer.name}, δ = {spec.delta:g}"
        case RoundOpened():
            return f"round {event.round} opened: {_arms(len(event.advances))} asked to advance"
        case ReportAccepted():
            return (
                f"{_name(spec, event.arm)} reported {event.symbol} "
                f"(message {event.message}): {event.mean:.4g} ± {event.radius:.3g}"
            )
        case ReportIgnored():
            return f"{_name(spec, event.arm)} sent message {event.message} again: ignored"
        case ArmDropped():
            return f"{_name(spec, event.arm)} is out: {_name(spec, event.because)} is better"
        case CaveatNoted():
            return f"caveat: {event.text}"
        case RunEnded():
            return _ending(event, spec)
        case TrafficMeasured():
            return (
                f"frames as sent: {event.wire_bytes_up:,} bytes up, "
                f"{event.wire_bytes_down:,} bytes down"
            )
    return _unknown(event, spec)


def arm_of(event: LearnerEvent) -> int | None:
    """The arm that an event speaks of, if it speaks of one."""
    arm = getattr(event, "arm", None)
    return arm if isinstance(arm, int) else None


def _ending(event: RunEnded, spec: RunSpec) -> str:
    if event.best_arm is None:
        return f"ended without an answer: {event.outcome.value.replace('_', ' ')}"
    return f"ended: {_name(spec, event.best_arm)} is the best arm"


def _unknown(event: LearnerEvent, spec: RunSpec) -> str:
    words = event.name.replace("_", " ")
    arm = arm_of(event)
    return words if arm is None else f"{_name(spec, arm)}: {words}"


def _name(spec: RunSpec, arm: int) -> str:
    return spec.arms[arm] if 0 <= arm < len(spec.arms) else f"arm {arm}"


def _arms(count: int) -> str:
    return "1 arm" if count == 1 else f"{count:,} arms"
