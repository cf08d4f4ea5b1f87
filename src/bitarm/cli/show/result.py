"""How a run ended: the answer, its guarantee and its price."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from bitarm.cli.show.link import link_json, print_link
from bitarm.cli.show.tables import facts_table
from bitarm.core.outcome import WHY_NO_ANSWER, Outcome
from bitarm.core.result import RunResult
from bitarm.core.widths import WIDTHS
from bitarm.links.cost import LinkLedger
from bitarm.peer_log import printable

_MOST_NAMES = 8


def show_result(
    result: RunResult,
    *,
    run: int,
    as_json: bool,
    ledger: LinkLedger | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print how a run ended, for a person or as JSON for a program.

    `ledger` adds its cost on a link; `more` is added to the JSON alone.
    """
    if as_json:
        cost = {} if ledger is None else {"link": link_json(ledger.fleet())}
        typer.echo(json.dumps({"run": run, **result.to_json(), **cost, **more}))
        return
    print_answer(Console(), result, run=run)
    if ledger is not None:
        print_link(Console(), ledger.fleet())


def print_answer(console: Console, result: RunResult, *, run: int) -> None:
    """Print the result of a run for a person; `run` is its number in the journal."""
    grid = facts_table()
    grid.add_row(_title(result), Text(printable(_answer(result)), style=_style(result)))
    for title, text in _outlook(result):
        grid.add_row(title, Text(printable(text)))
    grid.add_row("guarantee", Text(printable(_claim(result))))
    grid.add_row("rounds", f"{result.rounds:,}")
    grid.add_row("samples", f"{'at most ' if result.samples_at_most else ''}{result.samples:,}")
    grid.add_row("payload", _payload(result))
    if result.wire_bytes is not None:
        grid.add_row(
            "on the wire",
            f"{result.wire_bytes.up:,} bytes up, {result.wire_bytes.down:,} bytes down",
        )
    if result.mqtt_bytes is not None:
        grid.add_row(
            "with MQTT", f"{result.mqtt_bytes.up:,} bytes up, {result.mqtt_bytes.down:,} bytes down"
        )
    if result.tcp_ip_bytes_estimated is not None:
        up, down = result.tcp_ip_bytes_estimated.up, result.tcp_ip_bytes_estimated.down
        grid.add_row("with TCP/IP", f"about {up:,} bytes up, {down:,} bytes down (estimated)")
    if result.restarts:
        grid.add_row(
            "restarts", f"{result.restarts:,}, {result.discarded_batches:,} live batches lost"
        )
    if result.forgotten:
        grid.add_row("forgotten", f"live rewards of an arm, {result.forgotten:,} times")
    grid.add_row("raw rewards", _raw(result))
    grid.add_row("scheme", Text(printable(_scheme(result))))
    grid.add_row("seed", str(result.seed))
    grid.add_row("run", f"{run} ({result.fingerprint})")
    console.print()
    console.print(grid)


def _title(result: RunResult) -> str:
    """A budget that is spent leaves a best guess, not a best arm."""
    return "best guess" if result.outcome is Outcome.BUDGET_SPENT else "best arm"


def _style(result: RunResult) -> str:
    if result.outcome is Outcome.DECIDED:
        return "bold green"
    return "bold" if result.best_arm is not None else ""


def _answer(result: RunResult) -> str:
    if result.best_arm is not None:
        spent = ", as the budget is spent" if result.outcome is Outcome.BUDGET_SPENT else ""
        return f"{result.best_arm_name} (arm {result.best_arm}){spent}"
    in_race = _listed(result.contenders)
    return f"none: {WHY_NO_ANSWER[result.outcome]}. Still in the race: {in_race}"


def _outlook(result: RunResult) -> list[tuple[str, str]]:
    """What is known where there is no answer: the best guess, who is out, the cost of deciding."""
    if result.best_arm is not None:
        return []
    lines = []
    if result.leader_name is not None:
        over = f", by {result.lead:.4g} over {result.runner_up_name}" if result.lead else ""
        tied = f", level with {result.runner_up_name}" if result.lead == 0 else ""
        lines.append(("best guess", f"{result.leader_name}{over}{tied}; nothing is proven of it"))
    if result.excluded:
        why = result.excluded_reason
        claim = why if result.excluded_guarantee else f"no guarantee, as {why}"
        lines.append(("not best", f"{_listed(result.excluded)}: {claim}"))
    if result.to_decide is not None:
        cost = result.to_decide
        lines.append(
            (
                "to decide",
                f"about {_rounded(cost.samples)} samples and {_rounded(cost.payload_bits)} bits "
                f"more, {cost.rule}",
            )
        )
    return lines


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _rounded(number: int) -> str:
    """An estimate in two digits."""
    return f"{float(f'{number:.2g}'):,.0f}"


def _claim(result: RunResult) -> str:
    return result.guarantee_reason if result.guarantee else f"none: {result.guarantee_reason}"


def _payload(result: RunResult) -> str:
    padded = "" if result.payload_bytes is None else f" ({result.payload_bytes:,} bytes padded)"
    least = "at least " if result.restored else ""  # an older journal does not know what it lost
    return f"{least}{result.payload_bits:,} bits{padded}"


def _raw(result: RunResult) -> str:
    """How many bytes it takes to send every reward, and how many times the payload that is."""
    text = f"{result.raw_bytes:,} bytes if each reward were sent as a float64"
    if result.payload_bits:
        text += f": {8 * result.raw_bytes / result.payload_bits:,.0f} times the payload"
    return text


def _scheme(result: RunResult) -> str:
    bits = "" if result.bits is None else f" at {result.bits} bit{'s' * (result.bits > 1)}"
    needs_sigma = result.width is None or WIDTHS[result.width].needs_sigma
    words = {
        "width": result.width,
        "delta": result.delta,
        "interval delta": result.interval_delta,
        "pull budget": result.pull_budget,
        "bit budget": result.bit_budget,
        "sigma": result.sigma if needs_sigma else None,
    }
    said = [f"{word} {_plainly(value)}" for word, value in words.items() if value is not None]
    return ", ".join((f"{result.quantizer}{bits} under {result.policy}", *said))


def _plainly(value: float | int | str) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else value
