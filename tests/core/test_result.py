"""The result: the fixed names, taken from the run's ending and its settings."""

import json

import pytest
from drives import drive_problem
from hypothesis import given, settings
from problems import problems
from tapes import Problem, Tape, make_spec

from bitarm.core.events import (
    AgentJoined,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.plain import to_plain
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.result import RunResult, WireBytes, result_of
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule
from bitarm.core.setup import Setup
from bitarm.core.standings import Standings
from bitarm.errors import LocalProtocolError

_TRAFFIC = TrafficMeasured(payload_bytes=11, wire_bytes_up=22, wire_bytes_down=33)


@given(problem=problems())
@settings(max_examples=40)
def test_a_result_says_what_the_ending_and_the_spec_say(problem: Problem) -> None:
    run = drive_problem(problem)
    result = result_of(Standings.of([*run.events, _TRAFFIC]))
    ending, spec = run.ending, problem.spec
    assert (result.outcome, result.best_arm) == (ending.outcome, ending.best_arm)
    assert (result.guarantee, result.guarantee_reason) == (
        ending.guarantee,
        ending.guarantee_reason,
    )
    assert (result.rounds, result.samples) == (ending.rounds, ending.samples)
    assert (result.payload_bits, result.raw_bytes) == (ending.payload_bits, 8 * ending.samples)
    assert (result.payload_bytes, result.wire_bytes) == (11, WireBytes(up=22, down=33))
    assert (result.sigma, result.bounds) == (spec.sigma, spec.bounds)
    terms = problem.setup.terms
    assert (result.delta, result.width, result.pull_budget) == (
        terms.delta,
        terms.width,
        terms.pull_budget,
    )
    assert (result.quantizer, result.policy) == (spec.quantizer.name, problem.policy.name)
    assert result.seed == spec.seed
    assert int(result.fingerprint, 16) == problem.setup.fingerprint
    assert len(result.fingerprint) == 8
    assert sum(arm.pulls for arm in result.arms) == result.samples
    assert sum(arm.payload_bits for arm in result.arms) == result.payload_bits
    if ending.best_arm is None:
        assert result.best_arm_name is None
        assert result.guarantee is None
    else:
        assert result.best_arm_name == spec.arms[ending.best_arm]
        assert result.best_arm_name in result.contenders


@given(problem=problems())
@settings(max_examples=40)
def test_a_result_is_strict_json_with_a_key_for_every_field(problem: Problem) -> None:
    result = result_of(Standings.of(drive_problem(problem).events))
    plain = result.to_json()
    fields = {name for name in RunResult.__dataclass_fields__ if name != "words"}
    assert set(plain) == {*fields, *result.words}
    assert {word: plain[word] for word in result.words} == to_plain(result.words)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["outcome"] in {outcome.value for outcome in Outcome}


def test_nobody_measured_the_channel() -> None:
    problem = Problem(
        spec=make_spec(), policy=SuccessiveElimination(), limits=Limits(rounds=1), tape=_tape()
    )
    result = result_of(Standings.of(drive_problem(problem).events))
    assert (result.payload_bytes, result.wire_bytes) == (None, None)
    assert result.to_json()["wire_bytes"] is None


@pytest.mark.parametrize(
    ("schedule", "growth"),
    [
        (GeometricSchedule(growth=1.5, first=1), 1.5),
        (ListedSchedule(checkpoints=(1, 2)), None),
    ],
)
def test_a_setting_that_the_scheme_does_not_have_is_null(
    schedule: Schedule, growth: float | None
) -> None:
    for quantizer, bits in ((Icq(bits=5, prior="midpoint"), 5), (None, None)):
        problem = Problem(
            spec=make_spec(quantizer=quantizer, schedule=schedule),
            policy=SuccessiveElimination(epsilon=0.1),
            limits=Limits(rounds=1),
            tape=_tape(),
        )
        result = result_of(Standings.of(drive_problem(problem).events))
        assert (result.growth, result.bits, result.epsilon) == (growth, bits, 0.1)


def test_what_was_forgotten_and_who_restarted_is_told() -> None:
    problem = Problem(
        spec=make_spec(), policy=SuccessiveElimination(), limits=Limits(rounds=1), tape=_tape()
    )
    events = drive_problem(problem).events
    plain = result_of(Standings.of(events))
    assert (plain.forgotten, plain.restored) == (0, False)
    assert (plain.restarts, plain.discarded_batches) == (0, 0)
    more: list[LearnerEvent] = [
        LivesBegan(arms=(0, 1), pulls=(0, 0)),
        LivesBegan(arms=(0,), pulls=(1,)),
        PositionTold(round=1, arm=0, pulls=9),
        AgentJoined(agent="gw", boot="b1", life="l1", restarts=1),
        AgentJoined(agent="gw", boot="b2", life="l1", restarts=2, discarded=1),
        AgentJoined(agent="other", boot="b3", life="l3", restarts=3, discarded=2),
    ]
    result = result_of(Standings.of([*events, *more]))
    assert (result.forgotten, result.restored) == (3, True)
    assert (result.restarts, result.discarded_batches) == (5, 3)


def test_a_run_that_has_not_ended_has_no_result() -> None:
    opened = RunOpened(
        setup=Setup(spec=make_spec(), policy=SuccessiveElimination()), opening="a run"
    )
    with pytest.raises(LocalProtocolError, match="the run has not ended"):
        result_of(Standings.of([opened]))


def _tape() -> Tape:
    return Tape(seed=1, means=(100, 500, 900), spread=50, bounds=(0, 1024))
