"""The laws of `core.journal.Journal`, for every implementation."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, LearnerEvent, RunEnded, RunOpened, TrafficMeasured
from bitarm.core.journal import Entry, Journal, RunSummary
from bitarm.core.learner import Learner
from bitarm.core.messages import Report
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact
from bitarm.core.replay import replay
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import StoreError
from bitarm.store import MemoryJournal, SqliteJournal

Clock = Callable[[], float]
IMPLEMENTATIONS: dict[str, Callable[[Path, Clock], Journal]] = {
    "memory": lambda folder, clock: MemoryJournal(clock=clock),
    "sqlite": lambda folder, clock: SqliteJournal.open(folder / "journal.sqlite", clock=clock),
}
BAD_ENDING = RunEnded(
    outcome=Outcome.DECIDED,
    best_arm=7,
    guarantee=None,
    guarantee_reason="",
    rounds=1,
    samples=1,
    payload_bits=1,
)


@pytest.fixture(params=IMPLEMENTATIONS)
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    journal = IMPLEMENTATIONS[request.param](tmp_path, count(100.5).__next__)
    yield journal
    journal.close()


def opening(seed: int = 0, arms: tuple[str, ...] = ("left", "right")) -> RunOpened:
    spec = RunSpec(
        arms=arms,
        delta=0.1,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Exact(),
        width="paper",
        schedule=paper_schedule(2.0),
        priors=(),
        seed=seed,
    )
    return RunOpened(setup=Setup(spec=spec, policy=SuccessiveElimination()), opening=f"run {seed}")


def notes(*texts: str) -> list[LearnerEvent]:
    return [CaveatNoted(text=text) for text in texts]


def ending(outcome: Outcome, best_arm: int | None) -> RunEnded:
    return RunEnded(
        outcome=outcome,
        best_arm=best_arm,
        guarantee=None,
        guarantee_reason="",
        rounds=1,
        samples=2,
        payload_bits=3,
    )


def events(journal: Journal, run: int) -> list[LearnerEvent]:
    return [entry.event for entry in journal.read(run)]


class TestWhatAppendWasGivenIsDurableAllOfItOrNothing:
    def test_all_of_it(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        journal.append(run, notes("a", "b"))
        journal.append(run, notes("c"))
        assert events(journal, run) == [opening(), *notes("a", "b", "c")]

    def test_nothing_of_it(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        before = journal.runs()
        with pytest.raises(StoreError, match="names arm 7"):
            journal.append(run, [*notes("a"), BAD_ENDING])
        assert events(journal, run) == [opening()]
        assert journal.runs() == before
        journal.append(run, notes("b"))
        assert events(journal, run) == [opening(), *notes("b")]

    def test_an_append_of_nothing_keeps_nothing(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        journal.append(run, [])
        assert events(journal, run) == [opening()]
        assert journal.runs()[0].entries == 1


class TestWhatComesWithAnOpeningIsKeptWithItAllOfItOrNothing:
    def test_in_order_after_the_opening_at_the_same_time(self, journal: Journal) -> None:
        run = journal.open_run(opening(), notes("a", "b"))
        assert list(journal.read(run)) == [
            Entry(sequence=1, at=100.5, event=opening()),
            Entry(sequence=2, at=100.5, event=CaveatNoted(text="a")),
            Entry(sequence=3, at=100.5, event=CaveatNoted(text="b")),
        ]
        assert journal.runs()[0].entries == 3

    def test_and_the_run_goes_on_from_there(self, journal: Journal) -> None:
        run = journal.open_run(opening(), notes("a"))
        journal.append(run, notes("b"))
        assert events(journal, run) == [opening(), *notes("a", "b")]
        assert [entry.sequence for entry in journal.read(run)] == [1, 2, 3]

    @pytest.mark.parametrize(
        ("bad", "why"),
        [(BAD_ENDING, "names arm 7"), (opening(2), "a second opening")],
        ids=["an ending of another run", "a second opening"],
    )
    def test_nothing_of_it(self, journal: Journal, bad: LearnerEvent, why: str) -> None:
        first = journal.open_run(opening(1), notes("a"))
        before = journal.runs()
        with pytest.raises(StoreError, match=why):
            journal.open_run(opening(), [*notes("b"), bad, *notes("c")])
        assert journal.runs() == before
        run = journal.open_run(opening(), notes("d"))
        assert run != first
        assert events(journal, first) == [opening(1), *notes("a")]
        assert events(journal, run) == [opening(), *notes("d")]

    @pytest.mark.parametrize(
        ("outcome", "best", "name"),
        [(Outcome.DECIDED, 1, "right"), (Outcome.SAMPLE_LIMIT, None, None)],
    )
    def test_an_ending_too(
        self, journal: Journal, outcome: Outcome, best: int | None, name: str | None
    ) -> None:
        last = ending(outcome, best)
        run = journal.open_run(opening(), [*notes("a"), last])
        assert events(journal, run) == [opening(), *notes("a"), last]
        (summary,) = journal.runs()
        assert (summary.outcome, summary.best_arm) == (outcome.value, name)
        assert (summary.opened_at, summary.ended_at, summary.entries) == (100.5, 100.5, 3)


class TestReadGivesTheEntriesOfARunInTheOrderInWhichTheyWereAppended:
    def test_numbered_from_1_without_gaps_and_stamped(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        journal.append(run, notes("a", "b"))
        assert list(journal.read(run)) == [
            Entry(sequence=1, at=100.5, event=opening()),
            Entry(sequence=2, at=101.5, event=CaveatNoted(text="a")),
            Entry(sequence=3, at=101.5, event=CaveatNoted(text="b")),
        ]

    def test_runs_do_not_mix(self, journal: Journal) -> None:
        first, second = journal.open_run(opening(1)), journal.open_run(opening(2))
        for text in "abc":
            journal.append(first, notes(text))
            journal.append(second, notes(text.upper()))
        assert events(journal, first) == [opening(1), *notes("a", "b", "c")]
        assert events(journal, second) == [opening(2), *notes("A", "B", "C")]

    @pytest.mark.parametrize(
        ("after", "expected"),
        [(-5, [1, 2, 3, 4]), (0, [1, 2, 3, 4]), (2, [3, 4]), (4, []), (10**30, [])],
    )
    def test_only_above_after(self, journal: Journal, after: int, expected: list[int]) -> None:
        run = journal.open_run(opening())
        journal.append(run, notes("a", "b", "c"))
        assert [entry.sequence for entry in journal.read(run, after)] == expected

    def test_more_than_fit_a_page(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        texts = [str(number) for number in range(1000)]
        journal.append(run, notes(*texts))
        assert events(journal, run)[1:] == notes(*texts)

    def test_as_they_stood_when_read_was_called(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        entries = journal.read(run)
        journal.append(run, notes("a"))
        assert [entry.sequence for entry in entries] == [1]
        assert [entry.sequence for entry in journal.read(run, after=1)] == [2]

    def test_a_replayed_learner_goes_on_where_it_was(self, journal: Journal) -> None:
        opened = opening()
        learner = Learner(opened.setup, opened.opening)
        started = learner.start()
        run = journal.open_run(opened, started.events[1:])
        for mean in (0.25, 0.75):
            request = learner.pending[0]
            symbol = request.question.answer(mean)
            report = Report(run=request.run, arm=request.arm, message=1, symbol=symbol)
            journal.append(run, learner.receive(report).events)
        assert replay(events(journal, run)).save() == learner.save()


class TestNumbersOfRunsAreNeverUsedAgain:
    def test_each_run_has_its_own_even_if_it_is_the_same_problem(self, journal: Journal) -> None:
        numbers = [journal.open_run(opening()) for _ in range(3)]
        assert numbers == sorted(set(numbers))
        assert len(numbers) == 3


class TestEveryFailureIsAStoreErrorAndLosesNothing:
    @pytest.mark.parametrize("run", [-1, 0, 2, 10**30])
    def test_an_unknown_run(self, journal: Journal, run: int) -> None:
        journal.open_run(opening())
        with pytest.raises(StoreError, match=f"no run {run}"):
            journal.read(run)
        with pytest.raises(StoreError, match=f"no run {run}"):
            journal.append(run, notes("a"))
        assert events(journal, 1) == [opening()]

    def test_a_second_opening(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        with pytest.raises(StoreError, match="give it to open_run"):
            journal.append(run, [opening()])
        assert events(journal, run) == [opening()]

    def test_after_close_which_may_be_repeated(self, journal: Journal) -> None:
        run = journal.open_run(opening())
        journal.close()
        journal.close()
        for use in (
            lambda: journal.open_run(opening()),
            lambda: journal.append(run, notes("a")),
            lambda: journal.read(run),
            journal.runs,
        ):
            with pytest.raises(StoreError, match="is closed: open"):
                use()


class TestRunsAtAGlance:
    def test_the_newest_first(self, journal: Journal) -> None:
        assert journal.runs() == []
        first = journal.open_run(opening(1))
        second = journal.open_run(opening(2, arms=("a", "b", "c")))
        assert [run.run for run in journal.runs()] == [second, first]
        assert journal.runs()[0] == RunSummary(
            run=second,
            fingerprint=opening(2, arms=("a", "b", "c")).setup.fingerprint,
            arms=3,
            opened_at=101.5,
            ended_at=None,
            outcome=None,
            best_arm=None,
            entries=1,
        )

    @pytest.mark.parametrize(
        ("outcome", "best", "name"),
        [(Outcome.DECIDED, 1, "right"), (Outcome.ROUND_LIMIT, None, None)],
    )
    def test_an_ending_even_if_more_follows(
        self, journal: Journal, outcome: Outcome, best: int | None, name: str | None
    ) -> None:
        run = journal.open_run(opening())
        journal.append(run, [*notes("a"), ending(outcome, best)])
        journal.append(run, [TrafficMeasured(payload_bytes=1, wire_bytes_up=2, wire_bytes_down=3)])
        (summary,) = journal.runs()
        assert (summary.outcome, summary.best_arm) == (outcome.value, name)
        assert (summary.opened_at, summary.ended_at, summary.entries) == (100.5, 101.5, 4)
