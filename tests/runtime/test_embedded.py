"""The embedded run: kept before sent, equal to the bare machines, and always with an ending."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from tapes import Problem, Tape, drive_problem, make_spec, problems

from bitarm import wire
from bitarm.core.events import (
    ArmDropped,
    CaveatNoted,
    LearnerEvent,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.journal import Entry, Journal, RunSummary
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Dismiss, Message, Report, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Icq
from bitarm.core.replay import replay
from bitarm.core.rewards import RewardSource
from bitarm.errors import RewardError, StoreError
from bitarm.runtime.embedded import EmbeddedRun, Watcher
from bitarm.store import MemoryJournal


class TapeSource:
    """One arm's rewards, one by one, from a tape of exact sums."""

    def __init__(self, tape: Tape, arm: int) -> None:
        self._tape, self._arm, self._done = tape, arm, 0

    def pull(self, count: int) -> Sequence[float]:
        rewards = [self._tape.total(self._arm, self._done + i, 1) for i in range(count)]
        self._done += count
        return rewards


class Planned:
    """Rewards of one value, until something else is planned to happen."""

    def __init__(self, value: float, at: int = 10**9, happening: Callable[[], Any] = list) -> None:
        self._value, self._at, self._happening, self._done = value, at, happening, 0

    def pull(self, count: int) -> Sequence[float]:
        self._done += count
        if self._done >= self._at:
            self._happening()
        return [self._value] * count


class Record:
    """A journal that writes down, in one list with the frames, what was kept when."""

    def __init__(self, order: list[object]) -> None:
        self._journal = MemoryJournal()
        self._order = order

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._order.extend((opened, *then))
        return self._journal.open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._order.extend(events)
        self._journal.append(run, events)

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        self._journal.close()


class Failing(Record):
    """A journal whose n-th step is stopped before anything of it is kept; 0 is the opening."""

    def __init__(self, at: int, error: BaseException) -> None:
        super().__init__([])
        self._left, self._error = at, error

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._step()
        return super().open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._step()
        super().append(run, events)

    def _step(self) -> None:
        if self._left == 0:
            self._left = -1
            raise self._error
        self._left -= 1


def _ignore(events: Sequence[LearnerEvent]) -> None:
    """Watch without a word."""


def _embedded(
    problem: Problem,
    journal: Journal,
    sources: Sequence[RewardSource] | None = None,
    *,
    clip: bool = False,
    watch: Watcher = _ignore,
) -> EmbeddedRun:
    arms = range(len(problem.spec.arms))
    sources = sources or [TapeSource(problem.tape, arm) for arm in arms]
    return EmbeddedRun(problem.learner(), sources, journal, clip=clip, watch=watch)


def _events(journal: Journal, run: int = 1) -> list[LearnerEvent]:
    return [entry.event for entry in journal.read(run)]


def _problem(arms: int = 3, limits: Limits | None = None) -> Problem:
    means = tuple(200 + 250 * arm for arm in range(arms))
    return Problem(
        spec=make_spec(arms=arms, quantizer=Icq(bits=3, prior="uniform")),
        policy=SuccessiveElimination(),
        limits=limits or Limits(rounds=14),
        tape=Tape(seed=3, means=means, spread=150, bounds=(0, 1024)),
    )


@given(problem=problems())
@settings(max_examples=60)
def test_the_run_is_that_of_the_bare_machines_on_the_same_rewards(problem: Problem) -> None:
    journal = MemoryJournal()
    run = _embedded(problem, journal).run()
    *events, traffic = _events(journal, run)
    clean = drive_problem(problem)
    assert events == clean.events
    assert isinstance(traffic, TrafficMeasured)
    assert replay(events).save() == clean.learner.save()


def _sent_frames(
    monkeypatch: pytest.MonkeyPatch, order: list[object]
) -> list[tuple[Message, bytes]]:
    """Spy on the wire: every message that is encoded, beside what is kept."""
    frames: list[tuple[Message, bytes]] = []
    encode = wire.encode

    def spying(message: Message) -> bytes:
        frame = encode(message)
        frames.append((message, frame))
        order.append(message)
        return frame

    monkeypatch.setattr(wire, "encode", spying)
    return frames


def test_events_are_kept_before_their_messages_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[object] = []
    _sent_frames(monkeypatch, order)
    _embedded(_problem(), Record(order)).run()
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
    _sent_frames(monkeypatch, order)
    _embedded(_problem(), Record(order)).run()
    kept = [(e.arm, e.message) for e in order if isinstance(e, ReportAccepted)]
    assert sorted(kept) == sorted((m.arm, m.message) for m in order if isinstance(m, Report))
    for at, item in enumerate(order):
        if isinstance(item, ReportAccepted):
            sent = [m for m in order[:at] if isinstance(m, Report)]
            assert (item.arm, item.message, item.symbol) in [
                (report.arm, report.message, report.symbol) for report in sent
            ]


def test_traffic_is_the_sum_of_the_frames_that_were_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = _sent_frames(monkeypatch, [])
    journal = MemoryJournal()
    run = _embedded(_problem(), journal).run()
    *_, ending, traffic = _events(journal, run)
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
        assert _events(journal)[-len(events) :] == list(events)

    _embedded(_problem(), journal, watch=watch).run()
    assert told == _events(journal)


def test_a_round_of_many_pulls_is_fetched_in_parts_of_bounded_size() -> None:
    asked: list[int] = []

    class Counting:
        def pull(self, count: int) -> Sequence[float]:
            asked.append(count)
            return [0.5] * count

    problem = Problem(
        spec=make_spec(arms=2), policy=SuccessiveElimination(), limits=Limits(rounds=18), tape=_TAPE
    )
    journal = MemoryJournal()
    _embedded(problem, journal, [Counting(), Counting()]).run()
    assert max(asked) <= 2**16
    assert sum(asked) == 2 * 2**18
    ending = replay(_events(journal)).ending
    assert ending is not None
    assert (ending.outcome, ending.samples) == (Outcome.ROUND_LIMIT, 2 * 2**18)


_TAPE = Tape(seed=0, means=(0, 0), spread=0, bounds=None)


# -- caveats -----------------------------------------------------------------------------------


def test_a_caveat_that_is_known_before_the_start_is_kept_and_voids_the_guarantee() -> None:
    journal = MemoryJournal()
    run = _embedded(_problem(), journal).run(caveats=("the clock is wrong",))
    events = _events(journal, run)
    assert CaveatNoted(text="the clock is wrong") in events[:3]
    ending = replay(events).ending
    assert ending is not None
    assert (ending.outcome, ending.guarantee) == (Outcome.DECIDED, None)
    assert ending.guarantee_reason == "the clock is wrong"


def test_clipped_rewards_are_noted_once_and_void_the_guarantee() -> None:
    journal = MemoryJournal()
    sources = [Planned(-0.5), Planned(0.5), Planned(1.5)]
    _embedded(_problem(), journal, sources, clip=True).run()
    events = _events(journal)
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
        _embedded(_problem(), journal, sources).run()
    assert _ending(journal).outcome is Outcome.INTERRUPTED


# -- whatever stops the run, the journal has an ending and replays -------------------------------


def _ending(journal: Journal) -> RunEnded:
    """The run's ending, after a replay that agrees with all of it."""
    ending = replay(_events(journal)).ending
    assert ending is not None, "the run has no ending in the journal"
    return ending


def _through_ctrl_c(embedded: EmbeddedRun) -> int:
    """Run to the end; Ctrl-C must not come out, least of all into the test runner."""
    try:
        return embedded.run()
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C came out of the run instead of ending it")


def _raise(error: BaseException) -> Callable[[], None]:
    def happen() -> None:
        raise error

    return happen


@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (RewardError("no more"), RewardError),
        (ZeroDivisionError("a defect of the source"), Exception),
        (SystemExit(3), (RewardError, SystemExit)),
    ],
    ids=repr,
)
def test_a_source_that_fails_leaves_a_run_with_an_ending(
    at: int, error: BaseException, raised: Any
) -> None:
    journal = MemoryJournal()
    sources = [Planned(0.5), Planned(0.5, at, _raise(error)), Planned(0.5)]
    with pytest.raises(raised):
        _embedded(_problem(), journal, sources).run()
    ending = _ending(journal)
    assert (ending.outcome, ending.best_arm) == (Outcome.INTERRUPTED, None)
    reports = [event for event in _events(journal) if isinstance(event, ReportAccepted)]
    assert len(reports) == {1: 0, 3: 3, 5: 6}[at]


@pytest.mark.parametrize("at", [1, 3, 5])
def test_ctrl_c_during_a_pull_ends_the_run_as_interrupted(at: int) -> None:
    journal = MemoryJournal()
    sources = [Planned(0.5), Planned(0.5, at, _raise(KeyboardInterrupt())), Planned(0.5)]
    assert _through_ctrl_c(_embedded(_problem(), journal, sources)) == 1
    assert _ending(journal).outcome is Outcome.INTERRUPTED
    assert isinstance(_events(journal)[-1], TrafficMeasured)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_source_that_gives_another_number_of_rewards_is_at_fault(count: int) -> None:
    class Miscounting:
        def pull(self, wanted: int) -> Sequence[float]:
            return [0.5] * count

    journal = MemoryJournal()
    sources: list[RewardSource] = [Planned(0.5), Miscounting(), Planned(0.5)]
    with pytest.raises(RewardError, match=r"^arm-1 \(arm 1\): .*2"):
        _embedded(_problem(), journal, sources).run()
    assert _ending(journal).outcome is Outcome.INTERRUPTED


def test_rewards_that_add_up_to_no_float_name_the_arm() -> None:
    spec = make_spec(arms=2, bounds=None, sigma=2e307)
    problem = Problem(spec=spec, policy=SuccessiveElimination(), limits=Limits(), tape=_TAPE)
    journal = MemoryJournal()
    sources = [Planned(0.0), Planned(7e307)]
    with pytest.raises(RewardError, match=r"^arm-1 \(arm 1\): "):
        _embedded(problem, journal, sources).run()
    assert _ending(journal).outcome is Outcome.INTERRUPTED


def _times_watched() -> int:
    told: list[int] = []
    _embedded(_problem(), MemoryJournal(), watch=lambda events: told.append(1)).run()
    return len(told)


def test_ctrl_c_while_watching_ends_the_run_whenever_it_comes() -> None:
    """The live table waits inside the watcher: that is where Ctrl-C mostly finds the program."""
    total = _times_watched()
    assert total > 5
    for at in range(1, total):  # the last is the traffic, after the ending
        journal = MemoryJournal()
        told: list[int] = []

        def watch(events: Sequence[LearnerEvent], told: list[int] = told, at: int = at) -> None:
            told.append(1)
            if len(told) == at:
                raise KeyboardInterrupt

        _through_ctrl_c(_embedded(_problem(), journal, watch=watch))
        decided = at == total - 1  # the ending itself was kept already
        assert _ending(journal).outcome is (Outcome.DECIDED if decided else Outcome.INTERRUPTED)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_ctrl_c_before_a_step_is_kept_loses_nothing_that_the_learner_did(at: int) -> None:
    journal = Failing(at, KeyboardInterrupt())
    _through_ctrl_c(_embedded(_problem(), journal))
    ending = _ending(journal)
    assert ending.outcome is Outcome.INTERRUPTED
    assert ending.rounds >= 1


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_journal_that_fails_stops_the_run_and_is_blamed(at: int) -> None:
    journal = Failing(at, StoreError("the disk is full"))
    with pytest.raises(StoreError, match="the disk is full"):
        _embedded(_problem(), journal).run()


def test_a_run_whose_opening_fails_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, pulled = _sent_frames(monkeypatch, []), list[int]()
    sources = [Planned(0.5, 0, lambda: pulled.append(1)) for _ in range(3)]
    told: list[LearnerEvent] = []
    journal = Failing(0, StoreError("the disk is full"))
    with pytest.raises(StoreError, match="the disk is full"):
        _embedded(_problem(), journal, sources, watch=told.extend).run()
    assert (journal.runs(), frames, pulled, told) == ([], [], [], [])


def test_the_opening_and_its_first_round_are_kept_in_one_step() -> None:
    journal = Failing(1, StoreError("the disk is full"))  # nothing but the opening is kept
    with pytest.raises(StoreError, match="the disk is full"):
        _embedded(_problem(), journal).run()
    opened, first = _events(journal)
    assert isinstance(opened, RunOpened)
    assert isinstance(first, RoundOpened)
    assert [request.arm for request in replay(_events(journal)).pending] == [0, 1, 2]


def test_arms_that_cannot_be_told_apart_end_at_the_limit() -> None:
    rng = random.Random(1)

    class Coin:
        def pull(self, count: int) -> Sequence[float]:
            return [float(rng.random() < 0.5) for _ in range(count)]

    problem = _problem(2, Limits(samples=500))
    journal = MemoryJournal()
    _embedded(problem, journal, [Coin(), Coin()]).run()
    ending = _ending(journal)
    assert (ending.outcome, ending.best_arm) == (Outcome.SAMPLE_LIMIT, None)
    assert ending.samples <= 500


def test_the_learner_of_a_run_is_started_only_once() -> None:
    problem = _problem()
    learner: Learner = problem.learner()
    sources = [TapeSource(problem.tape, arm) for arm in range(3)]
    embedded = EmbeddedRun(learner, sources, MemoryJournal(), clip=False, watch=_ignore)
    embedded.run()
    with pytest.raises(Exception, match="started before"):
        embedded.run()
