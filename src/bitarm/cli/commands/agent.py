"""`bitarm agent`: the arms of one agent, served over a broker."""

import json
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from bitarm.api.arm_tables import load_arms, refuse_code
from bitarm.api.network.agent import AgentEnd, run_agent
from bitarm.api.network.drive import PATIENCE
from bitarm.cli.exits import Exit, notify
from bitarm.cli.flags.connection import (
    AuthorityOption,
    BrokerOption,
    ConnectWithinOption,
    PasswordOption,
    RunNameOption,
    UserOption,
    broker_of,
)
from bitarm.cli.flags.output import LogJsonOption, LogLevelOption
from bitarm.cli.flags.trust import NoCodeOption
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.metrics.figures import broker_health, service_measures
from bitarm.cli.metrics.option import MetricsOption, metrics_at
from bitarm.core.messages import Cause
from bitarm.core.outcome import WHY_NO_ANSWER, Outcome
from bitarm.core.schedule import MAX_PULLS
from bitarm.peer_log import printable
from bitarm.runtime.observed import ServiceFigures
from bitarm.wire.topics import check_agent

_CAUSES = {
    Cause.DROPPED: "is out of the race: no more rewards are needed",
    Cause.ENDED: "was dismissed at the end",  # in the race by then, or lost: it cannot know
}
_ENDS: dict[Outcome | None, str] = {
    None: "the run is over",
    Outcome.DECIDED: "the run is over: it has an answer",
    Outcome.BUDGET_SPENT: "the run is over: its budget is spent, and it has an answer",
    **{
        outcome: f"the run ended without an answer: {why}" for outcome, why in WHY_NO_ANSWER.items()
    },
}
"""The last line of an agent whose run is over, by how it ended; None: nobody told."""


def add_to(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("agent")(agent_command)


def agent_command(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM.toml", help="Names this agent's arms and rewards")
    ],
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="Which agent this is")],
    run: RunNameOption,
    broker: BrokerOption,
    user: UserOption = None,
    password_file: PasswordOption = None,
    ca: AuthorityOption = None,
    seed: Annotated[
        int | None, typer.Option(help="The run's seed: refuse a run that has another")
    ] = None,
    most_pulls: Annotated[
        int, typer.Option(metavar="N", help="Refuse a question that takes more pulls than this")
    ] = MAX_PULLS,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where it keeps its memory; by default your data"),
    ] = None,
    no_code: NoCodeOption = False,
    metrics: MetricsOption = None,
    connect_within: ConnectWithinOption = PATIENCE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the end as JSON")] = False,
    log_level: LogLevelOption = LogLevel.INFO,
    log_json: LogJsonOption = False,
) -> None:
    """Serve the arms of one agent until they are dismissed; go on where it left off.

    Ends with 0 if its arms are out of the race or the run has an answer, 3 if the run ended without
    one, 130 if it was stopped itself.
    """
    configure(log_level, as_json=log_json, about={"run": run, "agent": agent})
    task = load_arms(problem)
    if no_code:
        refuse_code(arm for arm in task.arms if arm.agent == agent)  # no others are opened here
    figures = ServiceFigures()
    with metrics_at(metrics, lambda: service_measures(figures), lambda: broker_health(figures)):
        end = run_agent(
            task,
            agent=check_agent(agent),
            name=run,
            broker=broker_of(broker, user or agent, password_file, ca),
            state=state or Path(platformdirs.user_data_dir("bitarm", appauthor=False)) / "agents",
            seed=seed,
            most_pulls=most_pulls,
            patience=connect_within,
            figures=figures,
        )
    _show(end, as_json=as_json)
    raise typer.Exit(_exit_for(end))


def _exit_for(end: AgentEnd) -> Exit:
    if end.stopped:
        return Exit.INTERRUPTED
    has_answer = end.outcome in (None, Outcome.DECIDED, Outcome.BUDGET_SPENT)
    return Exit.DECIDED if has_answer else Exit.NO_ANSWER


def _show(end: AgentEnd, *, as_json: bool) -> None:
    if as_json:
        arms = {name: cause.value for name, cause in end.causes.items()}
        outcome = None if end.outcome is None else end.outcome.value
        typer.echo(json.dumps({"stopped": end.stopped, "dismissed": arms, "outcome": outcome}))
        return
    for name, cause in end.causes.items():
        typer.echo(f"{printable(name)} {_CAUSES[cause]}")
    if end.stopped:
        notify("stopped; start the agent again to go on where it was")
    elif end.over:
        typer.echo(f"{_ENDS[end.outcome]}, while this agent was away")
    elif Cause.ENDED in end.causes.values():
        typer.echo(_ENDS[end.outcome])
    else:
        typer.echo("the run goes on without this agent")
