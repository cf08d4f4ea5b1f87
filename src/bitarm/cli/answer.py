"""The end of a run in words: the answer, its guarantee and its price."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bitarm.core.policy import Outcome
from bitarm.core.result import RunResult

_WHY_NO_ANSWER = {
    Outcome.ROUND_LIMIT: "the limit on rounds was reached",
    Outcome.SAMPLE_LIMIT: "the limit on samples was reached",
    Outcome.BIT_LIMIT: "the limit on bits was reached",
    Outcome.AGENT_LOST: "an agent was lost",
    Outcome.BUDGET_SPENT: "the budget is spent",
    Outcome.INTERRUPTED: "the run was interrupted",
}
_MOST_NAMES = 8


def print_answer(console: Console, result: RunResult, *, run: int | None) -> None:
    """Print the result of a run for a person."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("best arm", Text(_answer(result), style="bold green" if _decided(result) else ""))
    grid.add_row("guarantee", Text(_claim(result)))
    grid.add_row("rounds", f"{result.rounds:,}")
    grid.add_row("samples", f"{result.samples:,}")
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
    grid.add_row("raw rewards", _raw(result))
    grid.add_row("scheme", Text(_scheme(result)))
    grid.add_row("seed", str(result.seed))
    if run is not None:
        grid.add_row("run", f"{run} ({result.fingerprint})")
    console.print()
    console.print(grid)


def _decided(result: RunResult) -> bool:
    return result.outcome is Outcome.DECIDED


def _answer(result: RunResult) -> str:
    if _decided(result):
        return f"{result.best_arm_name} (arm {result.best_arm})"
    names = ", ".join(result.contenders[:_MOST_NAMES])
    more = len(result.contenders) - _MOST_NAMES
    rest = f" and {more:,} more" if more > 0 else ""
    return f"none: {_WHY_NO_ANSWER[result.outcome]}. Still in the race: {names}{rest}"


def _claim(result: RunResult) -> str:
    return result.guarantee_reason if result.guarantee else f"none: {result.guarantee_reason}"


def _payload(result: RunResult) -> str:
    padded = "" if result.payload_bytes is None else f" ({result.payload_bytes:,} bytes padded)"
    return f"{result.payload_bits:,} bits{padded}"


def _raw(result: RunResult) -> str:
    """What the same rewards would have cost if each had been sent."""
    text = f"{result.raw_bytes:,} bytes if each reward were sent as a float64"
    if result.payload_bits:
        text += f": {8 * result.raw_bytes / result.payload_bits:,.0f} times the payload"
    return text


def _scheme(result: RunResult) -> str:
    bits = "" if result.bits is None else f" at {result.bits} bit{'s' * (result.bits > 1)}"
    return (
        f"{result.quantizer}{bits} under {result.policy}, width {result.width}, "
        f"delta {result.delta:g}, sigma {result.sigma:g}"
    )
