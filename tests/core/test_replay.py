"""A learner from its events: the same at every cut, and no journal that contradicts itself."""

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest
from drives import drive_problem
from networks import Network, assert_same_run
from tapes import UNIT, Problem, Tape, make_spec

from bitarm.core.agent import Agent, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.events import (
    CaveatNoted,
    LearnerEvent,
    LivesBegan,
    ReportAccepted,
    ReportIgnored,
    RunEnded,
    RunOpened,
    TrafficMeasured,
    load_event,
)
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.outcome import FROM_OUTSIDE, Outcome
from bitarm.core.policies import LilUcb, LilUcbCount, Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.replay import replay, steps
from bitarm.errors import StoreError


def _problem(policy: Policy, quantizer: Quantizer, *, rounds: int | None = None) -> Problem:
    return Problem(
        spec=make_spec(quantizer=quantizer, sigma=0.15, seed=3),
        policy=policy,
        limits=Limits(rounds=rounds, samples=20_000),
        tape=Tape(seed=1, means=(820, 300, 500), spread=150, bounds=(0, UNIT)),
    )


# -- every cut ------------------------------------------------------------------------------------


def _cuts(problem: Problem) -> Iterator[tuple[list[str], list[AgentState]]]:
    """What was kept after each of the learner's steps, and where the agents stood then."""
    network = Network(problem)
    yield list(network.kept), [agent.state for agent in network.agents]
    while network.down:
        while network.down:
            network.carry_down(0, keep=False)
        for arm, agent in enumerate(network.agents):
            if agent.wanted:
                network.pull(arm, agent.wanted)
        while network.up:
            network.carry_up(0, keep=False)
            yield list(network.kept), [agent.state for agent in network.agents]


@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("quantizer", [Exact(), Icq(bits=1), QuBan(), FedSel()], ids=str)
@pytest.mark.parametrize("policy", [SuccessiveElimination(), Lucb(), LilUcb(), LilUcbCount()])
def test_a_learner_that_is_cut_off_anywhere_goes_on_to_the_same_ending(
    policy: Policy, quantizer: Quantizer, rounds: int | None, *, resumed: bool
) -> None:
    problem = _problem(policy, quantizer, rounds=rounds)
    clean = drive_problem(problem)
    cuts = list(_cuts(problem))
    assert len(cuts) == len(clean.transactions)
    for kept, states in cuts:
        network = Network(problem)
        events: list[Any] = [load_event(text) for text in kept]
        network.learner, network.kept = replay(events), list(kept)
        run = network.learner.run
        network.agents = [Agent(run, arm, state) for arm, state in enumerate(states)]
        network.down, network.up = list(network.learner.pending), []
        if resumed and not network.over:
            network.resume_learner()
        network.settle()
        assert_same_run(network, clean)


def test_replay_shows_the_learner_after_each_event() -> None:
    clean = drive_problem(_problem(SuccessiveElimination(), Icq(bits=3)))
    heard = 0
    for learner, event in steps(clean.events):
        heard += isinstance(event, ReportAccepted)
        assert sum(record.message for record in learner.arms) == heard
        if isinstance(event, ReportAccepted):
            assert learner.arms[event.arm].held.mean == event.mean
    assert learner.save() == clean.learner.save()


def test_what_has_no_effect_on_the_learner_may_stand_anywhere() -> None:
    clean = drive_problem(_problem(SuccessiveElimination(), Icq(bits=3)))
    noise: list[LearnerEvent] = [
        ReportIgnored(arm=0, message=1),
        TrafficMeasured(payload_bytes=1, wire_bytes_up=2, wire_bytes_down=3),
    ]
    events = [entry for event in clean.events for entry in (event, *noise)]
    assert replay(events).save() == clean.learner.save()


# -- journals that contradict themselves ----------------------------------------------------------


def _decided() -> list[LearnerEvent]:
    """A run with drops and a caveat, which decides."""
    clean = drive_problem(_problem(SuccessiveElimination(), Icq(bits=3)))
    at = len(clean.transactions[0])
    caveat = CaveatNoted(text="one reward was clipped")
    events = [*clean.events[:at], caveat, *clean.events[at:-1]]
    ending = replay(events).ending  # the clean one but for its guarantee
    assert ending is not None
    return [*events, ending]


def _interrupted() -> list[LearnerEvent]:
    """A run that is interrupted half way."""
    clean = drive_problem(_problem(SuccessiveElimination(), Icq(bits=3)))
    events = [event for events in clean.transactions[:6] for event in events]
    return [*events, *replay(events).interrupt().events]


def _restored() -> list[LearnerEvent]:
    """A run whose learner went back in time, and one of whose agents forgot all that it saw."""
    network = Network(_problem(SuccessiveElimination(), Icq(bits=3)), live=True)
    for _ in range(4):
        network.turn()
    network.restore_learner(3)  # after the first round
    network.turn()
    network.put_agent_back(0, 0)
    network.settle()
    return network.events


_DECIDED = _decided()
_INTERRUPTED = _interrupted()
_RESTORED = _restored()


def test_the_journals_that_are_tampered_with_below_are_whole() -> None:
    decided, interrupted = replay(_DECIDED).ending, replay(_INTERRUPTED).ending
    assert decided is not None
    assert (decided.outcome, decided.best_arm) == (Outcome.DECIDED, 0)
    assert decided.guarantee_reason == "one reward was clipped"
    assert interrupted is not None
    assert interrupted.outcome is Outcome.INTERRUPTED
    restored = replay(_RESTORED).ending
    assert restored is not None
    assert (restored.outcome, restored.best_arm) == (Outcome.DECIDED, 0)
    usual = {"run_opened", "round_opened", "report_accepted", "arm_dropped", "run_ended"}
    assert {event.name for event in _DECIDED} == usual | {"caveat_noted"}
    assert {event.name for event in _RESTORED} == usual | {
        "epoch_began",
        "position_told",
        "lives_began",
    }


def _others(value: Any) -> list[Any]:
    """Values near this one, of its type."""
    match value:
        case bool():
            return [not value]
        case Enum():
            return [member for member in type(value) if member is not value]
        case int():
            return [value + 1, value + 1000]
        case float():
            return [math.nextafter(value, math.inf), -value]
        case str():
            return [value + "!"]
        case Symbol():
            flipped = Symbol(value.value ^ 1, value.nbits)
            return [flipped, Symbol(value.value, value.nbits + 1), Symbol(0, 0)]
        case tuple():
            first = [(other, *value[1:]) for other in _others(value[0])]
            return [value[:-1], (*value, value[0]), *first]
        case Request():
            question = value.question
            return [
                replace(value, **{name: other})
                for name in ("run", "arm", "message")
                for other in _others(getattr(value, name))
            ] + [
                replace(value, question=replace(question, until=question.until + 1)),
                replace(value, question=replace(question, code=Raw())),
            ]
        case None:
            return [0]
    raise AssertionError(f"no way to tamper with {value!r}")


_JOURNALS = pytest.mark.parametrize(
    "journal", [_DECIDED, _INTERRUPTED, _RESTORED], ids=["decided", "interrupted", "restored"]
)
_CHANGEABLE = sorted(
    {
        (event.name, field.name)
        for event in (*_DECIDED, *_RESTORED)
        if not isinstance(event, RunOpened)  # another opening is another run, see below
        for field in fields(event)
    }
    # sentences for people, from which nothing follows; a count between the same checkpoints; and
    # who forgot, which only the agents knew
    - {
        ("caveat_noted", "text"),
        ("run_ended", "guarantee_reason"),
        ("run_ended", "assumptions"),
        ("position_told", "pulls"),
        ("lives_began", "arms"),
    }
)


def test_lives_without_a_count_each_are_refused() -> None:
    at = next(at for at, event in enumerate(_RESTORED) if isinstance(event, LivesBegan))
    event = _RESTORED[at]
    assert isinstance(event, LivesBegan)
    for arms in ((), (*event.arms, 0), (len(_RESTORED),), (-1,)):
        with pytest.raises(StoreError):
            replay([*_RESTORED[:at], replace(event, arms=arms), *_RESTORED[at + 1 :]])


@_JOURNALS
@pytest.mark.parametrize(("name", "field"), _CHANGEABLE)
def test_a_changed_event_is_refused(journal: list[LearnerEvent], name: str, field: str) -> None:
    for at, event in enumerate(journal):
        for other in _others(getattr(event, field)) if event.name == name else []:
            if event.name == "run_ended" and {getattr(event, field), other} <= set(FROM_OUTSIDE):
                continue  # which of the two it was, only who drove the run could know
            changed: Any = replace(event, **{field: other})
            with pytest.raises(StoreError):
                replay([*journal[:at], changed, *journal[at + 1 :]])


@_JOURNALS
def test_an_ending_in_other_words_is_the_same_ending(journal: list[LearnerEvent]) -> None:
    ending = journal[-1]
    assert isinstance(ending, RunEnded)
    learner = replay([*journal[:-1], replace(ending, guarantee_reason="in other words")])
    assert learner.save() == replay(journal).save()


@_JOURNALS
def test_a_missing_event_is_refused(journal: list[LearnerEvent]) -> None:
    for at in range(len(journal) - 1):  # without its last event a journal is only shorter
        with pytest.raises(StoreError):
            replay([*journal[:at], *journal[at + 1 :]])


@_JOURNALS
def test_an_event_that_stands_twice_is_refused(journal: list[LearnerEvent]) -> None:
    for at, event in enumerate(journal):
        if isinstance(event, LivesBegan):  # an agent may forget twice
            continue
        with pytest.raises(StoreError):
            replay([*journal[: at + 1], *journal[at:]])


@_JOURNALS
def test_events_after_the_end_are_refused(journal: list[LearnerEvent]) -> None:
    for event in journal:
        with pytest.raises(StoreError):
            replay([*journal, event])


def test_an_opening_under_other_rules_does_not_fit_what_follows() -> None:
    opened, *rest = _DECIDED
    assert isinstance(opened, RunOpened)
    setup = opened.setup
    others = [
        replace(setup, policy=Lucb()),
        replace(setup, limits=Limits(rounds=2)),
        replace(setup, spec=make_spec(quantizer=Icq(bits=3), sigma=0.16, seed=3)),
        replace(setup, spec=make_spec(quantizer=Icq(bits=2), sigma=0.15, seed=3)),
        replace(setup, spec=make_spec(quantizer=Icq(bits=3), sigma=0.15, seed=3, arms=4)),
    ]
    for other in (replace(opened, setup=setup) for setup in others):
        with pytest.raises(StoreError):
            replay([other, *rest])


def test_an_empty_journal_is_refused() -> None:
    with pytest.raises(StoreError, match="empty"):
        replay([])
    with pytest.raises(StoreError, match="empty"):
        replay([ReportIgnored(arm=0, message=1)])


def test_a_journal_that_does_not_begin_with_its_opening_is_refused() -> None:
    with pytest.raises(StoreError, match="begins with its opening"):
        replay(_DECIDED[1:])


def test_the_refusal_says_what_was_found_and_what_follows() -> None:
    changed = replace(_DECIDED[1], round=7)  # type: ignore[arg-type]  # a RoundOpened
    with pytest.raises(StoreError, match=r"event 2 is RoundOpened\(round=7.*RoundOpened\(round=1"):
        replay([_DECIDED[0], changed])
