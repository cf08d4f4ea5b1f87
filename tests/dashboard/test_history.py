"""Columns of a run: what a delta adds, and events that no chart has columns for."""

from contextlib import closing
from pathlib import Path

from dashboard.stores import identify_into, standings_in

from bitarm.core.events import AgentJoined, ArmsLost, FleetAssigned, RunEnded
from bitarm.core.journal import Entry
from bitarm.dashboard.compare import point_of_run
from bitarm.dashboard.frames import frames_of
from bitarm.dashboard.history import History
from bitarm.store import SqliteJournal


def _entries(store: Path, run: int) -> list[Entry]:
    with closing(SqliteJournal.open_read_only(store)) as journal:
        return list(journal.read(run))


def test_a_delta_continues_a_view(decided_store: Path) -> None:
    first, *rest = _entries(decided_store, 1)
    history, position = History(1, first), 1
    sequences: list[int] = list(history.view().timeline.notes.sequence)
    for entry in rest:
        history.add(entry)
        if entry.sequence % 7 == 0 or entry is rest[-1]:
            delta = history.delta(position)
            for table in ("rounds", "reports", "drops", "notes"):
                sequences += getattr(delta.timeline, table).sequence
            position = delta.row.entries
    assert sorted(sequences) == list(range(1, len(rest) + 2))


def test_arms_that_were_given_up_are_placed_and_get_no_farewell(decided_store: Path) -> None:
    first, *rest = _entries(decided_store, 3)
    history = History(3, first)
    for entry in rest:
        history.add(entry)
    lost = ArmsLost(round=4, arms=(1, 2), stops=False)
    history.add(Entry(sequence=history.entries + 1, at=first.at + 9, event=lost))
    notes = history.view().timeline.notes
    assert (notes.name[-1], notes.arms[-1], notes.round[-1]) == ("arms_lost", [1, 2], 4)
    assert notes.text[-1] == "south, tower: lost in round 4, not heard from for too long"
    ended = next(
        entry.event for entry in _entries(decided_store, 1) if isinstance(entry.event, RunEnded)
    )
    last = Entry(sequence=history.entries + 1, at=first.at + 10, event=ended)
    history.add(last)
    standings = standings_in(decided_store, 3)
    told = [frame.arm for frame in frames_of(history, last, arm=None, limit=9).frames]
    assert told == [arm for arm in (0, 3) if standings.arms[arm].active]


def test_an_agent_is_known_by_the_arms_that_it_serves(decided_store: Path) -> None:
    history = History(3, _entries(decided_store, 3)[0])
    assert history.view().agents == []
    fleet = FleetAssigned(fleet="roofs", agents=("a", "b", "a", "c"))
    history.add(Entry(sequence=2, at=1.0, event=fleet))
    joined = AgentJoined(agent="a", boot="b", life="l", restarts=2)
    history.add(Entry(sequence=3, at=2.0, event=joined))
    assert history.delta(1).agents == ["a", "b", "a", "c"]
    notes = history.delta(2).timeline.notes
    assert (notes.arms, notes.restarts) == ([[0, 2]], [2])
    assert notes.text == ["agent a restarted, 2 times by now"]


def test_a_run_on_a_budget_has_no_delta_no_radii_and_no_certain_words(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(
        store,
        seed=3,
        policy="sequential-halving",
        pull_budget=80,
        bit_budget=24,
        quantizer="dicq",
        delta=None,
    )
    first, *rest = _entries(store, run)
    history = History(run, first)
    for entry in rest:
        history.add(entry)
    view = history.view()
    assert (view.row.outcome, view.row.delta, view.row.guarantee) == ("budget_spent", None, None)
    assert (view.settings["pull_budget"], view.settings["bit_budget"]) == (80, 24)
    assert (view.settings["delta"], view.settings["width"]) == (None, None)
    assert "max_bits" not in view.settings
    assert set(view.timeline.reports.radius) == {None}
    opened = f"run {view.row.fingerprint} opened: 4 arms, dicq-budget, 80 pulls"
    assert view.timeline.notes.text[0] == opened
    assert "ended: the budget is spent, north did best" in view.timeline.notes.text
    assert point_of_run(history).lower_bound is None
