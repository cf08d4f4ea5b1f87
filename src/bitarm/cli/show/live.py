"""The live table of a run: every arm's interval as a bar that narrows round by round."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self, final

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bitarm.cli.show.outlook import near_tie
from bitarm.cli.show.tables import plain_table
from bitarm.core.events import LearnerEvent
from bitarm.core.outcome import Outcome
from bitarm.core.policy import tolerance_of
from bitarm.core.standings import ArmStanding, Standings, follow
from bitarm.peer_log import printable

PACE = 0.4
"""Seconds between rounds on a terminal: slow enough to follow."""

_LEAST_BAR, _NARROW_BAR, _WIDE_BAR = 4, 20, 42  # columns of a bar
_GAP = 2  # columns between two of a table
_WIDE = 120  # screen columns from which on there is room for more words
_NARROW = 72  # and below which there is none for all figures
_NAME = 16  # columns of an arm's name at most; on a narrow screen, and where figures are long,
_SHORT_NAME = 10  # it is cut down to this, since a name tells its arm without its end
_MOST_ARMS = 24  # rows that fit a screen


@final
class LiveTable:
    """Redraws the standings after each round; a context manager around a run."""

    def __init__(self, console: Console, *, pace: float) -> None:
        self._pace = pace
        self._standings: Standings | None = None
        self._drawn = (0, False)  # the progress that the table shows,
        self._spared = 0  # and how many pulls too many it does not count
        self._width = console.width
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Take events in; draw when a round has closed, and wait so that an eye can follow."""
        standings = self._standings
        for event in events:
            standings = follow(standings, event)
        self._standings = standings
        if standings is None:
            return
        has_closed = standings.progress != self._drawn
        if not has_closed and standings.spared == self._spared:
            return
        self._drawn, self._spared = standings.progress, standings.spared
        self._live.update(standings_table(standings, self._width), refresh=True)
        if has_closed and self._pace > 0 and standings.ending is None:
            time.sleep(self._pace)


def standings_table(standings: Standings, screen_width: int) -> Table:
    """The standings as a table; the contenders first if there are too many arms to show."""
    is_narrow = screen_width < _NARROW
    low, high = _axis(standings)
    claims = standings.opened.setup.policy.answers is Outcome.DECIDED  # a budget proves no interval
    figures = 1 if is_narrow else 1 + claims  # the mean, and its radius
    titles = (*("mean", "±")[:figures], *([] if is_narrow else ("pulls", "bits")), "state")
    shown = _shown(standings)
    told = {
        index: (
            *_figures(standings.arms[index])[:figures],
            *([] if is_narrow else _prices(standings.arms[index])),
            printable(_state(standings, index, wide=screen_width >= _WIDE)),
        )
        for index in shown
    }
    room = screen_width - _taken([titles, *told.values()])
    name_width = _SHORT_NAME if is_narrow else _NAME
    bar_width = _bar_width(screen_width)
    name_width = max(_SHORT_NAME, min(name_width, room - bar_width))
    bar_width = max(_LEAST_BAR, min(bar_width, room - name_width))
    table = plain_table(
        title=f"Round {standings.round}   "
        f"samples {_count(standings.samples, at_most=standings.samples_at_most)}   "
        f"payload {standings.payload_bits:,} bits",
        caption=_caption(standings),
    )
    table.add_column("arm", no_wrap=True, max_width=name_width)
    table.add_column(_axis_label(low, high, bar_width), no_wrap=True, min_width=bar_width)
    for title in titles:
        table.add_column(title, justify="left" if title == "state" else "right", no_wrap=True)
    best = standings.ending.best_arm if standings.ending else None
    found = "bold green" if claims else "bold"
    for index in shown:
        arm = standings.arms[index]
        table.add_row(
            Text(printable(arm.name)),  # text, never markup
            interval_bar(arm, low, high, bar_width),
            *map(Text, told[index]),
            style=found if index == best else ("" if arm.active else "dim"),
        )
    return table


def _bar_width(screen_width: int) -> int:
    if screen_width >= _WIDE:
        return _WIDE_BAR
    return min(_NARROW_BAR, max(_LEAST_BAR, screen_width - 36))  # beside name, mean and state


def _taken(rows: Sequence[Sequence[str]]) -> int:
    """Screen columns of what stands to the right of the bars, and of the gaps between columns."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + _GAP * (len(widths) + 1)


def _prices(arm: ArmStanding) -> tuple[str, str]:
    return _count(arm.pulls, at_most=arm.pulls_at_most), f"{arm.payload_bits:,}"


def _count(count: int, *, at_most: bool) -> str:
    """A count of pulls; an arm that gave up made at most as many as it was asked for."""
    return f"≤ {count:,}" if at_most else f"{count:,}"


def _figures(arm: ArmStanding) -> tuple[str, str]:
    """The mean and its radius, as far as they were told; in brackets if more is known by now."""
    mean, radius = ("" if number is None else f"{number:.4f}" for number in (arm.mean, arm.radius))
    return (f"({mean})", "") if mean and arm.beaten_by is not None else (mean, radius)


def interval_bar(arm: ArmStanding, low: float, high: float, width: int) -> str:
    """The arm's interval between `low` and `high`: ├───●───┤, as far as it lies on the axis."""
    if arm.mean is None:
        return ""
    radius = arm.radius or 0.0  # without a claim, a point
    left, middle, right = (
        _column(value, low, high, width)
        for value in (arm.mean - radius, arm.mean, arm.mean + radius)
    )
    if right < 0:
        return "◂"
    if left >= width:
        return "▸".rjust(width)
    cells = [" "] * width
    for column in range(max(left, 0), min(right, width - 1) + 1):
        cells[column] = "─"
    for column, mark in ((left, "├"), (right, "┤"), (middle, "●")):
        if 0 <= column < width:
            cells[column] = mark
    return "".join(cells)


def _highest(mean: float, arm: ArmStanding) -> float:
    """The highest mean that the arm may have, by what it told last."""
    return mean + (arm.radius or 0.0)


def _column(value: float, low: float, high: float, width: int) -> int:
    """The column of a value; before 0 or past the bar if it is off the axis."""
    if high <= low:
        return width // 2
    position = (value - low) / (high - low) * (width - 1)
    return round(min(max(position, -2), width + 1))


def _axis_label(low: float, high: float, width: int) -> str:
    if width < _NARROW_BAR:
        return ""  # no room for two numbers
    half = width // 2
    return f"{low:<{half}.4g}{high:>{width - half}.4g}"


def _axis(standings: Standings) -> tuple[float, float]:
    """The hull of the intervals that were in the race when the round began, within the bounds."""
    ends = [
        (arm.mean - (arm.radius or 0.0), _highest(arm.mean, arm))
        for arm in standings.arms
        if (arm.active or arm.dropped_in in (standings.round, standings.round - 1))
        and arm.mean is not None
    ]
    bounds = standings.opened.setup.spec.bounds
    if not ends:
        return bounds or (0.0, 1.0)
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return (max(low, bounds[0]), min(high, bounds[1])) if bounds else (low, high)


def _shown(standings: Standings) -> list[int]:
    """Arms to show, in their own order: all of them, or the best of those still in the race."""
    arms = standings.arms
    if len(arms) <= _MOST_ARMS:
        return list(range(len(arms)))

    def rank(index: int) -> tuple[bool, float]:
        mean = arms[index].mean
        return (not arms[index].active, -mean if mean is not None else float("inf"))

    return sorted(sorted(range(len(arms)), key=rank)[:_MOST_ARMS])


def _caption(standings: Standings) -> Text | None:
    """What the rows do not show; as text, since a name may look like markup."""
    said = (_left_out(standings), _told_before(standings), near_tie(standings))
    lines = [line for line in said if line is not None]
    return Text("\n".join(lines)) if lines else None


def _told_before(standings: Standings) -> str | None:
    """What a mean in brackets is: an arm that gives up sends one bit, and no mean."""
    if all(arm.beaten_by is None for arm in standings.arms):
        return None
    tolerance = tolerance_of(standings.opened.setup.policy)
    above = f"{tolerance:g} above " if tolerance else ""
    return f"(mean) told before the arm gave up: it is at most {above}that of the best arm"


def _left_out(standings: Standings) -> str | None:
    hidden = len(standings.arms) - _MOST_ARMS
    return f"and {hidden:,} more arms" if hidden > 0 else None


def _state(standings: Standings, index: int, *, wide: bool) -> str:
    arm = standings.arms[index]
    if standings.ending and index == standings.ending.best_arm:
        return "best" if standings.ending.outcome is Outcome.DECIDED else "best guess"
    if arm.lost_in is not None:
        return f"lost in {arm.lost_in}"
    if arm.dropped_in is None or arm.dropped_for is None:
        return "in"
    reason = f" for {standings.arms[arm.dropped_for].name}" if wide else ""
    left = "out" if arm.beaten_by is None else "gave up"
    return f"{left} in {arm.dropped_in}{reason}"
