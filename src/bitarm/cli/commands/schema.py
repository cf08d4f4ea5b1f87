"""`bitarm schema`: problem files that editors complete and check."""

import contextlib
import os
import shutil
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from bitarm.cli.exits import notify
from bitarm.cli.flags.problem import built_in_problem
from bitarm.errors import ConfigError

_MARK = "#:schema "


def add_to(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("schema")(schema_command)


def schema_command(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PROBLEM.toml", help="Files that are to name the schema"),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Make the files: copies of the built-in example")
    ] = False,
) -> None:
    """Make editors complete problem files: write into each which schema it follows.

    The first line of a file names the schema of this installation, for Taplo and Even Better TOML.
    Without a file, that line is printed.
    """
    line = f"{_MARK}{schema_file().as_uri()}"
    for file in files or ():
        text = _built_in(file) if new else _read(file)
        first, _, rest = text.partition("\n")
        _write(file, f"{line}\n{rest if first.startswith(_MARK) else text}")
        notify(f"{file} names the schema")
    if not files:
        typer.echo(line)


def schema_file() -> Path:
    """The JSON Schema of problem files that came with this installation."""
    return Path(str(resources.files("bitarm").joinpath("problem.schema.json")))


def _built_in(file: Path) -> str:
    if os.path.lexists(file):
        raise ConfigError(f"{file} exists: leave out --new to keep what is in it")
    return built_in_problem()


def _read(file: Path) -> str:
    """The text of a file that is TOML: a line more would spoil any other, such as a CSV."""
    try:
        text = file.read_bytes().decode("utf-8-sig")  # its line ends stay as they are
        tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(f"there is no {file}; --new makes it") from None
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {file}: it is no text in UTF-8, save it so") from None
    except (ValueError, RecursionError) as error:  # a number too long, lists too deep
        raise ConfigError(f"{file} was left as it is: not valid TOML: {error}") from None
    return text


def _write(file: Path, text: str) -> None:
    """Put a text in the place of a file, whole: a full disk must not take what was in it."""
    place = Path(os.path.realpath(file))  # what is a link stays one
    part = place.with_name(f".{place.name}.part")
    try:
        part.write_bytes(text.encode())
        if os.path.exists(place):
            shutil.copymode(place, part)
        part.replace(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise ConfigError(f"cannot write {file}: {error.strerror}") from None
