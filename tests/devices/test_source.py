"""What the kit's sources promise: so many lines, and nothing that a board lacks."""

import ast
import subprocess
from pathlib import Path

import pytest
from devices.benches import DEVICES, WARNINGS

MICROPYTHON = DEVICES / "micropython" / "bitarm_agent.py"
SOURCE, HEADER = DEVICES / "c" / "bitarm_agent.c", DEVICES / "c" / "bitarm_agent.h"
MATH = {"exp", "log", "ldexp", "fmax", "fmin", "fabs", "nextafter"}
C99 = {"memcpy", "memcmp", "memset", *MATH}
"""Functions of the C library that the agent calls: no memory, no file, no clock."""


def lines(*files: Path) -> int:
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def test_each_agent_is_short() -> None:
    assert lines(MICROPYTHON) <= 400
    assert lines(SOURCE, HEADER) <= 600


@pytest.mark.parametrize("flags", [(), ("-DBITARM_FLOAT", "-Wdouble-promotion")], ids=str)
def test_the_agent_in_c_calls_nothing_that_a_bare_board_lacks(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    made = tmp_path / "agent.o"
    words = ["gcc", *WARNINGS, *flags, "-O2", "-fno-builtin", "-fno-stack-protector"]
    subprocess.run([*words, "-c", str(SOURCE), "-o", str(made)], check=True)
    told = subprocess.run(["nm", "-u", str(made)], capture_output=True, text=True, check=True)
    called = {line.split()[-1] for line in told.stdout.splitlines()} - {"_GLOBAL_OFFSET_TABLE_"}
    in_floats = {f"{name}f" for name in MATH}
    assert {"memcpy", "exp" if not flags else "expf"} <= called
    assert called <= (C99 | in_floats if flags else C99)


def test_the_agent_in_micropython_imports_what_every_board_has() -> None:
    tree = ast.parse(MICROPYTHON.read_text("utf-8"))
    top = [name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names]
    assert top == ["binascii", "json", "math"]
    others = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in others] == ["typing"]  # for type checkers alone
