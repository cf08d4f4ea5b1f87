"""What an event says to a person, in one line, and which arms it speaks of.

A newer learner may write kinds of events that no case here knows. They are named, and asked for
the fields that events share (`arm`, `arms`, `agent`, `round`), so that a page can still place them.
"""

import math
from collections.abc import Iterable
from typing import Any

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
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.policy import Outcome
from bitarm.core.spec import RunSpec
from bitarm.core.standings import Standings


def in_words(event: LearnerEvent, standings: Standings) -> str:
    """One line about an event."""
    spec = standings.opened.setup.spec
    match event:
        case RunOpened():
            return f"run opened: {len(spec.arms)} arms, {spec.quantizer.name}, {_aim(event)}"
        case EpochBegan():
            return f"a learner went on with the run, epoch {event.epoch}"
        case RoundOpened():
            return f"round {event.round} opened: {_arms(len(event.requests))} asked to advance"
        case ReportAccepted():
            if event.ceiling is not None:
                return (
                    f"{_name(spec, event.arm)} conceded with {event.symbol} "
                    f"(message {event.message}): its mean is at most {event.ceiling:.4g}"
                )
            return (
                f"{_name(spec, event.arm)} reported {event.symbol} "
                f"(message {event.message}): {event.mean:.4g}{_radius(event.radius)}"
            )
        case PositionTold():
            return (
                f"{_name(spec, event.arm)} has made {event.pulls:,} pulls, more than it was asked "
                "for: this journal is older than what it remembers"
            )
        case ReportIgnored():
            return f"{_name(spec, event.arm)} sent message {event.message} again: ignored"
        case ArmDropped():
            better = "did better" if _guesses(standings) else "is better"
            return f"{_name(spec, event.arm)} is out: {_name(spec, event.because)} {better}"
        case CaveatNoted():
            return f"caveat: {event.text}"
        case RunEnded():
            return _ending(event, spec)
        case TrafficMeasured():
            return _traffic(event)
        case ArmsLost():
            return f"{_names(standings, event.arms)}: given up, not heard from for too long"
        case FleetAssigned():
            return f"fleet {event.fleet}: {len(set(event.agents)):,} agents assigned"
        case AgentJoined():
            return _joined(event)
        case LivesBegan():
            return f"{_names(standings, event.arms)}: earlier live rewards are lost, counted anew"
    return _unknown(event, standings)


def arms_of(event: LearnerEvent, standings: Standings) -> list[int]:
    """The arms that an event speaks of, by number or by the name of their agent."""
    numbers: list[Any] = [getattr(event, "arm", None), *(getattr(event, "arms", None) or ())]
    agent = getattr(event, "agent", None)
    if agent is not None:
        numbers += [arm for arm, one in enumerate(standings.arms) if one.agent == agent]
    return [arm for arm in numbers if isinstance(arm, int) and 0 <= arm < len(standings.arms)]


def whole(event: LearnerEvent, field: str) -> int | None:
    """A field that holds a whole number, if this kind of event has it."""
    value = getattr(event, field, None)
    return value if isinstance(value, int) else None


def _joined(event: AgentJoined) -> str:
    if not event.restarts:
        return f"agent {event.agent} joined"
    return f"agent {event.agent} restarted, {event.restarts:,} times by now"


def _ending(event: RunEnded, spec: RunSpec) -> str:
    if event.best_arm is None:
        return f"ended without an answer: {event.outcome.value.replace('_', ' ')}"
    if event.outcome is Outcome.BUDGET_SPENT:
        return f"ended: the budget is spent, {_name(spec, event.best_arm)} did best"
    return f"ended: {_name(spec, event.best_arm)} is the best arm"


def _guesses(standings: Standings) -> bool:
    return standings.opened.setup.policy.answers is Outcome.BUDGET_SPENT


def _aim(event: RunOpened) -> str:
    level = event.setup.level
    return f"{level.pull_budget:,} pulls" if level.delta is None else f"δ = {level.delta:g}"


def _radius(radius: float) -> str:
    return f" ± {radius:.3g}" if math.isfinite(radius) else ""


def _unknown(event: LearnerEvent, standings: Standings) -> str:
    words = event.name.replace("_", " ")
    arms = arms_of(event, standings)
    return f"{_names(standings, arms)}: {words}" if arms else words


def _traffic(event: TrafficMeasured) -> str:
    sent = f"frames as sent: {event.wire_bytes_up:,} bytes up, {event.wire_bytes_down:,} bytes down"
    if event.mqtt_bytes_up is None or event.mqtt_bytes_down is None:
        return sent
    return f"{sent}; with MQTT: {event.mqtt_bytes_up:,} up, {event.mqtt_bytes_down:,} down"


def _names(standings: Standings, arms: Iterable[int]) -> str:
    return ", ".join(_name(standings.opened.setup.spec, arm) for arm in arms)


def _name(spec: RunSpec, arm: int) -> str:
    return spec.arms[arm] if 0 <= arm < len(spec.arms) else f"arm {arm}"


def _arms(count: int) -> str:
    return "1 arm" if count == 1 else f"{count:,} arms"
