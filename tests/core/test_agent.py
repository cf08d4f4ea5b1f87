"""The agent's machine: every entry of its table, its refusals, its dismissal, its restarts."""

import math
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tapes import (
    BOUNDED,
    UNBOUNDED,
    Problem,
    agent_state_through_json,
    drive_problem,
    make_spec,
    problems,
)

from bitarm.core.agent import Agent, AgentOutput, AgentPhase, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.dither import dither
from bitarm.core.events import (
    AgentDismissed,
    AgentEvent,
    ReportIgnored,
    ReportMade,
    RequestTaken,
    RewardsObserved,
    RoundOpened,
    dump_event,
    load_event,
)
from bitarm.core.messages import Cause, Dismiss, Fit, Hint, HintKind, Report, Request, fit
from bitarm.core.plain import from_plain, to_plain
from bitarm.core.policy import Advance
from bitarm.core.quantizers import Dicq, Exact, Icq, Quantizer, QuBan
from bitarm.core.spec import FAMILIES, RunSpec
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError, RewardError

_ARM = 1
_SPEC = make_spec(quantizer=Icq(bits=3))
_UNTIL = {1: 2, 2: 4, 3: 8, 4: 16}
_NUMBER = {Fit.LATE: 1, Fit.REPEAT: 2, Fit.NEXT: 3, Fit.AHEAD: 4}  # after two reports


def _request(message: int, until: int | None = None, *, arm: int = _ARM) -> Request:
    until = _UNTIL[message] if until is None else until
    return Request(run=_SPEC.fingerprint, arm=arm, message=message, until=until)


def _dismissal(cause: Cause) -> Dismiss:
    return Dismiss(run=_SPEC.fingerprint, arm=_ARM, cause=cause)


def _agent(phase: AgentPhase, spec: RunSpec = _SPEC) -> Agent:
    """An agent that has made two reports and is now in `phase`."""
    agent = Agent(spec, _ARM)
    for message in (1, 2):
        agent.receive(_request(message))
        agent.observe(agent.wanted, 0.75 * agent.wanted)
    if phase is AgentPhase.PULLING:
        agent.receive(_request(3))
        agent.observe(1, 0.5)
    if phase is AgentPhase.DISMISSED:
        agent.receive(_dismissal(Cause.DROPPED))
    assert agent.state.phase is phase
    return agent


# -- the table ------------------------------------------------------------------------------------

_TABLE = {
    (AgentPhase.IDLE, Fit.LATE): "nothing",
    (AgentPhase.IDLE, Fit.REPEAT): "the report again",
    (AgentPhase.IDLE, Fit.NEXT): "pulling",
    (AgentPhase.IDLE, Fit.AHEAD): "refused",
    (AgentPhase.PULLING, Fit.LATE): "nothing",
    (AgentPhase.PULLING, Fit.REPEAT): "the report again",
    (AgentPhase.PULLING, Fit.NEXT): "nothing",
    (AgentPhase.PULLING, Fit.AHEAD): "refused",
    (AgentPhase.DISMISSED, Fit.LATE): "nothing",
    (AgentPhase.DISMISSED, Fit.REPEAT): "nothing",
    (AgentPhase.DISMISSED, Fit.NEXT): "nothing",
    (AgentPhase.DISMISSED, Fit.AHEAD): "nothing",
}


def test_the_table_has_every_phase_and_fit() -> None:
    assert set(_TABLE) == set(product(AgentPhase, Fit))
    assert {number: how for how, number in _NUMBER.items()} == {
        number: fit(number, 2) for number in _NUMBER.values()
    }


@pytest.mark.parametrize(
    ("phase", "how", "expected"), [(*entry, expected) for entry, expected in _TABLE.items()]
)
def test_what_becomes_of_a_request(phase: AgentPhase, how: Fit, expected: str) -> None:
    agent = _agent(phase)
    before, request = agent.state, _request(_NUMBER[how])
    if expected == "refused":
        with pytest.raises(PeerProtocolError, match=rf"arm {_ARM}, message {_NUMBER[how]}:"):
            agent.receive(request)
        assert agent.state == before
        return
    output = agent.receive(request)
    if expected == "pulling":
        taken = RequestTaken(arm=_ARM, message=3, until=8)
        assert output == AgentOutput(events=(taken,))
        assert agent.state == replace(before, phase=AgentPhase.PULLING, until=8)
        assert agent.wanted == 4
        return
    assert agent.state == before
    assert output.events == ()
    assert before.symbol is not None
    again = Report(run=_SPEC.fingerprint, arm=_ARM, message=2, symbol=before.symbol)
    assert output.messages == ((again,) if expected == "the report again" else ())


# -- refusals -------------------------------------------------------------------------------------

_OTHER_RUN = make_spec(quantizer=Icq(bits=3), seed=8).fingerprint
_REFUSED = {
    "asks for fewer pulls than done": (AgentPhase.IDLE, _request(3, 3), "message 3: asks for 3 "),
    "asks for no new pulls": (AgentPhase.IDLE, _request(3, 4), "message 3: asks for 4 pulls"),
    "the repeat asks for more": (AgentPhase.IDLE, _request(2, 5), "message 2: asked again for 5"),
    "the repeat asks for less": (AgentPhase.IDLE, _request(2, 3), "message 2: asked again for 3"),
    "the repeat differs, while pulling": (
        AgentPhase.PULLING,
        _request(2, 5),
        "message 2: asked again for 5",
    ),
    "the request in service changes": (
        AgentPhase.PULLING,
        _request(3, 9),
        "message 3: asked again for 9 pulls, first for 8",
    ),
    "ahead": (AgentPhase.PULLING, _request(4), "message 4: only 2 messages"),
    "another run": (
        AgentPhase.IDLE,
        replace(_request(3), run=_OTHER_RUN),
        f"run {_OTHER_RUN:08x}",
    ),
    "another run, dismissal": (
        AgentPhase.IDLE,
        replace(_dismissal(Cause.ENDED), run=_OTHER_RUN),
        f"run {_OTHER_RUN:08x}",
    ),
    "another run, dismissed": (
        AgentPhase.DISMISSED,
        replace(_request(3), run=_OTHER_RUN),
        f"run {_OTHER_RUN:08x}",
    ),
    "another arm": (AgentPhase.IDLE, _request(3, arm=0), "message is for arm 0"),
    "another arm's dismissal": (
        AgentPhase.PULLING,
        replace(_dismissal(Cause.DROPPED), arm=2),
        "message is for arm 2",
    ),
}


@pytest.mark.parametrize(("phase", "message", "why"), _REFUSED.values(), ids=_REFUSED)
def test_a_message_that_does_not_fit_is_refused_and_changes_nothing(
    phase: AgentPhase, message: Request | Dismiss, why: str
) -> None:
    agent = _agent(phase)
    before = agent.state
    with pytest.raises(PeerProtocolError, match=why) as refusal:
        agent.receive(message)
    assert str(refusal.value).startswith(f"arm {_ARM}")
    assert agent.state == before


def test_messages_are_numbered_from_1() -> None:
    agent = Agent(_SPEC, _ARM)
    with pytest.raises(PeerProtocolError, match="message 0: messages are numbered from 1"):
        agent.receive(_request(0, 2))
    assert agent.state == Agent(_SPEC, _ARM).state


@pytest.mark.parametrize("arm", [-1, 3, 99])
def test_an_arm_that_the_run_does_not_have_is_refused(arm: int) -> None:
    with pytest.raises(ConfigError, match=f"between 0 and 2, got {arm}"):
        Agent(_SPEC, arm)


# -- rewards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.DISMISSED])
def test_rewards_out_of_turn_are_refused(phase: AgentPhase) -> None:
    agent = _agent(phase)
    before = agent.state
    with pytest.raises(LocalProtocolError, match=r"1 rewards offered, 0 are wanted"):
        agent.observe(1, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("count", [-1, 0, 4, 100])
def test_more_rewards_than_wanted_or_none_are_refused(count: int) -> None:
    agent = _agent(AgentPhase.PULLING)
    before = agent.state
    assert agent.wanted == 3
    with pytest.raises(LocalProtocolError, match=f"arm 1: {count} rewards offered, 3 are wanted"):
        agent.observe(count, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("total", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("count", [1, 3])
def test_sums_that_are_no_numbers_are_refused(count: int, total: float) -> None:
    agent = _agent(AgentPhase.PULLING)
    before = agent.state
    with pytest.raises(RewardError, match="arm 1: the rewards add up to"):
        agent.observe(count, total)
    assert agent.state == before


def test_a_running_sum_that_overflows_is_refused() -> None:
    agent = _agent(AgentPhase.PULLING)
    agent.observe(1, 1.7e308)
    before = agent.state
    with pytest.raises(RewardError, match="add up to inf"):
        agent.observe(1, 1.7e308)
    assert agent.state == before


def test_a_mean_that_quban_cannot_resolve_is_refused_and_changes_nothing() -> None:
    spec = make_spec(quantizer=QuBan(), bounds=None)
    agent = Agent(spec, 0)
    agent.receive(Request(run=spec.fingerprint, arm=0, message=1, until=2))
    before = agent.state
    with pytest.raises(RewardError, match="too far from 0"):
        agent.observe(2, 1e300)
    assert agent.state == before


@pytest.mark.parametrize("total", [1.7e308, -1.7e308])
@pytest.mark.parametrize(
    ("quantizer", "bounds"),
    [*product(BOUNDED, [(0.0, 1.0)]), *product(UNBOUNDED, [None])],
    ids=str,
)
def test_a_huge_but_finite_mean_is_reported_or_refused_as_a_reward(
    quantizer: Quantizer, bounds: tuple[float, float] | None, total: float
) -> None:
    spec = make_spec(quantizer=quantizer, bounds=bounds, sigma=0.01)
    agent = Agent(spec, 0)
    agent.receive(Request(run=spec.fingerprint, arm=0, message=1, until=1))
    agent.observe(1, 0.5)
    agent.receive(Request(run=spec.fingerprint, arm=0, message=2, until=2))
    before = agent.state
    try:
        output = agent.observe(1, total)
    except RewardError:
        assert agent.state == before
    else:
        assert len(output.messages) == 1


def test_a_batch_in_parts_reports_once_and_only_when_whole() -> None:
    agent = _agent(AgentPhase.PULLING)  # one of four rewards is in
    for left in (2, 1):
        output = agent.observe(1, 0.5)
        assert output == AgentOutput(events=(RewardsObserved(arm=1, count=1, total=0.5),))
        assert agent.wanted == left
    output = agent.observe(1, 0.5)
    assert [type(event) for event in output.events] == [RewardsObserved, ReportMade]
    assert [report.message for report in output.messages] == [3]
    assert agent.state.phase is AgentPhase.IDLE
    assert (agent.state.pulls, agent.state.total) == (8, 0.75 * 4 + 0.5 * 4)


@pytest.mark.parametrize("count", [1, 3])  # amid a batch, and at its end
def test_a_total_that_is_a_whole_number_gives_events_that_can_be_read_back(count: int) -> None:
    agent = _agent(AgentPhase.PULLING)
    events = agent.observe(count, 2).events
    assert events[0] == RewardsObserved(arm=1, count=count, total=2.0)
    assert [load_event(dump_event(event)) for event in events] == list(events)
    assert type(agent.state.total) is float
    assert agent_state_through_json(agent.state) == agent.state


def test_the_running_sum_adds_batch_totals_in_order() -> None:
    totals = [0.1, 0.2, 0.3, 1e16, -1e16]  # not associative: order and grouping show
    spec = make_spec(bounds=None)
    agent = Agent(spec, 0)
    running = 0.0
    for number, total in enumerate(totals, start=1):
        agent.receive(Request(run=spec.fingerprint, arm=0, message=number, until=number))
        agent.observe(1, total)
        running += total
        assert agent.state.total == running
        assert agent.state.held.mean == running / number


def test_the_mean_is_over_all_pulls_and_the_symbol_is_the_quantizers() -> None:
    agent = _agent(AgentPhase.PULLING)
    held, number = agent.state.held, dither(_SPEC.seed, _ARM, 3)
    (report,) = agent.observe(3, 2.0).messages
    mu_hat = (0.75 * 4 + 0.5 + 2.0) / 8
    assert report.symbol == _SPEC.quantizer.encode(mu_hat, held, _SPEC.step(3, 8), number)
    assert agent.state.held == _SPEC.quantizer.decode(report.symbol, held, _SPEC.step(3, 8))


@pytest.mark.parametrize(("total", "contained"), [(8 * 0.75, True), (800.0, False)])
def test_a_report_says_whether_the_error_bound_held(total: float, *, contained: bool) -> None:
    agent = _agent(AgentPhase.IDLE)
    agent.receive(_request(3))
    made = agent.observe(4, total).events[-1]
    assert isinstance(made, ReportMade)
    assert made.contained is contained


def test_the_dither_comes_from_the_seed_or_from_the_caller() -> None:
    spec = make_spec(quantizer=QuBan(epsilon_quban=2.0), bounds=None, sigma=1.0)
    request = Request(run=spec.fingerprint, arm=0, message=1, until=2)
    asked: list[int] = []

    def low(message: int) -> float:
        asked.append(message)
        return 0.0

    means = []
    for agent in (Agent(spec, 0, low), Agent(spec, 0, lambda message: 1 - 2**-53)):
        agent.receive(request)
        agent.observe(2, 1.0)
        means.append(agent.state.held.mean)
    assert asked == [1]
    assert means[0] > means[1]  # rounded up and rounded down


# -- dismissal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.PULLING])
def test_a_dismissed_agent_wants_nothing_more(phase: AgentPhase, cause: Cause) -> None:
    agent = _agent(phase)
    before = agent.state
    output = agent.receive(_dismissal(cause))
    assert output == AgentOutput(events=(AgentDismissed(arm=_ARM, cause=cause),))
    assert agent.wanted == 0
    assert agent.state == replace(before, phase=AgentPhase.DISMISSED, until=0, cause=cause)


_DISMISSALS = {
    "told twice": ([Cause.DROPPED, Cause.DROPPED], Cause.DROPPED, 1),
    "ended twice": ([Cause.ENDED, Cause.ENDED], Cause.ENDED, 1),
    "dropped, then ended": ([Cause.DROPPED, Cause.ENDED], Cause.ENDED, 2),
    "ended overtakes dropped": ([Cause.ENDED, Cause.DROPPED], Cause.ENDED, 1),
    "both, again and again": (
        [Cause.DROPPED, Cause.ENDED, Cause.DROPPED, Cause.ENDED],
        Cause.ENDED,
        2,
    ),
}


@pytest.mark.parametrize(("causes", "final", "events"), _DISMISSALS.values(), ids=_DISMISSALS)
def test_a_dismissal_repeated_or_reordered_leaves_the_same(
    causes: list[Cause], final: Cause, events: int
) -> None:
    agent = _agent(AgentPhase.PULLING)
    outputs = [agent.receive(_dismissal(cause)) for cause in causes]
    assert sum(len(output.events) for output in outputs) == events
    assert not any(output.messages for output in outputs)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, final)
    assert agent.receive(_request(3)) == AgentOutput()
    assert agent.wanted == 0


# -- hints ----------------------------------------------------------------------------------------

_HINTED = make_spec(quantizer=Dicq())
_CUT = Hint(kind=HintKind.CUT, value=0.5)
_HIGHER = Hint(kind=HintKind.CUT, value=0.75)
_CENTRE = Hint(kind=HintKind.CENTRE, value=0.5)


def _told(message: int, hint: Hint | None) -> Request:
    return replace(_request(message), run=_HINTED.fingerprint, hint=hint)


def _hinted_agent(phase: AgentPhase) -> Agent:
    """An agent that answered a centre and a cut; pulling, it serves another cut."""
    agent = Agent(_HINTED, _ARM)
    for message, hint in ((1, _CENTRE), (2, _CUT)):
        agent.receive(_told(message, hint))
        agent.observe(agent.wanted, 0.75 * agent.wanted)
    if phase is AgentPhase.PULLING:
        agent.receive(_told(3, _HIGHER))
        agent.observe(1, 0.5)
    if phase is AgentPhase.DISMISSED:
        dismissal = replace(_dismissal(Cause.DROPPED), run=_HINTED.fingerprint)
        agent.receive(dismissal)
    return agent


def test_a_hint_is_taken_with_the_request_and_used_for_its_report() -> None:
    agent = _hinted_agent(AgentPhase.IDLE)
    held = agent.state.held
    output = agent.receive(_told(3, _HIGHER))
    assert output.events == (RequestTaken(arm=_ARM, message=3, until=8, hint=_HIGHER),)
    assert agent.state.hint == _HIGHER
    observed, made = agent.observe(4, 2.0).events  # the mean of all eight is 0.625
    assert isinstance(made, ReportMade)
    assert (made.symbol, made.contained) == (Symbol(0, 1), True)  # "not above 0.75"
    assert agent.state.held == replace(held, ceiling=0.75)
    events = [RequestTaken(arm=_ARM, message=3, until=8, hint=_HIGHER), observed, made]
    assert [load_event(dump_event(event)) for event in events] == events


def test_a_request_without_a_hint_forgets_the_last_one() -> None:
    agent = _hinted_agent(AgentPhase.IDLE)
    agent.receive(_told(3, None))
    assert agent.state.hint is None
    made = agent.observe(4, 2.0).events[-1]
    assert isinstance(made, ReportMade)
    assert agent.state.held.pulls == 8  # a mean, not a concession


_REPEATS = {
    "answered, the same hint": (AgentPhase.IDLE, 2, _CUT, "the report again"),
    "answered, another value": (AgentPhase.IDLE, 2, _HIGHER, "asked again with"),
    "answered, another kind": (AgentPhase.IDLE, 2, _CENTRE, "asked again with"),
    "answered, no hint": (AgentPhase.IDLE, 2, None, "asked again with None, first with"),
    "in service, the same hint": (AgentPhase.PULLING, 3, _HIGHER, "nothing"),
    "in service, another value": (AgentPhase.PULLING, 3, _CUT, "asked again with"),
    "in service, no hint": (AgentPhase.PULLING, 3, None, "asked again with None, first with"),
    "answered before, the same hint": (AgentPhase.PULLING, 2, _CUT, "the report again"),
    "answered before, its hint is forgotten": (AgentPhase.PULLING, 2, None, "the report again"),
    "long ago": (AgentPhase.IDLE, 1, _HIGHER, "nothing"),
    "dismissed": (AgentPhase.DISMISSED, 2, _HIGHER, "nothing"),
    "dismissed, the next": (AgentPhase.DISMISSED, 3, _HIGHER, "nothing"),
}


@pytest.mark.parametrize(("phase", "message", "hint", "expected"), _REPEATS.values(), ids=_REPEATS)
def test_a_request_that_comes_again(
    phase: AgentPhase, message: int, hint: Hint | None, expected: str
) -> None:
    agent = _hinted_agent(phase)
    before = agent.state
    if expected.startswith("asked"):
        with pytest.raises(PeerProtocolError, match=f"message {message}: {expected}"):
            agent.receive(_told(message, hint))
    else:
        output = agent.receive(_told(message, hint))
        assert output.events == ()
        assert [it.symbol for it in output.messages] == (
            [before.symbol] if expected == "the report again" else []
        )
    assert agent.state == before


@pytest.mark.parametrize("quantizer", [it for it in BOUNDED if not it.hinted], ids=str)
def test_a_hint_to_a_quantizer_that_takes_none_is_refused(quantizer: Quantizer) -> None:
    spec = make_spec(quantizer=quantizer)
    agent = Agent(spec, 0)
    before = agent.state
    with pytest.raises(PeerProtocolError, match=f"message 1: {quantizer.name} takes no hints"):
        agent.receive(Request(run=spec.fingerprint, arm=0, message=1, until=2, hint=_CUT))
    assert agent.state == before


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 5e-324, 0.0])
@pytest.mark.parametrize("kind", list(HintKind))
@pytest.mark.parametrize("message", [1, 2])
def test_no_hint_however_strange_keeps_an_agent_from_its_report(
    message: int, kind: HintKind, value: float
) -> None:
    agent = Agent(_HINTED, _ARM)
    for number in range(1, message + 1):
        hint = Hint(kind=kind, value=value) if number == message else None
        agent.receive(_told(number, hint))
        made = agent.observe(agent.wanted, 0.7 * agent.wanted).events[-1]
        assert isinstance(made, ReportMade)
        assert made.contained
    assert agent.receive(_told(message + 1, None)).events  # and it goes on


@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_state_with_a_hint_survives_json(phase: AgentPhase) -> None:
    state = _hinted_agent(phase).state
    assert state.hint is not None
    assert agent_state_through_json(state) == state


def test_a_state_from_before_there_were_hints_is_read() -> None:
    plain = to_plain(_agent(AgentPhase.IDLE).state)
    del plain["hint"], plain["held"]["ceiling"]
    assert from_plain(AgentState, plain, FAMILIES) == _agent(AgentPhase.IDLE).state


# -- restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_state_survives_json(phase: AgentPhase) -> None:
    state = _agent(phase).state
    assert agent_state_through_json(state) == state


def test_a_new_agents_state_survives_json() -> None:
    state = Agent(make_spec(), 0).state  # nothing known yet: infinite radius, no symbol
    assert math.isinf(state.held.radius)
    assert agent_state_through_json(state) == state


@settings(deadline=None, max_examples=60)
@given(problem=problems(), arm=st.integers(0, 4), cut=st.integers(0, 2**16))
def test_an_agent_goes_on_from_its_events_or_its_state(
    problem: Problem, arm: int, cut: int
) -> None:
    arm %= len(problem.spec.arms)
    states, outputs, events = _life(problem, arm)
    at = cut % len(states)
    before = [event for output in outputs[:at] for event in output.events]
    assert before == events[: len(before)]
    assert Agent.replay(problem.spec, arm, before).state == states[at]
    later = Agent.restore(problem.spec, arm, states[at])
    for event in events[len(before) :]:
        if not isinstance(event, ReportMade):
            later = _relive(later, event)
    assert later.state == states[-1]


def _life(
    problem: Problem, arm: int
) -> tuple[list[AgentState], list[AgentOutput], list[AgentEvent]]:
    """One arm's agent, asked for what the clean run asked for: state after each step, outputs."""
    agent, run = Agent(problem.spec, arm), problem.spec.fingerprint
    states, outputs = [agent.state], list[AgentOutput]()
    for message, advance in enumerate(_asked(problem, arm), start=1):
        request = Request(run=run, arm=arm, message=message, until=advance.until, hint=advance.hint)
        outputs.append(agent.receive(request))
        states.append(agent.state)
        while agent.wanted:
            part = (agent.wanted + 1) // 2
            total = problem.tape.total(arm, agent.state.pulls, part)
            outputs.append(agent.observe(part, total))
            states.append(agent.state)
    outputs.append(agent.receive(Dismiss(run=run, arm=arm, cause=Cause.ENDED)))
    states.append(agent.state)
    return states, outputs, [event for output in outputs for event in output.events]


def _asked(problem: Problem, arm: int) -> list[Advance]:
    return [
        advance
        for event in drive_problem(problem).events
        if isinstance(event, RoundOpened)
        for advance in event.advances
        if advance.arm == arm
    ]


def _relive(agent: Agent, event: AgentEvent) -> Agent:
    match event:
        case RequestTaken():
            agent.receive(
                Request(
                    run=agent.spec.fingerprint,
                    arm=event.arm,
                    message=event.message,
                    until=event.until,
                    hint=event.hint,
                )
            )
        case RewardsObserved():
            agent.observe(event.count, event.total)
        case AgentDismissed():
            agent.receive(Dismiss(run=agent.spec.fingerprint, arm=event.arm, cause=event.cause))
    return agent


_TAKEN = RequestTaken(arm=0, message=1, until=2)
_SEEN = RewardsObserved(arm=0, count=2, total=1.0)


@pytest.mark.parametrize(
    ("events", "error"),
    [
        ([ReportMade(arm=0, message=1, symbol=Symbol(0, 64), contained=True)], LocalProtocolError),
        (
            [_TAKEN, _SEEN, ReportMade(arm=0, message=1, symbol=Symbol(0, 64), contained=True)],
            LocalProtocolError,
        ),
        ([_TAKEN, _SEEN, replace(_TAKEN, message=2, until=4)], LocalProtocolError),
        ([_TAKEN, _SEEN, AgentDismissed(arm=0, cause=Cause.ENDED)], LocalProtocolError),
        ([_SEEN], LocalProtocolError),
        ([replace(_TAKEN, message=2)], PeerProtocolError),
        ([replace(_TAKEN, arm=1)], PeerProtocolError),
        ([_TAKEN, replace(_SEEN, total=math.nan)], RewardError),
        ([ReportIgnored(arm=0, message=1)], LocalProtocolError),
    ],
    ids=[
        "a report without a past",
        "a report of something else",
        "a missing report before the next request",
        "a missing report before the dismissal",
        "rewards that nobody asked for",
        "a request ahead",
        "another arm's request",
        "a sum that is no number",
        "a learner's event",
    ],
)
def test_a_past_that_cannot_have_been_is_refused(events: list[Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="arm 0"):
        Agent.replay(make_spec(quantizer=Exact()), 0, events)


def _two_reports() -> list[AgentEvent]:
    """The life of an agent that reports twice, the second time after parts, and is dismissed."""
    agent = Agent(_SPEC, _ARM)
    outputs = [agent.receive(_request(1)), agent.observe(2, 1.5), agent.receive(_request(2))]
    outputs += [agent.observe(1, 0.5), agent.observe(1, 0.25)]
    outputs.append(agent.receive(_dismissal(Cause.ENDED)))
    return [event for output in outputs for event in output.events]


def test_a_missing_event_is_refused_wherever_it_is_missing() -> None:
    events = _two_reports()
    assert [type(event) for event in events].count(ReportMade) == 2
    assert Agent.replay(_SPEC, _ARM, events).state.phase is AgentPhase.DISMISSED
    for at in range(len(events) - 1):  # without its last event a past is only shorter
        with pytest.raises((LocalProtocolError, PeerProtocolError), match=f"arm {_ARM}"):
            Agent.replay(_SPEC, _ARM, [*events[:at], *events[at + 1 :]])


def test_an_event_that_stands_twice_is_refused() -> None:
    events = _two_reports()
    for at in range(len(events)):
        with pytest.raises((LocalProtocolError, PeerProtocolError), match=f"arm {_ARM}"):
            Agent.replay(_SPEC, _ARM, [*events[: at + 1], *events[at:]])
