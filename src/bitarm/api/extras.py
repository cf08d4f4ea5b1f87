"""Optional packages: found, or named together with what installs them."""

import importlib
from types import ModuleType

from bitarm.errors import MissingExtraError


def require(module: str, *, extra: str, what: str) -> ModuleType:
    """The module, or an error that says which extra brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingExtraError(f"{what} needs {module}: pip install 'bitarm[{extra}]'") from None
