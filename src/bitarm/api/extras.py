"""Optional packages: found, or named together with what installs them."""

import importlib
import shlex
import sys
from pathlib import Path
from types import ModuleType

from bitarm.errors import MissingExtraError


def require(module: str, *, extra: str, what: str) -> ModuleType:
    """The module, or an error that says which extra brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # it is there, and something that it needs is not
        raise MissingExtraError(f"{what} needs {error.name}: {install_line(extra)}") from None


def install_line(extra: str) -> str:
    """A line for the shell that installs an extra for this Python, from a clone or not.

    A clone is no release: there the name of the package would find nothing, or another version.
    """
    python = shlex.quote(sys.executable)
    clone = Path(__file__).parents[3]
    if not (clone / "pyproject.toml").is_file():
        return f"{python} -m pip install 'bitarm[{extra}]'"
    return f"{python} -m pip install --editable {shlex.quote(f'{clone}[{extra}]')}"
