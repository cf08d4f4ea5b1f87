"""All commands in one program, and how it ends."""

import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

import bitarm
from bitarm.api.words import import_plugins
from bitarm.cli.commands import broker, runs
from bitarm.cli.commands.agent import agent_command
from bitarm.cli.commands.dashboard import dashboard
from bitarm.cli.commands.identify import identify
from bitarm.cli.commands.learner import learner_command
from bitarm.cli.commands.plan import plan_command
from bitarm.cli.commands.reproduce import reproduce_command
from bitarm.cli.commands.simulate import simulate_command
from bitarm.cli.exits import Exit, complain, exit_for
from bitarm.cli.flags.words import flags_of, with_fixed_words, with_swept_words, with_words
from bitarm.errors import BitarmError
from bitarm.planner.fixed import is_planned

_WITH_WORDS: dict[str, Callable[..., None]] = {
    "identify": identify,
    "simulate": simulate_command,
    "learner": learner_command,
    "plan": plan_command,
}


def make_app() -> typer.Typer:
    """All commands, with a flag for each word that is known by now."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Find the best of many options when every bit has a price.",
    )
    app.callback()(_common)
    app.command("identify")(with_words(identify))
    app.command("simulate")(with_swept_words(simulate_command))
    app.command("plan")(with_fixed_words(plan_command, is_planned))
    app.command("dashboard")(dashboard)
    app.command("reproduce")(reproduce_command)
    app.command("learner")(with_words(learner_command))
    app.command("agent")(agent_command)
    app.add_typer(runs.app, name="runs")
    app.add_typer(broker.app, name="broker")
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bitarm {bitarm.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which")
    ] = False,
) -> None:
    """Find the best of many options when every bit has a price."""


def _meet_plugins(typed: Sequence[str]) -> None:
    """Import what other packages offer if a flag may be theirs, or if all flags are wanted."""
    command = _WITH_WORDS.get(typed[0]) if typed else None
    if command is None:
        return
    flags = {word.partition("=")[0] for word in typed[1:] if word.startswith("--") and word != "--"}
    if not flags <= flags_of(command):  # --help is none of them
        for fault in import_plugins():
            complain(fault)


def run() -> int:
    """Run the command line; returns the exit code."""
    try:
        _meet_plugins(sys.argv[1:])
        # Shows usage errors itself (exit code 2), turns Ctrl-C into 130, and always exits.
        make_app()()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return Exit.DECIDED  # the reader of our output went away: nobody is left to tell
        return end.code if isinstance(end.code, int) else Exit.DECIDED
    except KeyboardInterrupt:
        complain("interrupted")
        return Exit.INTERRUPTED
    except BitarmError as error:
        complain(str(error))
        return exit_for(error)
    except Exception:
        traceback.print_exc()
        complain("this is a defect of bitarm, not of your input: please report the lines above")
        return Exit.INTERNAL
    raise AssertionError("a command line always exits")
