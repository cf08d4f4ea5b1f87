"""The live table: bars, rows and words at every screen width, and only on a terminal."""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli.program import PAPER, OnTerminal
from rich.console import Console

import bitarm
from bitarm.api.identify import identify_problem
from bitarm.api.problem import parse_problem
from bitarm.cli.show.live import LiveTable, interval_bar, standings_table
from bitarm.core.bits import Symbol
from bitarm.core.events import ArmDropped, LearnerEvent, ReportAccepted, RoundOpened, RunOpened
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.core.standings import ArmStanding, Standings
from bitarm.store import MemoryJournal

_PAPER: dict[str, dict[str, Any]] = {
    "problem": {"sigma": 0.112},
    "scheme": {"quantizer": "icq", "width": "paper"},
}
_BUILT_IN = Path(__file__).parents[3] / "examples" / "gateways.toml"


def _rendered(standings: Standings, width: int) -> list[str]:
    screen = Console(file=io.StringIO(), width=width, force_terminal=False)
    screen.print(standings_table(standings, width))
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


def _opened(names: Sequence[str]) -> RunOpened:
    spec = RunSpec(
        arms=tuple(names),
        delta=0.1,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Exact(),
        width="paper",
        schedule=paper_schedule(2.0),
        priors=(),
        seed=0,
    )
    return RunOpened(setup=Setup(spec=spec, policy=SuccessiveElimination()), opening="a run")


def _report(arm: int, mean: float, radius: float = 0.1) -> ReportAccepted:
    return ReportAccepted(
        round=1,
        arm=arm,
        message=1,
        pulls=2,
        symbol=Symbol(0, 3),
        mean=mean,
        error=0.0,
        radius=radius,
    )


def _events_of_the_built_in_example(**words: Mapping[str, Any]) -> list[LearnerEvent]:
    problem = parse_problem(_BUILT_IN.read_text(encoding="utf-8"), Path(), words)
    journal = MemoryJournal()
    identify_problem(problem, seed=1, journal=journal)
    return [entry.event for entry in journal.read(1)]


@pytest.mark.parametrize(
    ("mean", "radius", "bar"),
    [
        (0.5, 0.5, "├────●────┤"),
        (0.5, 0.2, "   ├─●─┤   "),
        (0.1, 0.3, "─●──┤      "),
        (0.9, 0.3, "      ├──●─"),
        (0.5, 0.0, "     ●     "),
        (0.5, 9.0, "─────●─────"),
        (-0.4, 0.6, "──┤        "),
        (-0.5, 0.1, "◂"),
        (1.5, 0.1, "          ▸"),
        (0.5, float("inf"), "─────●─────"),
    ],
)
def test_a_bar_shows_an_interval_as_far_as_it_lies_on_the_axis(
    mean: float, radius: float, bar: str
) -> None:
    arm = ArmStanding(name="x", mean=mean, radius=radius)
    assert interval_bar(arm, 0.0, 1.0, 11) == bar


def test_arms_that_gave_up_are_shown_with_what_they_told_before() -> None:
    lines = _rendered(Standings.of(_events_of_the_built_in_example()), 80)
    assert lines[0].rstrip() == "Round 9   samples 854   payload 58 bits"
    assert lines[1].split() == ["arm", "0.8983", "0.9834", "mean", "±", "pulls", "bits", "state"]
    assert lines[3].rstrip() == (
        "rooftop-north  ├──────●──────┤       (0.9287)            196    10  gave up in 9"
    )
    assert lines[5].rstrip() == (
        "water-tower                ├───●──┤    0.9678  0.0156    320    11  best"
    )
    assert lines[-1].rstrip() == (
        "(mean) told before the arm gave up: it is at most that of the best arm"
    )


@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_names_are_cut_before_figures(width: int) -> None:
    names = [f"Gateway {n} at the northern harbour gate" for n in range(12)]
    journal = MemoryJournal()
    arms = {name: (lambda mean=n / 24: mean) for n, name in enumerate(names)}
    bitarm.identify(arms, bounds=(0, 1), seed=1, journal=journal)
    standings = Standings.of(entry.event for entry in journal.read(1))
    for line in _rendered(standings, width)[3:15]:
        name, _, rest = line.partition("…")
        assert len(name) >= 9
        assert "…" not in rest
        assert "gave up in" in rest or rest.split()[-1] == "best"


def test_with_a_tolerance_an_arm_that_gave_up_may_be_a_little_better() -> None:
    standings = Standings.of(_events_of_the_built_in_example(problem={"epsilon": 0.1}))
    shown = " ".join(" ".join(_rendered(standings, 80)).split())
    assert "it is at most 0.1 above that of the best arm" in shown


def test_an_arm_that_was_not_heard_has_no_bar() -> None:
    assert interval_bar(ArmStanding(name="x"), 0.0, 1.0, 11) == ""


@pytest.mark.parametrize("width", [22, 44])
def test_a_bar_on_an_axis_without_length_is_a_point_in_the_middle(width: int) -> None:
    bar = interval_bar(ArmStanding(name="x", mean=3.0, radius=0.0), 3.0, 3.0, width)
    assert bar.index("●") == width // 2
    assert len(bar) == width


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("scheme", [{}, _PAPER], ids=["default", "paper"])
def test_the_built_in_example_fits_the_screen_in_every_round(
    width: int, scheme: dict[str, Mapping[str, Any]]
) -> None:
    events = _events_of_the_built_in_example(**scheme)
    standings = Standings.of(events[:1])
    tables = 0
    for event in events[1:]:
        standings.add(event)
        lines = _rendered(standings, width)
        assert all(len(line) <= width for line in lines)
        assert not any("…" in line for line in lines)
        tables += 1
    assert tables == len(events) - 1 >= 40


@pytest.mark.parametrize("width", [40, 60, 71])
def test_a_narrow_screen_has_mean_and_state_in_full(width: int) -> None:
    lines = _rendered(Standings.of(_events_of_the_built_in_example()), width)
    assert all(len(line) <= width for line in lines)
    assert any(re.search(r"basement .* \(0\.3750\)  gave up in 5\s*$", line) for line in lines)


def test_the_table_at_80_columns_shows_the_end_of_the_race() -> None:
    lines = _rendered(Standings.of(_events_of_the_built_in_example(**_PAPER)), 80)
    assert lines[0].rstrip() == "Round 12   samples 9,188   payload 183 bits"
    assert lines[1].split() == ["arm", "0.9151", "0.9825", "mean", "±", "pulls", "bits", "state"]
    assert lines[3].rstrip() == (
        "rooftop-north  ├────●───┤            0.9312  0.0161  4,096    36  out in 12"
    )
    assert [line.split()[0] for line in lines[3:]] == [
        "rooftop-north",
        "rooftop-south",
        "water-tower",
        "silo",
        "church",
        "depot",
        "harbour",
        "basement",
    ]
    assert lines[5].rstrip().endswith("best")


def test_a_wide_screen_says_for_whom_an_arm_was_dropped() -> None:
    lines = _rendered(Standings.of(_events_of_the_built_in_example(**_PAPER)), 120)
    assert "out in 12 for water-tower" in lines[3]
    assert max(map(len, lines)) > 100


def test_before_the_first_report_arms_have_no_numbers() -> None:
    lines = _rendered(Standings.of([_opened(["a", "b"])]), 80)
    assert lines[1].split()[1:3] == ["0", "1"]  # the bounds are the axis
    assert [line.split() for line in lines[3:]] == [["a", "0", "0", "in"], ["b", "0", "0", "in"]]


def test_a_thousand_arms_show_the_best_24_in_the_race_and_count_the_rest() -> None:
    names = [f"arm-{arm}" for arm in range(1000)]
    reports = [_report(arm, arm / 1000) for arm in range(1000)]
    dropped = [ArmDropped(round=1, arm=arm, because=0) for arm in range(990, 1000)]
    lines = _rendered(Standings.of([_opened(names), *reports, *dropped]), 80)
    rows = [line for line in lines if line.startswith("arm-")]
    assert [row.split()[0] for row in rows] == [f"arm-{arm}" for arm in range(966, 990)]
    assert lines[-1].strip() == "and 976 more arms"


@pytest.mark.parametrize(("arms", "more"), [(24, None), (25, "and 1 more arms?")])
def test_all_arms_are_shown_if_they_fit(arms: int, more: str | None) -> None:
    lines = _rendered(Standings.of([_opened([f"arm-{arm}" for arm in range(arms)])]), 80)
    assert sum(line.startswith("arm-") for line in lines) == 24
    assert (
        (re.fullmatch(more, lines[-1].strip()) is not None) if more else ("more" not in lines[-1])
    )


@pytest.mark.parametrize("name", ["[red]x[/red]", "[/]", "[bold", "[link=a]b"])
@pytest.mark.parametrize("width", [80, 120])
def test_a_name_is_text_and_never_markup(name: str, width: int) -> None:
    events: list[LearnerEvent] = [_opened([name, "other"]), ArmDropped(round=1, arm=1, because=0)]
    lines = _rendered(Standings.of(events), width)
    assert lines[3].startswith(name)
    assert (f"for {name}" in lines[4]) == (width == 120)


def test_a_name_moves_no_cursor_and_begins_no_line() -> None:
    events: list[LearnerEvent] = [
        _opened(["one\x1b[2Kand\nbest arm  two", "other"]),
        _report(0, 0.2),
    ]
    lines = _rendered(Standings.of(events), 120)
    assert lines[3].startswith("one?[2Kand best")
    assert all(line.isprintable() for line in lines)


def test_long_names_never_push_the_table_over_the_edge() -> None:
    names = ["x" * 60, "y" * 60]
    events: list[LearnerEvent] = [
        _opened(names),
        _report(0, 0.2),
        ArmDropped(round=1, arm=1, because=0),
    ]
    for width in (80, 120):
        lines = _rendered(Standings.of(events), width)
        assert max(map(len, lines)) <= width
        assert [line[:8] for line in lines[3:]] == ["x" * 8, "y" * 8]


def test_the_table_is_drawn_once_a_round_and_waits_only_while_the_race_is_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    screen = Console(file=io.StringIO(), width=80, force_terminal=True)
    events = _events_of_the_built_in_example()
    with LiveTable(screen, pace=0.25) as table:
        table.watch(events[:1])
        for event in events[1:]:
            table.watch([event])
    rounds = sum(isinstance(event, RoundOpened) for event in events)
    assert waits == [0.25] * rounds
    assert isinstance(screen.file, io.StringIO)
    assert screen.file.getvalue().count("Round ") >= rounds


def test_a_terminal_gets_the_live_table_on_stderr_and_the_answer_on_stdout(home: Path) -> None:
    done = OnTerminal(home, "identify", "--seed", "1", *PAPER, "--pace", "0").finished()
    assert done.code == 0
    out, screen = done.out, done.err
    assert screen.count("Round ") >= 12
    assert "Round 12   samples 9,188" in screen
    assert "├" in screen
    assert "\x1b[" in screen
    assert "best arm     water-tower (arm 2)" in out
    assert "├" not in out
    assert "\x1b" not in out


def test_json_on_a_terminal_is_alone(home: Path) -> None:
    done = OnTerminal(home, "identify", "--seed", "1", "--json").finished()
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith('{"run": 1, ')
