"""Compiled kernels are kept on disk: the number of their sources covers all that is in them."""

import ast
from pathlib import Path

from bitarm.sim import kernels
from bitarm.sim.kernels.compilation import CORE_FILES


def _imported(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_every_file_from_which_kernels_take_something_is_in_their_number() -> None:
    files = Path(kernels.__file__).parent.glob("*.py")
    modules = set().union(*map(_imported, files))
    beyond = {name for name in modules if name.startswith("bitarm.") and "kernels" not in name}
    core = {f"bitarm.core.{path.removesuffix('.py').replace('/', '.')}" for path in CORE_FILES}
    assert beyond == core
