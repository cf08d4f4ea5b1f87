"""Compiled kernels are kept on disk: the number of their sources covers all that is in them."""

import ast
from pathlib import Path

from bitarm.sim import kernels
from bitarm.sim.kernels.code import CORE_FILES


def _imported(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {it.module or "" for it in nodes if isinstance(it, ast.ImportFrom)}


def test_every_file_from_which_kernels_take_something_is_in_their_number() -> None:
    files = Path(kernels.__file__).parent.glob("*.py")
    modules = set().union(*map(_imported, files))
    beyond = {it for it in modules if it.startswith("bitarm.") and "kernels" not in it}
    core = {f"bitarm.core.{path.removesuffix('.py').replace('/', '.')}" for path in CORE_FILES}
    assert beyond == core | {"bitarm.sim.families"}
