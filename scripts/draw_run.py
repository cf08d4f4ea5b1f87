"""Draws docs/pictures/run.svg: `bitarm identify --seed 1` as its terminal shows it, round by round.

python scripts/draw_run.py

A run is repeatable to the byte, so is the picture. It moves by CSS alone; where that is not wanted
(print, reduced motion), it shows the end. No font is fetched: any monospaced one will do.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from bitarm.api.identify import run_problem
from bitarm.api.problem import parse_problem
from bitarm.cli.flags.problem import built_in_problem
from bitarm.cli.show.live import standings_table
from bitarm.cli.show.result import print_answer
from bitarm.core.events import LearnerEvent
from bitarm.core.standings import Standings, follow
from bitarm.store import MemoryJournal

FILE = Path(__file__).parents[1] / "docs" / "pictures" / "run.svg"
COLUMNS = 82
_PACE, _REST = 0.9, 6.0  # seconds of a round, and of the end
_THEME = TerminalTheme(
    (18, 24, 31),
    (208, 214, 220),
    [(18, 24, 31), (229, 115, 115), (102, 187, 106), (255, 183, 77)],
    [(100, 181, 246), (186, 104, 200), (77, 208, 225), (208, 214, 220)],
)
_FRAME = (
    '<g class="frame f{unique_id}"><style>{styles}</style><defs>{lines}</defs>'
    '{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>'
)
_LINE, _CHARACTER = 24.4, 12.2  # rich's own, of its matrix


def main() -> None:
    """Run, draw, write."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(picture(), "utf-8")


def picture() -> str:
    """The run as an SVG."""
    now: Standings | None = None
    drawn: dict[tuple[int, bool], RenderableType] = {}  # by the progress that they show

    def watch(events: Sequence[LearnerEvent]) -> None:
        nonlocal now
        for event in events:
            now = follow(now, event)
            drawn[now.progress] = standings_table(now, COLUMNS)

    problem = parse_problem(built_in_problem(), folder=Path())
    run, result = run_problem(problem, seed=1, journal=MemoryJournal(), watch=watch)
    said = Console(file=io.StringIO(), width=COLUMNS, force_terminal=True, color_system="truecolor")
    print_answer(said, result, run=run)
    answer = Text.from_ansi(said.file.getvalue())  # type: ignore[attr-defined]  # a StringIO
    typed = Text.assemble(("$ ", "green"), "bitarm identify --seed 1\n")
    *before, end = drawn.values()
    frames = [*(Group(typed, table) for table in before), Group(typed, end, answer)]
    return _animated([_drawn(frame, number) for number, frame in enumerate(frames)])


def _drawn(frame: RenderableType, number: int) -> tuple[str, int]:
    console = Console(record=True, file=io.StringIO(), width=COLUMNS, force_terminal=True)
    console.print(frame)
    lines = len(console.export_text(clear=False).splitlines())
    name = f"r{number}"
    svg = console.export_svg(theme=_THEME, code_format=_FRAME, unique_id=name)
    return re.sub(r"\s*\n\s*", "", svg), lines


def _animated(frames: Sequence[tuple[str, int]]) -> str:
    whole = _PACE * (len(frames) - 1) + _REST
    rules = []
    for number in range(len(frames)):
        begin = 100 * _PACE * number / whole
        end = 100.0 if number == len(frames) - 1 else 100 * _PACE * (number + 1) / whole
        rules.append(
            f"@keyframes k{number}{{0%,{begin:.3f}%{{opacity:0}}"
            f"{begin + 0.001:.3f}%,{end:.3f}%{{opacity:1}}"
            + ("}" if end == 100.0 else f"{end + 0.001:.3f}%,100%{{opacity:0}}}}")
            + f".fr{number}{{animation:k{number} {whole:.1f}s infinite}}"
        )
    height = max(lines for _, lines in frames) * _LINE + 48
    width = COLUMNS * _CHARACTER + 48
    last = f".fr{len(frames) - 1}"
    style = (
        "text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;"
        "font-size:20px;line-height:24.4px}"
        f".frame{{opacity:0}}{last}{{opacity:1}}"
        "@media (prefers-reduced-motion:no-preference){" + "".join(rules) + "}"
    )
    label = "A run of bitarm: eight intervals narrow, seven arms give up, one is named"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="{label}"><style>{style}</style>'
        f'<rect width="100%" height="100%" rx="10" fill="#12181f"/>'
        f'<g transform="translate(24 18)">{"".join(svg for svg, _ in frames)}</g></svg>\n'
    )


if __name__ == "__main__":
    main()
