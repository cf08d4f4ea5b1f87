"""A journal that is taken away under a run: said once, and while it can still be put back."""

from pathlib import Path

import pytest

from bitarm.cli.journal_place import JournalPlace


@pytest.mark.parametrize("replaced", [False, True], ids=["gone", "replaced"])
def test_a_journal_that_is_taken_away_is_said_once_each_time(
    *, replaced: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, aside = tmp_path / "runs.sqlite", tmp_path / "aside"
    path.write_bytes(b"a journal")
    place = JournalPlace(path)
    for times in (1, 2):
        place.watch(())
        assert place.trouble() is None
        path.rename(aside)
        if replaced:
            path.write_bytes(b"a journal")
        place.watch(())
        place.watch(())
        assert "was deleted, moved or replaced" in (place.trouble() or "")
        assert [record.levelname for record in caplog.records] == ["WARNING"] * times
        assert str(path) in caplog.text
        aside.rename(path)


def test_what_is_written_to_it_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"a journal")
    place = JournalPlace(path)
    path.write_bytes(b"a longer journal")
    assert place.trouble() is None
