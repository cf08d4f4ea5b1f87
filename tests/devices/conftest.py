"""One bench of every kind for all tests of a module; what must be compiled is compiled once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from devices.benches import (
    SANITIZERS,
    Bench,
    FileBench,
    PythonBench,
    board_bench,
    compile_for_board,
    native_bench,
    node_command,
    process_bench,
)

FAST = ("python", "file", "c", "c with floats")
"""Kinds of agents that take no time to start."""


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The agent in C: with doubles, under the sanitizers; and with floats."""
    folder = tmp_path_factory.mktemp("programs")
    native_bench(folder / "double", *SANITIZERS)
    native_bench(folder / "float", "-DBITARM_FLOAT", "-Wdouble-promotion", *SANITIZERS)
    return {"c": folder / "double", "c with floats": folder / "float"}


@pytest.fixture(scope="session")
def board_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bench for the emulated board."""
    program = tmp_path_factory.mktemp("board") / "bench.elf"
    compile_for_board(program)
    return program


@pytest.fixture(params=FAST)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An agent of each kind in turn."""
    if request.param == "python":
        yield PythonBench()
    elif request.param == "file":
        yield FileBench()
    else:
        programs: dict[str, Path] = request.getfixturevalue("programs")
        with process_bench([str(programs[request.param])]) as own:
            yield own


@pytest.fixture(scope="module")
def node_bench() -> Iterator[Bench]:
    """The agent for MicroPython, in MicroPython."""
    with process_bench(node_command()) as own:
        yield own


@pytest.fixture(scope="module")  # not longer: a board that waits keeps a core busy
def small_bench(board_program: Path) -> Iterator[Bench]:
    """The agent in C, on the emulated board."""
    with board_bench(board_program) as own:
        yield own
