"""Events as sentences: one for each kind, the same in the terminal's log and on the page.

The sentence names arms as the run's setup does, so who shows it hands the setup in. How loud an
event is (`cli/event_log.py`) and where it is drawn (`dashboard/history.py`) is not said here.
"""

import math
from collections.abc import Iterable
from typing import Any

from bitarm.core.budget import is_budgeted
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
    PullsCounted,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.outcome import Outcome
from bitarm.core.policy import tolerance_of
from bitarm.core.question import BEYOND
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec


def sentence_of(event: LearnerEvent, setup: Setup) -> str:
    """One line about an event of a run with this setup, without a full stop.

    A kind that no case here knows is named, with the arms that it speaks of.
    """
    spec = setup.spec
    match event:
        case RunOpened():
            return (
                f"run {setup.fingerprint:08x} opened: {_arms(len(spec.arms))}, "
                f"{spec.quantizer.name}, {_aim(setup)}"
            )
        case EpochBegan():
            return f"a learner went on with the run, epoch {event.epoch}"
        case RoundOpened():
            return f"round {event.round} opened: {_arms(len(event.requests))} asked to advance"
        case ReportAccepted():
            return _report(event, setup)
        case PositionTold():
            return (
                f"{_name(spec, event.arm)} has made {event.pulls:,} pulls, more than it was asked "
                "for: this journal is older than what it remembers"
            )
        case ReportIgnored():
            again = "again" if event.times == 1 else f"and others again, {event.times:,} times"
            return f"{_name(spec, event.arm)} sent message {event.message} {again}: ignored"
        case ArmDropped():
            better = "did better" if is_budgeted(setup.policy) else "is better"
            return (
                f"{_name(spec, event.arm)} is out in round {event.round}: "
                f"{_name(spec, event.because)} {better}"
            )
        case CaveatNoted():
            return f"caveat: {event.text}"
        case RunEnded():
            return _ending(event, spec)
        case TrafficMeasured():
            return _traffic(event)
        case PullsCounted():
            return f"pulls of arms that gave up, as they told in the end: {_counts(event, spec)}"
        case ArmsLost():
            return (
                f"{_names(spec, event.arms)}: lost in round {event.round}, "
                "not heard from for too long"
            )
        case FleetAssigned():
            agents = len(set(event.agents))
            return f"fleet {event.fleet}: {_counted(agents, 'agent', 'agents')} assigned"
        case AgentJoined():
            return _joined(event)
        case LivesBegan():
            return f"{_names(spec, event.arms)}: earlier live rewards are lost, counted anew"
    return _unknown(event, spec)


def _report(event: ReportAccepted, setup: Setup) -> str:
    spec = setup.spec
    name = _name(spec, event.arm)
    if event.beaten_by is not None:
        tolerance = tolerance_of(setup.policy)
        nearly = f", or at most {tolerance:g} worse" if tolerance else ""
        return (
            f"{name} gave up with {event.symbol} (message {event.message}): "
            f"{_name(spec, event.beaten_by)} is better{nearly}"
        )
    if event.symbol == BEYOND and spec.quantizer.asks_again:
        return (
            f"{name} has an answer that its link does not carry (message {event.message}): "
            "it is asked again in larger steps"
        )
    radius = f" ± {event.radius:.3g}" if math.isfinite(event.radius) else ""  # or nothing claimed
    return f"{name} reported {event.symbol} (message {event.message}): {event.mean:.4g}{radius}"


def _counts(event: PullsCounted, spec: RunSpec) -> str:
    return ", ".join(f"{_name(spec, arm)} {count:,}" for arm, count in event.counts.items())


def _joined(event: AgentJoined) -> str:
    if event.is_silent:
        return f"agent {event.agent} joined; it does not say what it remembers"
    if not event.restarts:
        return f"agent {event.agent} joined"
    times = "once" if event.restarts == 1 else f"{event.restarts:,} times"
    restarted = f"agent {event.agent} restarted, {times} by now"
    if not event.discarded:
        return restarted
    batches = _counted(event.discarded, "batch", "batches")
    return f"{restarted}; {batches} of live rewards, cut short by a crash, discarded so far"


def _ending(event: RunEnded, spec: RunSpec) -> str:
    if event.best_arm is None:
        return f"ended without an answer: {event.outcome.value.replace('_', ' ')}"
    if event.outcome is Outcome.BUDGET_SPENT:
        return f"ended: the budget is spent, {_name(spec, event.best_arm)} did best"
    return f"ended: {_name(spec, event.best_arm)} is the best arm"


def _aim(setup: Setup) -> str:
    terms = setup.terms
    return f"{terms.pull_budget:,} pulls" if terms.delta is None else f"δ = {terms.delta:g}"


def _traffic(event: TrafficMeasured) -> str:
    sent = f"frames as sent: {event.wire_bytes_up:,} bytes up, {event.wire_bytes_down:,} bytes down"
    if event.mqtt_bytes_up is None or event.mqtt_bytes_down is None:
        return sent
    return f"{sent}; with MQTT: {event.mqtt_bytes_up:,} up, {event.mqtt_bytes_down:,} down"


def _unknown(event: LearnerEvent, spec: RunSpec) -> str:
    words = event.name.replace("_", " ")
    fields: list[Any] = [getattr(event, "arm", None), *(getattr(event, "arms", None) or ())]
    arms = [arm for arm in fields if isinstance(arm, int)]
    return f"{_names(spec, arms)}: {words}" if arms else words


def _names(spec: RunSpec, arms: Iterable[int]) -> str:
    return ", ".join(_name(spec, arm) for arm in arms)


def _name(spec: RunSpec, arm: int) -> str:
    return spec.arms[arm] if 0 <= arm < len(spec.arms) else f"arm {arm}"


def _arms(count: int) -> str:
    return _counted(count, "arm", "arms")


def _counted(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"
