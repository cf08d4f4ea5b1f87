"""The embedded run: kept before sent, and equal to the bare machines."""

import random
from collections.abc import Sequence

import pytest
from drives import drive_problem
from hypothesis import given, settings
from problems import problems
from runtime.embedded_runs import (
    TAPE,
    Failing,
    Planned,
    Record,
    embedded,
    ending_in,
    events_in,
    ignore,
    problem_of,
    sent_frames,
)
from tapes import Problem, make_spec
from wires.feeds import TapeSource

from bitarm.core.events import (
    ArmDropped,
    CaveatNoted,
    LearnerEvent,
    PullsCounted,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Dismiss, Report, Request
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.replay import replay
from bitarm.errors import RewardError, StoreError
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal


@given(problem=problems())
@settings(max_examples=60)
def test_the_run_is_that_of_the_bare_machines_on_the_same_rewards(problem: Problem) -> None:
    journal = MemoryJournal()
    run = embedded(problem, journal).run()
    *events, traffic = events_in(journal, run)
    clean = drive_problem(problem)
    assert [event for event in events if not isinstance(event, PullsCounted)] == clean.events
    for counted in events:
        if isinstance(counted, PullsCounted):  # of arms that gave up, which only agents know
            assert counted.pulls == tuple(clean.agents[arm].state.pulls for arm in counted.arms)
    assert isinstance(traffic, TrafficMeasured)
    assert replay(events).save() == clean.learner.save()


def test_events_are_kept_before_their_messages_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[object] = []
    sent_frames(monkeypatch, order)
    embedded(problem_of(), Record(order)).run()
    asked: set[Request] = set()
    out: set[int] = set()
    ended = False
    requests = dismissals = 0
    for item in order:
        match item:
            case RoundOpened():
                asked |= set(item.requests)
            case ArmDropped():
                out.add(item.arm)
            case RunEnded():
                ended = True
            case Request():
                requests += 1
                assert item in asked
            case Dismiss():
                dismissals += 1
                assert item.arm in out or ended
    assert requests >= 6
    assert dismissals == 3


def test_a_report_is_kept_after_it_was_received(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[object] = []
    sent_frames(monkeypatch, order)
    embedded(problem_of(), Record(order)).run()
    kept = [(e.arm, e.message) for e in order if isinstance(e, ReportAccepted)]
    assert sorted(kept) == sorted((m.arm, m.message) for m in order if isinstance(m, Report))
    for at, item in enumerate(order):
        if isinstance(item, ReportAccepted):
            sent = [m for m in order[:at] if isinstance(m, Report)]
            assert (item.arm, item.message, item.symbol) in [
                (report.arm, report.message, report.symbol) for report in sent
            ]


def test_traffic_is_the_sum_of_the_frames_that_were_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = sent_frames(monkeypatch, [])
    journal = MemoryJournal()
    run = embedded(problem_of(), journal).run()
    *_, ending, traffic = events_in(journal, run)
    assert isinstance(ending, RunEnded)
    assert isinstance(traffic, TrafficMeasured)
    up = [(message, frame) for message, frame in frames if isinstance(message, Report)]
    down = [frame for message, frame in frames if not isinstance(message, Report)]
    assert traffic.wire_bytes_up == sum(len(frame) for _, frame in up)
    assert traffic.wire_bytes_down == sum(map(len, down))
    symbols = [message.symbol for message, _ in up if isinstance(message, Report)]
    assert ending.payload_bits == sum(symbol.nbits for symbol in symbols)
    assert traffic.payload_bytes == sum(-(-symbol.nbits // 8) for symbol in symbols)
    assert ending.payload_bits <= 8 * traffic.payload_bytes < 8 * traffic.wire_bytes_up


def test_a_watcher_is_told_of_events_after_they_are_kept() -> None:
    journal = MemoryJournal()
    told: list[LearnerEvent] = []

    def watch(events: Sequence[LearnerEvent]) -> None:
        told.extend(events)
        assert events_in(journal)[-len(events) :] == list(events)

    embedded(problem_of(), journal, watch=watch).run()
    assert told == events_in(journal)


def test_a_round_of_many_pulls_is_fetched_in_parts_of_bounded_size() -> None:
    asked: list[int] = []

    class Counting:
        def pull(self, count: int) -> Sequence[float]:
            asked.append(count)
            return [0.5] * count

    problem = Problem(
        spec=make_spec(arms=2), policy=SuccessiveElimination(), limits=Limits(rounds=18), tape=TAPE
    )
    journal = MemoryJournal()
    embedded(problem, journal, [Counting(), Counting()]).run()
    assert max(asked) <= 2**16
    assert sum(asked) == 2 * 2**18
    ending = replay(events_in(journal)).ending
    assert ending is not None
    assert (ending.outcome, ending.samples) == (Outcome.ROUND_LIMIT, 2 * 2**18)


def test_a_caveat_that_is_known_before_the_start_is_kept_and_voids_the_guarantee() -> None:
    journal = MemoryJournal()
    run = embedded(problem_of(), journal).run(caveats=("the clock is wrong",))
    events = events_in(journal, run)
    assert CaveatNoted(text="the clock is wrong") in events[:3]
    ending = replay(events).ending
    assert ending is not None
    assert (ending.outcome, ending.guarantee) == (Outcome.DECIDED, None)
    assert ending.guarantee_reason == "the clock is wrong"


def test_a_caveat_of_a_run_that_ends_before_its_first_round_changes_nothing() -> None:
    problem, journal = problem_of(limits=Limits(samples=1)), MemoryJournal()
    ending = replay(
        events_in(journal, embedded(problem, journal).run(caveats=("the clock is wrong",)))
    ).ending
    assert ending is not None
    assert (ending.outcome, ending.guarantee) == (Outcome.SAMPLE_LIMIT, None)


def test_clipped_rewards_are_noted_once_and_void_the_guarantee() -> None:
    journal = MemoryJournal()
    sources = [Planned(-0.5), Planned(0.5), Planned(1.5)]
    embedded(problem_of(), journal, sources, clip=True).run()
    events = events_in(journal)
    notes = [event for event in events if isinstance(event, CaveatNoted)]
    assert [note.text for note in notes] == [
        "rewards outside the bounds were clipped, which moves the means"
    ]
    ending = replay(events).ending
    assert ending is not None
    assert (ending.best_arm, ending.guarantee) == (2, None)


def test_a_reward_outside_the_bounds_names_the_arm() -> None:
    journal = MemoryJournal()
    sources = [Planned(0.5), Planned(1.5), Planned(0.5)]
    with pytest.raises(RewardError, match=r"^arm-1 \(arm 1\): a reward of 1.5 lies outside"):
        embedded(problem_of(), journal, sources).run()
    assert ending_in(journal).outcome is Outcome.INTERRUPTED


def test_the_opening_and_its_first_round_are_kept_in_one_step() -> None:
    journal = Failing(1, StoreError("the disk is full"))  # nothing but the opening is kept
    with pytest.raises(StoreError, match="the disk is full"):
        embedded(problem_of(), journal).run()
    opened, first = events_in(journal)
    assert isinstance(opened, RunOpened)
    assert isinstance(first, RoundOpened)
    assert [request.arm for request in replay(events_in(journal)).pending] == [0, 1, 2]


def test_arms_that_cannot_be_told_apart_end_at_the_limit() -> None:
    rng = random.Random(1)

    class Coin:
        def pull(self, count: int) -> Sequence[float]:
            return [float(rng.random() < 0.5) for _ in range(count)]

    problem = problem_of(2, Limits(samples=500))
    journal = MemoryJournal()
    embedded(problem, journal, [Coin(), Coin()]).run()
    ending = ending_in(journal)
    assert (ending.outcome, ending.best_arm) == (Outcome.SAMPLE_LIMIT, None)
    assert ending.samples <= 500


def test_the_learner_of_a_run_is_started_only_once() -> None:
    problem = problem_of()
    learner: Learner = problem.learner()
    sources = [TapeSource(problem, arm) for arm in range(3)]
    embedded = EmbeddedRun(learner, sources, MemoryJournal(), clip=False, watch=ignore)
    embedded.run()
    with pytest.raises(Exception, match="started before"):
        embedded.run()
