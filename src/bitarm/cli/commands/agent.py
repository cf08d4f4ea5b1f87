"""`bitarm agent`: the arms of one agent, served over a broker."""

import json
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from bitarm.api.network import PATIENCE, AgentEnd, run_agent
from bitarm.api.problem import load_arms
from bitarm.cli.exits import Exit, complain
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
from bitarm.cli.logs import LogLevel, configure
from bitarm.core.messages import Cause
from bitarm.core.schedule import MAX_PULLS
from bitarm.wire.topics import check_agent

_WORDS = {
    Cause.DROPPED: "is out of the race: no more rewards are needed",
    Cause.ENDED: "was in the race to the end: the run is over",
}


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
    connect_within: ConnectWithinOption = PATIENCE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the end as JSON")] = False,
    log_level: LogLevelOption = LogLevel.INFO,
    log_json: LogJsonOption = False,
) -> None:
    """Serve the arms of one agent until they are dismissed; go on where it left off."""
    configure(log_level, as_json=log_json)
    end = run_agent(
        load_arms(problem),
        agent=check_agent(agent),
        name=run,
        broker=broker_of(broker, user or agent, password_file, ca),
        state=state or Path(platformdirs.user_data_dir("bitarm", appauthor=False)) / "agents",
        seed=seed,
        most_pulls=most_pulls,
        patience=connect_within,
    )
    _show(end, as_json=as_json)
    raise typer.Exit(Exit.INTERRUPTED if end.stopped else Exit.DECIDED)


def _show(end: AgentEnd, *, as_json: bool) -> None:
    if as_json:
        arms = {name: cause.value for name, cause in end.causes.items()}
        typer.echo(json.dumps({"stopped": end.stopped, "dismissed": arms}))
        return
    for name, cause in end.causes.items():
        typer.echo(f"{name} {_WORDS[cause]}")
    if end.over:
        typer.echo("the run ended while this agent was away")
    if end.stopped:
        complain("stopped; start the agent again to go on where it was")
