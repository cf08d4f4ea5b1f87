"""The program: which commands there are, which of them are loaded, and how it ends."""

import errno
import inspect
import io
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer
from typer.main import get_group

import bitarm
from bitarm.api.extras import require
from bitarm.cli.exits import Exit, exit_for, is_disk_fault, notify
from bitarm.errors import BitarmError

COMMANDS = (
    "identify",
    "simulate",
    "plan",
    "dashboard",
    "reproduce",
    "learner",
    "agent",
    "schema",
    "runs",
    "broker",
)
"""The commands in the order of the help: modules of `bitarm.cli.commands` that have `add_to`."""

_EXTENSIBLE = ("identify", "simulate", "plan", "learner")
"""Commands with a flag for each word of a scheme: other packages may bring more of these."""


def make_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands, and a flag for each word that is known by now."""
    app = typer.Typer(
        no_args_is_help=True,
        context_settings={"help_option_names": ["--help", "-h"]},
        pretty_exceptions_enable=False,
        help="Find the best of many options when every bit has a price.",
    )
    app.callback()(_common)
    for command in commands:
        import_module(f"bitarm.cli.commands.{command}").add_to(app)
    _join_lines(app)
    return app


def _join_lines(app: typer.Typer) -> None:
    """Let paragraphs of help flow: typer keeps a docstring's own lines in all but the first."""
    for command in app.registered_commands:
        if command.callback is not None:
            text = command.help or inspect.getdoc(command.callback) or ""
            command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _join_lines(group.typer_instance)


def _app_for(typed: Sequence[str]) -> typer.Typer:
    """The program with the one command that was typed; with all of them if none was.

    A flag that the command does not have may be another package's: then these are imported, too.
    """
    if not typed or typed[0] not in COMMANDS:
        return make_app()
    command = typed[0]
    app = make_app([command])
    if command in _EXTENSIBLE and not _flags_typed(typed[1:]) <= _flags_of(app, command):
        from bitarm.core.vocabulary import import_plugins  # here: an agent needs no schemes

        for fault in import_plugins():
            notify(fault)
        app = make_app([command])
    return app


def _flags_typed(words: Sequence[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--") and word != "--"}


def _flags_of(app: typer.Typer, command: str) -> set[str]:
    """Every flag of a command but --help: who asks for help wants to see all that there can be."""
    parameters = get_group(app).commands[command].params
    return {flag for one in parameters for flag in (*one.opts, *one.secondary_opts)}


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bitarm {bitarm.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and exit"
        ),
    ] = False,
) -> None:
    """Find the best of many options when every bit has a price."""


def _print_anywhere() -> None:
    """Print `?` where a terminal's characters lack a sign such as ±, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # and no program's that calls us
            stream.reconfigure(errors="replace")


def run() -> int:
    """Run the command line, `sys.argv`; returns the exit code."""
    _print_anywhere()
    try:
        code = _run()
        if sys.stdout is not None:  # it may have been closed from the start
            sys.stdout.flush()  # while somebody can still be told that it fails
    except OSError as error:
        if not is_disk_fault(error) and error.errno != errno.EPIPE:
            raise
        with suppress(OSError):
            sys.stdout.close()  # or Python would try again at its end
        if error.errno == errno.EPIPE:
            return Exit.DECIDED  # the reader of our output went away: nobody is left to tell
        notify(f"the output could not be written: {error.strerror}")
        return Exit.INTERNAL
    return code


def _run() -> int:
    try:
        for package in ("rich", "platformdirs"):
            require(package, extra="cli", what="the command line")
        # Shows usage errors itself (exit code 2), turns Ctrl-C into 130, and always exits.
        _app_for(sys.argv[1:])()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return Exit.DECIDED  # the reader of our output went away: nobody is left to tell
        if end.__context__ is not None and isinstance(end.__context__.__cause__, KeyboardInterrupt):
            notify("interrupted")  # where a command had nothing better to say of it
        return end.code if isinstance(end.code, int) else Exit.DECIDED
    except KeyboardInterrupt:
        notify("interrupted")
        return Exit.INTERRUPTED
    except BitarmError as error:
        notify(str(error))
        return exit_for(error)
    except Exception as error:
        if is_disk_fault(error):
            raise
        traceback.print_exc()
        notify("this is a defect of bitarm, not of your input: please report the lines above")
        return Exit.INTERNAL
    raise AssertionError("a command line always exits")
