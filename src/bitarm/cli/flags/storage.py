"""Where runs and finished chunks of sweeps are kept: as a flag says, or in the user's folders."""

from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from bitarm.cli.flags.output import OUTPUT

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Journal of runs; else in your data folder",
        rich_help_panel=OUTPUT,
    ),
]


def store_path(given: Path | None) -> Path:
    """The file of the journal: the one given, or `runs.sqlite` in the user's data folder."""
    return given or Path(platformdirs.user_data_dir("bitarm", appauthor=False)) / "runs.sqlite"


def chunk_folder(given: Path | None) -> Path:
    """The folder for finished chunks of a sweep: the one given, or one in the user's cache."""
    return given or Path(platformdirs.user_cache_dir("bitarm", appauthor=False)) / "chunks"
