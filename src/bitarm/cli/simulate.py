"""`bitarm simulate`: Monte Carlo of one setting or a sweep. The work is in `cli/sweeping.py`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bitarm.api.extras import require
from bitarm.cli.logs import LogLevel, configure


def _swept(text: str) -> Any:
    return typer.Option(help=f"{text}; a comma list sweeps", show_default=False, metavar="LIST")


def simulate_command(
    context: typer.Context,
    problem: Annotated[
        Path | None, typer.Argument(metavar="[PROBLEM.toml]", help="A problem file with models")
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(metavar="FAMILY:MEANS", help="Arms in one line, such as bernoulli:0.7,0.5"),
    ] = None,
    sd: Annotated[float | None, typer.Option(help="Deviation of gaussian arms")] = None,
    concentration: Annotated[float | None, typer.Option(help="p + q of beta arms")] = None,
    delta: Annotated[str | None, _swept("Allowed probability of a wrong answer")] = None,
    sigma: Annotated[str | None, _swept("Sub-Gaussian parameter")] = None,
    bounds: Annotated[
        tuple[float, float] | None, typer.Option(metavar="A B", help="Range of the rewards")
    ] = None,
    epsilon: Annotated[str | None, _swept("Tolerance")] = None,
    pull_budget: Annotated[
        str | None, _swept("Pulls of all arms together, in place of delta (halving, rejects)")
    ] = None,
    bit_budget: Annotated[
        str | None, _swept("Payload bits of all arms together (with --pull-budget)")
    ] = None,
    quantizer: Annotated[
        str | None, _swept("dicq, icq, quban, fed-sel, fed-sel-paper, exact")
    ] = None,
    bits: Annotated[str | None, _swept("Bits of a message (icq)")] = None,
    epsilon_quban: Annotated[str | None, _swept("Step size of quban")] = None,
    kappa: Annotated[str | None, _swept("Step size of dicq")] = None,
    kappa_first: Annotated[str | None, _swept("Step size of dicq's first message")] = None,
    kappa_cut: Annotated[str | None, _swept("Step size of dicq above a cut")] = None,
    prior: Annotated[str | None, _swept("uniform, midpoint, lower, quban (icq)")] = None,
    policy: Annotated[
        str | None,
        _swept("quiet, se, lucb, lil-ucb, lil-ucb-count, sequential-halving, successive-rejects"),
    ] = None,
    cap: Annotated[str | None, _swept("Longest jump, as a factor of the pulls (quiet)")] = None,
    patience: Annotated[
        str | None, _swept("How sure a drop must seem to be asked for (quiet)")
    ] = None,
    leader_first: Annotated[
        str | None, _swept("yes, no: the leader reports before the others (quiet)")
    ] = None,
    pilot: Annotated[
        str | None, _swept("yes, no: one arm reports before all others (quiet)")
    ] = None,
    width: Annotated[str | None, _swept("paper, lil, pairwise, pairwise-mixture")] = None,
    interval_delta: Annotated[
        str | None, _swept("Sizes icq's intervals under a budget; guarantees nothing")
    ] = None,
    growth: Annotated[str | None, _swept("Factor between two checkpoints")] = None,
    first: Annotated[str | None, _swept("Pulls up to the first checkpoint")] = None,
    max_rounds: Annotated[str | None, _swept("Limit on rounds")] = None,
    max_samples: Annotated[str | None, _swept("Limit on samples")] = None,
    max_bits: Annotated[str | None, _swept("Limit on bits")] = None,
    trials: Annotated[int, typer.Option(help="Trials of every setting")] = 1000,
    seed: Annotated[int | None, typer.Option(help="Makes the numbers repeatable")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a core", show_default=False)
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where finished chunks are kept", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a row a setting")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the results (.png, .svg, .pdf)")
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="What to log on stderr")] = LogLevel.WARNING,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines")] = False,
) -> None:
    """Monte Carlo: mean and standard error of the price, and how often the answer is wrong."""
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a simulation")
    from bitarm.cli.sweeping import Output, run_sweep  # here: it loads a compiler

    run_sweep(
        problem,
        arms,
        {"sd": sd, "concentration": concentration},
        dict(context.params),  # in the order in which they were typed
        Output(as_json=as_json, as_csv=as_csv, plot=plot),
        trials=trials,
        seed=seed,
        workers=workers,
        cluster=cluster,
        cache=cache,
    )
