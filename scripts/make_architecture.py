"""Writes what docs/architecture.md can take from the code: the packages, and the machines' tables.

python scripts/make_architecture.py
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bitarm.core import agent, learner
from bitarm.core.messages import Fit

HOME = Path(__file__).parents[1]
PAGE = HOME / "docs" / "architecture.md"
_SOURCE = HOME / "src" / "bitarm"
_NOTE = "<!-- made by scripts/make_architecture.py -->"


def page(text: str) -> str:
    """The page's text with every generated part made anew."""
    for name, made in {
        "packages": _packages(),
        "requests": _transitions(agent._REQUESTS),
        "answers": _transitions(learner._ANSWERS),
    }.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"{PAGE.name} must have one part between {begin} and {end}")
        before, rest = text.split(begin)
        after = rest.split(end)[1]
        text = f"{before}{begin}\n{_NOTE}\n\n{made}\n{end}{after}"
    return text


def _packages() -> str:
    """A row for each package, from the top layer down, as import-linter has them."""
    rows = []
    for name in _layers():
        own, others = _imports(name)
        rows.append((f"`{name}`", _sentence(name), _listed(own), _listed(others)))
    head = ("package", "what it is", "imports of ours", "and of others")
    return _table(head, rows)


def _layers() -> list[str]:
    contracts = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (layers,) = (
        contract["layers"] for contract in contracts["contracts"] if contract["type"] == "layers"
    )
    return [name.strip().removeprefix("bitarm.") for layer in layers for name in layer.split("|")]


def _sentence(name: str) -> str:
    """The first sentence of the package's docstring."""
    docstring = ast.get_docstring(ast.parse(_files(name)[0].read_text("utf-8")))
    assert docstring is not None  # the linter asks for one
    paragraph = docstring.split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.?!]) ", paragraph)[0].rstrip(".")


def _files(name: str) -> list[Path]:
    """The files of a package, its own first; or the module of this name."""
    folder = _SOURCE / name
    if not folder.is_dir():
        return [folder.with_suffix(".py")]
    return [folder / "__init__.py", *sorted(folder.rglob("*.py"))]


def _imports(name: str) -> tuple[set[str], set[str]]:
    """The packages of ours, and those of others, that are imported anywhere in a package."""
    own, others = set[str](), set[str]()
    for file in _files(name):
        for module in _modules(ast.parse(file.read_text("utf-8"))):
            first, *rest = module.split(".")
            if first == "bitarm":
                own.update(rest[:1])
            elif first not in sys.stdlib_module_names:
                others.add(first)
    return own - {name}, others


def _modules(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (alias.name for alias in node.names)
            yield from (f"{node.module}.{name}" for name in names)


def _transitions(table: Mapping[Any, Callable[..., Any]]) -> str:
    """What becomes of a message, by phase and by how its number fits: a row for each phase."""
    phases = list(dict.fromkeys(phase for phase, _ in table))
    rows = [
        (f"`{phase.value}`", *(table[phase, fit].__name__.lstrip("_") for fit in Fit))
        for phase in phases
    ]
    return _table(("phase", *(fit.value for fit in Fit)), rows)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "–"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
