"""Where runs and finished chunks are kept unless told otherwise."""

from pathlib import Path
from typing import Annotated

import platformdirs
import typer

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="Journal of runs; by default in your data folder"),
]


def store_path(given: Path | None) -> Path:
    """The journal to use."""
    return given or Path(platformdirs.user_data_dir("bitarm", appauthor=False)) / "runs.sqlite"


def chunk_folder(given: Path | None) -> Path:
    """Where a simulation's finished chunks go."""
    return given or Path(platformdirs.user_cache_dir("bitarm", appauthor=False)) / "chunks"
