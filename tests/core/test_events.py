"""Events as JSON lines: one spelling each, read back exactly, anything else refused."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tapes import Problem, drive_problem, make_spec, problems

from bitarm.core.bits import Symbol
from bitarm.core.events import (
    EVENTS,
    AgentDismissed,
    AgentRestarted,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    Event,
    FleetAssigned,
    LostRule,
    ReportAccepted,
    ReportIgnored,
    ReportMade,
    RequestTaken,
    RewardsObserved,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
    dump_event,
    load_event,
)
from bitarm.core.limits import Limits
from bitarm.core.messages import Cause
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
)
from bitarm.core.policy import Advance, Outcome
from bitarm.core.quantizers import Icq
from bitarm.core.schedule import ListedSchedule
from bitarm.errors import ConfigError

_SAMPLES: list[Event] = [
    RunOpened(
        spec=make_spec(quantizer=Icq(bits=2), schedule=ListedSchedule(checkpoints=(1, 5))),
        policy=SuccessiveElimination(epsilon=0.1),
        limits=Limits(rounds=3, bits=10**15),
    ),
    RoundOpened(round=1, advances=(Advance(arm=0, until=2), Advance(arm=1, until=2**40))),
    ReportAccepted(
        round=1,
        arm=0,
        message=1,
        pulls=2,
        symbol=Symbol(2**64 - 1, 64),
        mean=-0.1,
        error=0.0,
        radius=math.inf,
    ),
    ReportIgnored(arm=1, message=3),
    ArmDropped(round=2, arm=1, because=0),
    ArmsLost(round=3, arms=(0, 2), stops=False),
    CaveatNoted(text="2 rewards of “Größe” were clipped\n"),
    RunEnded(
        outcome=Outcome.SAMPLE_LIMIT,
        best_arm=None,
        guarantee=None,
        guarantee_reason="no answer",
        rounds=9,
        samples=10**12,
        payload_bits=81,
    ),
    TrafficMeasured(payload_bytes=3, wire_bytes_up=40, wire_bytes_down=50),
    FleetAssigned(fleet="lab", agents=("gw-1", "gw-1", "gw-2"), lost=LostRule.DROP),
    AgentRestarted(agent="gw-1", restarts=2, discarded=1),
    RequestTaken(arm=0, message=1, until=2),
    RewardsObserved(arm=0, count=2, total=-5e-324),
    ReportMade(arm=0, message=1, symbol=Symbol(0, 0), contained=False),
    AgentDismissed(arm=0, cause=Cause.ENDED),
]


@pytest.mark.parametrize("event", _SAMPLES, ids=lambda event: event.name)
def test_an_event_is_read_back_as_it_was_written(event: Event) -> None:
    text = dump_event(event)
    assert load_event(text) == event
    assert dump_event(load_event(text)) == text
    assert "\n" not in text


def test_every_event_is_in_the_table() -> None:
    assert [event.name for event in _SAMPLES] == list(EVENTS)


@settings(deadline=None, max_examples=60)
@given(problem=problems())
def test_the_events_of_a_run_are_read_back_as_they_were_written(problem: Problem) -> None:
    events = drive_problem(problem).events
    assert [load_event(dump_event(event)) for event in events] == events


@given(total=st.floats(allow_nan=False), count=st.integers(1, 10**12))
def test_sums_survive_to_the_last_bit(total: float, count: int) -> None:
    read = load_event(dump_event(RewardsObserved(arm=0, count=count, total=total)))
    assert isinstance(read, RewardsObserved)
    assert read.count == count
    assert math.copysign(1, read.total) == math.copysign(1, total)
    assert read.total == total


@pytest.mark.parametrize("whole_number", [0, 1])
@pytest.mark.parametrize("policy", [SuccessiveElimination, Lucb, LilUcb])
def test_a_tolerance_given_as_a_whole_number_can_be_read_back(
    policy: Any, whole_number: int
) -> None:
    opened = RunOpened(spec=make_spec(), policy=policy(epsilon=whole_number), limits=Limits())
    assert load_event(dump_event(opened)) == opened


@pytest.mark.parametrize(
    "policy",
    [
        SuccessiveElimination(),
        Lucb(),
        LilUcb(),
        LilUcbCount(),
        SequentialHalving(pull_budget=9),
        SuccessiveRejects(pull_budget=9),
    ],
)
def test_a_run_that_was_opened_keeps_its_policy(policy: Policy) -> None:
    opened = RunOpened(spec=make_spec(), policy=policy, limits=Limits())
    read = load_event(dump_event(opened))
    assert isinstance(read, RunOpened)
    assert read.policy == policy
    assert read.spec.fingerprint == opened.spec.fingerprint


_MADE = {
    "name": "report_made",
    "arm": 0,
    "message": 1,
    "symbol": {"value": 1, "nbits": 1},
    "contained": True,
}
_OBSERVED = {"name": "rewards_observed", "arm": 0, "count": 1, "total": 0.5}


def _without(plain: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in plain.items() if name != key}


def test_the_texts_below_would_be_read_if_they_were_whole() -> None:
    assert load_event(json.dumps(_MADE)).name == "report_made"
    assert load_event(json.dumps(_OBSERVED)).name == "rewards_observed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "1",
        '"run_opened"',
        json.dumps(_MADE)[:-1],
        json.dumps(_MADE | {"name": "report_mad"}),
        json.dumps(_MADE | {"name": None}),
        json.dumps(_MADE | {"name": []}),
        json.dumps(_without(_MADE, "name")),
        json.dumps(_without(_MADE, "arm")),
        json.dumps(_MADE | {"colour": 1}),
        json.dumps(_MADE | {"arm": 0.0}),
        json.dumps(_MADE | {"arm": True}),
        json.dumps(_MADE | {"arm": "0"}),
        json.dumps(_MADE | {"contained": 1}),
        json.dumps(_MADE | {"symbol": None}),
        json.dumps(_MADE | {"symbol": {"value": 2, "nbits": 1}}),
        json.dumps(_MADE | {"symbol": {"value": -1, "nbits": 1}}),
        json.dumps(_OBSERVED | {"total": "nan"}),
        json.dumps(_OBSERVED | {"total": 1}),
        json.dumps(_OBSERVED | {"total": math.nan}),
        json.dumps(_OBSERVED | {"total": None}),
        json.dumps({"name": "agent_dismissed", "arm": 0, "cause": "bored"}),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        load_event(text)
