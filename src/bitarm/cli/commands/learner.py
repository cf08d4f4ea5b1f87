"""`bitarm learner`: a run with agents over a broker, shown as `identify` shows one."""

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from bitarm.api.network.drive import PATIENCE
from bitarm.api.network.learner import LearnerEnd, resume_learner, run_learner
from bitarm.api.problem import Problem, load_problem
from bitarm.api.table_words import NetworkWords
from bitarm.cli.exits import Exit, exit_for_outcome, notify
from bitarm.cli.flags.connection import (
    AuthorityOption,
    BrokerOption,
    ConnectWithinOption,
    PasswordOption,
    UserOption,
    broker_of,
)
from bitarm.cli.flags.output import LogJsonOption, LogLevelOption, ResultJsonOption
from bitarm.cli.flags.problem import LinkOption
from bitarm.cli.flags.storage import StoreOption, store_path
from bitarm.cli.flags.words import Words, by_table, with_words
from bitarm.cli.journal_place import JournalPlace
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.metrics.figures import (
    Measure,
    broker_health,
    fleet_measures,
    journal_measures,
    service_measures,
)
from bitarm.cli.metrics.option import MetricsOption, metrics_at
from bitarm.cli.metrics.run_figures import RunFigures
from bitarm.cli.show.result import show_result
from bitarm.cli.show.watching import watching
from bitarm.core.words import words_of
from bitarm.errors import ConfigError
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.observed import ServiceFigures
from bitarm.store import SqliteJournal, find_run
from bitarm.wire.topics import LEARNER

_MOST_NAMES = 8
_NETWORK = words_of(NetworkWords)


def add_to(app: typer.Typer) -> None:
    """Add the command to the program, with a flag for each word of a scheme."""
    app.command("learner")(with_words(learner_command))


def learner_command(
    context: typer.Context,
    broker: BrokerOption,
    problem: Annotated[
        Path | None, typer.Argument(metavar="PROBLEM.toml", help="What is to be found out")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", help="The run's name, the same on both sides"),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Go on with a run of the journal: its number, or 'last'"),
    ] = None,
    user: UserOption = None,
    password_file: PasswordOption = None,
    ca: AuthorityOption = None,
    lost: Annotated[str | None, typer.Option(help=_NETWORK["lost"].word.help)] = None,
    lost_after: Annotated[float | None, typer.Option(help=_NETWORK["lost_after"].word.help)] = None,
    join_within: Annotated[
        float | None, typer.Option(help=_NETWORK["join_within"].word.help)
    ] = None,
    link: LinkOption = None,
    via: Annotated[str | None, typer.Option(help=_NETWORK["via"].word.help)] = None,
    application: Annotated[
        str | None, typer.Option(metavar="ID", help=_NETWORK["application"].word.help)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the run repeatable")] = None,
    store: StoreOption = None,
    metrics: MetricsOption = None,
    connect_within: ConnectWithinOption = PATIENCE,
    as_json: ResultJsonOption = False,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
    *,
    words: Words,
) -> None:
    """Find the best arm with agents over a broker; a live table, then the answer and its price.

    Ctrl-C ends the run and tells the agents; SIGTERM, or a terminal that is closed, leaves it to be
    resumed.
    """
    configure(log_level, as_json=log_json)
    network = {
        "lost": lost,
        "lost_after": lost_after,
        "join_within": join_within,
        "link": link,
        "via": via,
        "application": application,
    }
    overrides = by_table(words)
    overrides["network"] = {word: value for word, value in network.items() if value is not None}
    address = broker_of(broker, user or LEARNER, password_file, ca)
    screen = Console(stderr=True)
    table_on = screen if screen.is_terminal and not as_json else None
    path, figures, progress = store_path(store), ServiceFigures(), RunFigures()

    def measures() -> list[Measure]:
        ours = [*service_measures(figures), *fleet_measures(figures)]
        return [*progress.measures(), *ours, *journal_measures(path)]

    with contextlib.closing(SqliteJournal.open(path)) as journal:
        place = JournalPlace(path)
        with (
            metrics_at(metrics, measures, lambda: broker_health(figures) or place.trouble()),
            watching(progress.watch, place.watch, table_on=table_on) as watch,
        ):
            if resume is not None:
                _refuse_beside_resume(problem, run, seed, overrides)
                number = find_run(journal, resume).run
                end = resume_learner(
                    journal,
                    number,
                    broker=address,
                    watch=watch,
                    patience=connect_within,
                    figures=figures,
                )
            else:
                task, name = _new_run(problem, run, overrides)
                if screen.is_terminal:
                    screen.print(_invitation(task, name, address))
                end = run_learner(
                    task,
                    name=name,
                    broker=address,
                    journal=journal,
                    seed=seed,
                    watch=watch,
                    patience=connect_within,
                    figures=figures,
                )
        _conclude(end, as_json=as_json)


def _new_run(
    problem: Path | None, name: str | None, overrides: dict[str, dict[str, Any]]
) -> tuple[Problem, str]:
    if problem is None or name is None:
        raise ConfigError("a new run needs a problem file and a name (--run); or use --resume")
    return load_problem(problem, overrides), name


def _invitation(problem: Problem, name: str, broker: Broker) -> Text:
    """What to start elsewhere, before there is anything to see."""
    agents = sorted({arm.agent for arm in problem.arms})
    shown = ", ".join(agents[:_MOST_NAMES]) + (" …" if len(agents) > _MOST_NAMES else "")
    start = (
        f"started with: bitarm agent PROBLEM.toml --agent NAME --run {name} --broker {broker.url}"
    )
    if problem.network.get("via") == "chirpstack":
        start = f"a device of ChirpStack's application {problem.network.get('application')}"
    return Text(
        f"run {name}: {len(problem.arms):,} arms, {len(agents):,} agents: {shown}\n"
        f"each is {start}\n"
    )


def _refuse_beside_resume(
    problem: Path | None,
    name: str | None,
    seed: int | None,
    overrides: dict[str, dict[str, Any]],
) -> None:
    """A run that goes on has its settings from the journal: others would be ignored."""
    given = [name, seed, problem, *(value for words in overrides.values() for value in words)]
    if any(value is not None for value in given):
        raise ConfigError(
            "--resume takes the problem, the name, the seed and the rules from the journal: "
            "leave them out"
        )


def _conclude(end: LearnerEnd, *, as_json: bool) -> None:
    if end.result is None:
        notify(f"stopped; the run waits: go on with bitarm learner --resume {end.run}")
        raise typer.Exit(Exit.INTERRUPTED)
    show_result(end.result, run=end.run, as_json=as_json, ledger=end.ledger)
    raise typer.Exit(exit_for_outcome(end.result.outcome))
