"""Events as JSON lines: one spelling each, read back exactly, anything else refused."""

import json
import math
from typing import Any

import pytest
from drives import drive_problem
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import problems
from tapes import Problem, make_spec

from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.events import (
    EVENTS,
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    LostRule,
    PositionTold,
    PullsCounted,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
    dump_event,
    load_event,
)
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.outcome import Outcome
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.quantizers import Icq
from bitarm.core.question import Question
from bitarm.core.schedule import ListedSchedule
from bitarm.core.sentences import sentence_of
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError

_CODES: tuple[Code, ...] = (
    Bins(low=-0.5, step=0.125, bins=8),
    Nearest(centre=0.1, step=1e-3, divisor=3, escape=20),
    Levels(step=0.25, centre=-3, dither=0.5),
    Raw(),
)
_ASKED = tuple(
    Request(run=2**32 - 1, arm=arm, message=1, question=Question(until=10**12, code=code))
    for arm, code in enumerate(_CODES)
)

_SAMPLES: list[LearnerEvent] = [
    RunOpened(
        setup=Setup(
            spec=make_spec(quantizer=Icq(bits=2), schedule=ListedSchedule(checkpoints=(1, 5))),
            policy=SuccessiveElimination(epsilon=0.1),
            limits=Limits(rounds=3, bits=10**15),
        ),
        opening="a run",
    ),
    EpochBegan(epoch=255),
    RoundOpened(round=1, requests=_ASKED),
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
    PositionTold(round=1, arm=0, pulls=10**12),
    LivesBegan(arms=(0, 2), pulls=(0, 7)),
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
    PullsCounted(arms=(0, 2), pulls=(17, 5)),
    FleetAssigned(fleet="lab", agents=("gw-1", "gw-1", "gw-2"), lost=LostRule.DROP),
    AgentJoined(agent="gw-1", boot="b2", life="l1", restarts=2, discarded=1),
]


@pytest.mark.parametrize("event", _SAMPLES, ids=lambda event: event.name)
def test_an_event_is_read_back_as_it_was_written(event: LearnerEvent) -> None:
    text = dump_event(event)
    assert load_event(text) == event
    assert dump_event(load_event(text)) == text
    assert "\n" not in text


def test_every_event_is_in_the_table() -> None:
    assert [event.name for event in _SAMPLES] == list(EVENTS)


@pytest.mark.parametrize("event", _SAMPLES, ids=lambda event: event.name)
def test_every_event_has_a_sentence_of_its_own(event: LearnerEvent) -> None:
    opened = _SAMPLES[0]
    assert isinstance(opened, RunOpened)
    assert event.name.replace("_", " ") not in sentence_of(event, opened.setup)


@settings(deadline=None, max_examples=60)
@given(problem=problems())
def test_the_events_of_a_run_are_read_back_as_they_were_written(problem: Problem) -> None:
    events = drive_problem(problem).events
    assert [load_event(dump_event(event)) for event in events] == events


@pytest.mark.parametrize("request_", _ASKED, ids=lambda request: request.question.code.name)
def test_a_question_is_kept_whole(request_: Request) -> None:
    opened = RoundOpened(round=1, requests=(request_,))
    assert load_event(dump_event(opened)) == opened


@given(
    low=st.floats(allow_nan=False, allow_infinity=False),
    step=st.floats(min_value=0, exclude_min=True, allow_infinity=False),
)
def test_the_numbers_of_a_question_survive_to_the_last_bit(low: float, step: float) -> None:
    question = Question(until=1, code=Bins(low=low, step=step, bins=2))
    request = Request(run=0, arm=0, message=1, question=question)
    read = load_event(dump_event(RoundOpened(round=1, requests=(request,))))
    assert isinstance(read, RoundOpened)
    code = read.requests[0].question.code
    assert isinstance(code, Bins)
    for found, kept in ((code.low, low), (code.step, step)):
        assert (found, math.copysign(1, found)) == (kept, math.copysign(1, kept))


def _opened(policy: Policy) -> RunOpened:
    return RunOpened(setup=Setup(spec=make_spec(), policy=policy), opening="a run")


@pytest.mark.parametrize("whole_number", [0, 1])
@pytest.mark.parametrize("policy", [SuccessiveElimination, Lucb, LilUcb, TopTwo])
def test_a_tolerance_given_as_a_whole_number_can_be_read_back(
    policy: Any, whole_number: int
) -> None:
    opened = _opened(policy(epsilon=whole_number))
    assert load_event(dump_event(opened)) == opened


@pytest.mark.parametrize(
    "policy",
    [
        SuccessiveElimination(),
        Lucb(),
        LilUcb(),
        LilUcbCount(),
        TopTwo(epsilon=0.1),
        SequentialHalving(pull_budget=9),
        SuccessiveRejects(pull_budget=9),
    ],
)
def test_a_run_that_was_opened_keeps_its_policy(policy: Policy) -> None:
    opened = _opened(policy)
    read = load_event(dump_event(opened))
    assert isinstance(read, RunOpened)
    assert read.setup.policy == policy
    assert read.setup.fingerprint == opened.setup.fingerprint


_HEARD = {
    "name": "report_accepted",
    "round": 1,
    "arm": 0,
    "message": 1,
    "pulls": 2,
    "symbol": {"value": 1, "nbits": 1},
    "mean": 0.5,
    "error": 0.1,
    "radius": 0.3,
}
_LOST = {"name": "arms_lost", "round": 1, "arms": [0, 1], "stops": True}
_CODE = {"name": "bins", "low": 0.0, "step": 0.5, "bins": 2}
_QUESTION = {"until": 2, "code": _CODE}
_REQUEST = {"run": 1, "arm": 0, "message": 1, "question": _QUESTION}


def _round(request: dict[str, Any]) -> str:
    return json.dumps({"name": "round_opened", "round": 1, "requests": [request]})


def _asking(**changes: Any) -> str:
    return _round(_REQUEST | {"question": _QUESTION | changes})


def _without(plain: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in plain.items() if name != key}


def test_the_texts_below_would_be_read_if_they_were_whole() -> None:
    assert load_event(json.dumps(_HEARD)).name == "report_accepted"
    assert load_event(json.dumps(_LOST)).name == "arms_lost"
    assert load_event(_round(_REQUEST)).name == "round_opened"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        "null",
        "[]",
        "1",
        '"run_opened"',
        json.dumps(_HEARD)[:-1],
        json.dumps(_HEARD | {"name": "report_accept"}),
        json.dumps(_HEARD | {"name": None}),
        json.dumps(_HEARD | {"name": []}),
        json.dumps(_without(_HEARD, "name")),
        json.dumps(_without(_HEARD, "arm")),
        json.dumps(_HEARD | {"colour": 1}),
        json.dumps(_HEARD | {"arm": 0.0}),
        json.dumps(_HEARD | {"arm": True}),
        json.dumps(_HEARD | {"arm": "0"}),
        json.dumps(_LOST | {"stops": 1}),
        json.dumps(_HEARD | {"symbol": None}),
        json.dumps(_HEARD | {"symbol": {"value": 2, "nbits": 1}}),
        json.dumps(_HEARD | {"symbol": {"value": -1, "nbits": 1}}),
        json.dumps(_HEARD | {"mean": "nan"}),
        json.dumps(_HEARD | {"mean": 1}),
        json.dumps(_HEARD | {"mean": math.nan}),
        json.dumps(_HEARD | {"mean": None}),
        json.dumps({"name": "fleet_assigned", "fleet": "lab", "agents": [], "lost": "bored"}),
        _round(_without(_REQUEST, "question")),
        _asking(until=0),
        _asking(cut=0.5),
        _asking(scale="high"),
        _asking(code=None),
        _asking(code=_CODE | {"name": "beans"}),
        _asking(code=_CODE | {"step": 0.0}),
        _asking(code=_CODE | {"bins": 0}),
        _asking(code=_without(_CODE, "low")),
        json.dumps({"name": "rewards_observed", "arm": 0, "count": 1, "total": 0.5}),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        load_event(text)
