"""A journal is for its owner's eyes, however loose the umask; one that is not is told of."""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitarm.core.events import RunOpened
from bitarm.store import SqliteJournal

Open = Callable[..., SqliteJournal]


@pytest.fixture
def _loose_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.usefixtures("_loose_umask")
def test_all_three_files_of_a_new_journal_are_private(
    path: Path, open_journal: Open, opened: RunOpened
) -> None:
    path.parent.chmod(0o777)
    open_journal().open_run(opened)
    names = (path.name, f"{path.name}-wal", f"{path.name}-shm")
    assert _modes(path.parent) == dict.fromkeys(names, 0o600)


@pytest.mark.usefixtures("_loose_umask")
def test_a_journal_that_everybody_can_read_is_left_and_told_of(
    path: Path, open_journal: Open, caplog: pytest.LogCaptureFixture
) -> None:
    open_journal().close()
    assert caplog.messages == []
    for mode, lines in ((0o640, 0), (0o644, 1)):  # a group is given a file on purpose
        path.chmod(mode)
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="bitarm.store"):
            open_journal().close()
        assert len(caplog.messages) == lines
        assert _modes(path.parent)[path.name] == mode
    assert f"{path} can be used by every user of this machine" in caplog.text
    assert f"chmod o= {path} {path}-wal" in caplog.text
