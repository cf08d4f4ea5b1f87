"""A plan for a person: the setting, its price, the trade-off, and what if the guess is wrong."""

import math
import shlex
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bitarm.cli.show.link import duration
from bitarm.cli.show.tables import NARROW, facts_table, plain_table
from bitarm.planner.figures import PLAN_MEASURES, Spread
from bitarm.planner.plan import Plan
from bitarm.planner.prices import unit_of
from bitarm.planner.scheme_words import flags_of
from bitarm.planner.wrong_guess import Misjudged

_NOUNS = {"payload_bits": "bits"}
_COLUMNS = 78  # of a line of a command, with room for the sign that it goes on
_YOUR_FILE = "PROBLEM.toml"


def print_plan(console: Console, plan: Plan, *, file: Path | None = None) -> None:
    """Print the setting, what it will cost, the trade-off, what if the guess is wrong, and a
    command to paste. `file` is the problem file that was planned for, if there was one.
    """
    grid = facts_table()
    grid.add_row("setting", Text(plan.setting.describe()))
    grid.add_row("guarantee", Text(_claim(plan)))
    grid.add_row("prices", _prices(plan))
    grid.add_row("guess", Text(_guess(plan)))
    if plan.task.fixed.items:
        grid.add_row("fixed", Text(plan.task.fixed.describe()))
    console.print()
    console.print(grid)
    console.print()
    console.print(_expected(plan))
    console.print()
    console.print(_curve(plan))
    console.print()
    console.print(_wrong(plan, is_narrow=console.width < NARROW))
    for what, why in plan.impossible:
        console.print(Text(f"Not {what}: {why}."), style="dim")
    console.print()
    console.print(_how_to(file), style="bold")
    for line in _command(plan, file):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _how_to(file: Path | None) -> str:
    if file is not None:
        return "Run it"
    return f"Run it, with your arms in {_YOUR_FILE}; --save FILE.toml writes its other tables"


def _command(plan: Plan, file: Path | None) -> list[str]:
    """The command that runs the plan, in lines that a shell takes as one."""
    problem = {} if file is not None else plan.task.problem_words()
    words = [flag for word, value in problem.items() for flag in flags_of(word, value)]
    named = _YOUR_FILE if file is None else shlex.quote(str(file))
    lines, line = list[str](), f"bitarm identify {named}"
    for word in (*words, *plan.setting.to_flags()):
        if len(line) + 1 + len(word) > _COLUMNS:
            lines.append(f"{line} \\")
            line = "   "
        line = f"{line} {word}"
    return [*lines, line]


def sketch(plan: Plan) -> str:
    """One line: the setting and its expected cost, samples, rounds and bits."""
    figures = plan.figures
    return (
        f"{plan.setting.describe()}: expected cost {_rounded(figures.cost.mean)}, "
        f"{_rounded(figures.samples.mean)} samples, {_rounded(figures.rounds.mean)} rounds, "
        f"{_rounded(figures.payload_bits.mean)} bits"
    )


def _numbers(table: Table, *titles: str) -> None:
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)


def _expected(plan: Plan) -> Table:
    table = plain_table(title="What it will cost", title_style="bold", caption=_caption(plan))
    table.add_column("")
    _numbers(table, "mean", "± error", "spread of runs")
    for name in PLAN_MEASURES:
        spread: Spread = getattr(plan.figures, name)
        numbers = (spread.mean, spread.sem, spread.sd)
        table.add_row(_NOUNS.get(name, name), *(_rounded(number) for number in numbers))
    table.add_row("lower bound on samples", _rounded(plan.lower_bound), "", "")
    if plan.task.prices.link is not None or plan.task.prices.per_downlink:
        table.add_row("downlinks", _rounded(plan.downlinks), "", "")
    if plan.least_hours:
        table.add_row("lasts at least", duration(plan.least_hours), "", "")
    return table


def _claim(plan: Plan) -> str:
    claim = plan.guarantee
    return f"none: {claim.reason}" if claim.delta is None else claim.reason


def _caption(plan: Plan) -> str:
    figures = plan.figures
    left_out = figures.wrong + figures.undecided
    apart = f", {left_out:,} that lost the best arm left out" if left_out else ""
    rough = ""
    if figures.measured_by == "machines":
        link, is_cut = plan.task.prices.link, figures.most_bits is not None
        why = (
            f"with answers that {link.name} carries"
            if link is not None and is_cut
            else "as no kernel has the scheme"
        )
        rough = f"\nby learner and agents themselves, {why}: fewer runs"
    return (
        f"{figures.runs:,} simulated runs{apart}{rough}\n"
        f"{plan.tried:,} measurements of settings, seed {plan.seed}"
    )


def _curve(plan: Plan) -> Table:
    """The trade-off; beside samples and bits, what else has a price."""
    prices = plan.task.prices
    others = []
    if prices.per_message or prices.link is not None:
        others.append("messages")
    if prices.per_round:
        others.append("rounds")
    table = plain_table(title="No setting beats these in both samples and bits", title_style="bold")
    _numbers(table, "samples", "bits", *others, "cost")
    table.add_column("setting")
    for candidate in plan.curve:
        chosen, figures = candidate.setting == plan.setting, candidate.figures
        shown = [figures.samples, figures.payload_bits]
        shown += [getattr(figures, name) for name in others]
        table.add_row(
            *(_rounded(spread.mean) for spread in (*shown, figures.cost)),
            Text(candidate.setting.describe() + (" (the plan)" if chosen else "")),
            style="bold" if chosen else None,
        )
    return table


def _wrong(plan: Plan, *, is_narrow: bool) -> Table:
    table = plain_table(title="If the guess is wrong", title_style="bold")
    table.add_column("if")
    _numbers(table, "plan costs", "best costs", "ratio")
    if not is_narrow:
        table.add_column("best then")
    for misjudged in plan.misjudged:
        table.add_row(
            misjudged.what,
            "no answer" if misjudged.planned is None else _rounded(misjudged.planned.cost.mean),
            _rounded(misjudged.best_cost),
            _ratio(misjudged),
            *[Text(misjudged.best.setting.describe())] * (not is_narrow),
        )
    return table


def _ratio(misjudged: Misjudged) -> str:
    return "" if math.isinf(misjudged.regret) else f"{misjudged.regret:.2f}"


def _prices(plan: Plan) -> str:
    prices = plan.task.prices
    named = prices.in_words()
    if prices.link is not None:
        named.append(f"{prices.per_frame_unit:g} a {unit_of(prices.link)} on {prices.link.name}")
    if prices.pull_cost.packets:
        named.append(f"{prices.pull_cost.packets:,} packets a pull")
    return ", ".join(named)


def _guess(plan: Plan) -> str:
    task = plan.task
    ((word, value),) = task.guess.to_json().items()
    gaps = (
        f"{word.replace('_', ' ')} {value}"
        if not isinstance(value, list)
        else "gaps " + ", ".join(f"{gap:g}" for gap in value)
    )
    return f"{gaps}, {task.arms:,} arms, {plan.rewards}"


def _rounded(number: float) -> str:
    """A number with three digits that count, and commas."""
    if number == 0:
        return "0"
    if abs(number) >= 1e9:
        return f"{number:.3g}"
    digits = 2 - math.floor(math.log10(abs(number)))
    return f"{number:,.{min(max(digits, 0), 8)}f}"
