"""Files that are written whole and for their owner alone."""

import os
import stat
from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker.folder import BrokerFolder, read, write_private, write_public


def test_a_secret_is_never_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    before = os.umask(0)
    try:
        write_private(path, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_public_file_is_public(tmp_path: Path) -> None:
    write_public(tmp_path / "public", b"x")
    assert stat.S_IMODE((tmp_path / "public").stat().st_mode) == 0o644


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing/secret cannot be written"):
        write_private(tmp_path / "missing" / "secret", "x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="folder cannot be written"):
        write_private(tmp_path / "folder", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing cannot be read"):
        read(tmp_path / "nothing")


def test_an_open_folder_is_closed(tmp_path: Path) -> None:
    folder = BrokerFolder(tmp_path / "broker")
    folder.path.mkdir(mode=0o777)
    folder.create()
    for path in (folder.path, folder.passwords, folder.data):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_what_root_writes_belongs_to_the_owner_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda handle, user, group: given.append((user, group)))
    write_private(tmp_path / "secret", "x")
    owner = tmp_path.stat()
    assert given == [(owner.st_uid, owner.st_gid)]
