"""Results as a notebook or a prompt shows them: small tables of HTML, or a few lines."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from bitarm.core.outcome import Outcome
from bitarm.core.result import RunResult
from bitarm.core.vocabulary import labels

_MOST_ARMS = 50  # rows of a table; a notebook is no place for thousands


def result_html(result: RunResult) -> str:
    """The answer or the best guess, its price, and a row for each arm."""
    rows = (
        (
            arm.name,
            _number(arm.mean),
            _number(arm.radius),
            f"{arm.pulls:,}",
            f"{arm.payload_bits:,}",
            _state(result, number),
        )
        for number, arm in enumerate(result.arms[:_MOST_ARMS])
    )
    hidden = len(result.arms) - _MOST_ARMS
    return (
        f"<div><p><strong>{escape(_answer(result))}</strong><br>{escape(_price(result))}<br>"
        f"<small>{escape(result.guarantee_reason)}</small></p>"
        + _table(("arm", "mean", "±", "pulls", "bits", ""), rows)
        + (f"<p>and {hidden:,} more arms</p>" if hidden > 0 else "")
        + "</div>"
    )


def result_lines(result: RunResult) -> str:
    """The answer, its price and its guarantee, a line each: for a prompt and for `print`."""
    return "\n".join((_answer(result), _price(result), result.guarantee_reason))


def simulation_html(trials: int, seed: int, settings: Sequence[Mapping[str, Any]]) -> str:
    """A row for each setting of a sweep: its label, what it cost, how often it was wrong."""
    rows = (
        (
            label,
            *(_number(point[name]["mean"]) for name in ("rounds", "samples", "payload_bits")),
            _number(point["error_rate"]["value"]),
            f"{point['undecided']:,}",
        )
        for label, point in zip(labels(list(settings)), settings, strict=True)
    )
    titles = ("setting", "rounds", "samples", "bits", "error rate", "undecided")
    return f"<div><p>{trials:,} trials, seed {seed}</p>{_table(titles, rows)}</div>"


def simulation_lines(trials: int, seed: int, settings: Sequence[Mapping[str, Any]]) -> str:
    """The settings of a simulation, a line each: for a prompt and for `print`."""
    return "\n".join(
        (
            f"{trials:,} trials, seed {seed}",
            *(
                f"{label}: {_number(point['samples']['mean'])} samples, "
                f"{_number(point['payload_bits']['mean'])} bits, "
                f"{_number(point['rounds']['mean'])} rounds, "
                f"error rate {_number(point['error_rate']['value'])}"
                for label, point in zip(labels(list(settings)), settings, strict=True)
            ),
        )
    )


def _answer(result: RunResult) -> str:
    if result.best_arm_name is not None:
        kind = "Best guess" if result.outcome is Outcome.BUDGET_SPENT else "Best arm"
        return f"{kind}: {result.best_arm_name}"
    leads = "" if result.leader_name is None else f"; {result.leader_name} leads"
    if result.lead == 0:
        leads = f"; {result.leader_name} level with {result.runner_up_name}"
    elif result.lead is not None:
        leads += f" {result.runner_up_name} by {result.lead:.4g}"
    return f"No answer: {result.outcome.value.replace('_', ' ')}{leads}"


def _price(result: RunResult) -> str:
    rounds = f"{result.rounds:,} round{'s' * (result.rounds != 1)}"
    return f"{result.samples:,} samples, {rounds}, {result.payload_bits:,} payload bits"


def _state(result: RunResult, number: int) -> str:
    arm = result.arms[number]
    if number == result.best_arm:
        return "best"
    if arm.lost_in is not None:
        return f"lost in round {arm.lost_in}"
    if arm.dropped_in is not None:
        return f"out in round {arm.dropped_in}"
    return "leads" if number == result.leader else "in"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _table(titles: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
