"""What the tests of the command line share: a data folder of their own, and two ways to run it."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import Command, Finished, environment, run_apart

from bitarm.cli.app import run
from bitarm.store import SqliteJournal


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's data folder, empty; what a command imports is forgotten afterwards."""
    folder = tmp_path / "data"
    for name, value in environment(folder, COLUMNS="80").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules = set(sys.modules)
    yield folder
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]
    logging.getLogger("bitarm").handlers = []


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty; processes that tests start inherit it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def store(home: Path) -> Path:
    """Where runs are kept unless told otherwise."""
    return home / "bitarm" / "runs.sqlite"


@pytest.fixture
def journal(store: Path) -> Iterator[SqliteJournal]:
    """The journal that commands write."""
    opened = SqliteJournal.open(store)
    yield opened
    opened.close()


@pytest.fixture
def bitarm(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process, error handling and exit code included."""

    def command(*words: object) -> Finished:
        monkeypatch.setattr(sys, "argv", ["bitarm", *map(str, words)])
        capsys.readouterr()
        code = run()
        out, err = capsys.readouterr()
        return Finished(code=int(code), out=out, err=err)

    return command


@pytest.fixture
def apart(home: Path) -> Command:
    """The command in a process of its own: real streams, real exit codes."""
    env = environment(home)
    return lambda *words: run_apart(*words, env=env)
