"""What a person may type for a run."""

from dataclasses import replace

import pytest

from bitarm.core.events import RunOpened
from bitarm.core.journal import Journal
from bitarm.errors import ConfigError
from bitarm.store import MemoryJournal, find_run


@pytest.fixture
def journal(opened: RunOpened) -> Journal:
    """Runs 1 and 2 are the same problem, run 3 is another."""
    journal = MemoryJournal()
    for seed in (0, 0, 1):
        spec = replace(opened.setup.spec, seed=seed)
        journal.open_run(replace(opened, setup=replace(opened.setup, spec=spec)))
    return journal


@pytest.mark.parametrize(
    ("text", "run"), [("1", 1), ("003", 3), (" 2\n", 2), ("last", 3), ("LAST", 3)]
)
def test_a_number_or_last(journal: Journal, text: str, run: int) -> None:
    assert find_run(journal, text).run == run


def test_a_fingerprint(journal: Journal) -> None:
    newest = journal.runs()[0]
    text = f"{newest.fingerprint:08x}"
    assert find_run(journal, text) == find_run(journal, text.upper()) == newest


def test_a_fingerprint_of_several_runs_is_refused_with_their_numbers(journal: Journal) -> None:
    text = f"{journal.runs()[1].fingerprint:08x}"
    with pytest.raises(ConfigError, match=r"2 runs: say which by number: 1, 2$"):
        find_run(journal, text)


def test_eight_digits_that_are_no_fingerprint_are_a_number(journal: Journal) -> None:
    assert find_run(journal, "00000001").run == 1


@pytest.mark.parametrize("text", ["4", "0", "00000004", "deadbeef", "9" * 40])
def test_what_is_not_there(journal: Journal, text: str) -> None:
    with pytest.raises(ConfigError, match=r"there is no run .* has 3, the newest is 3"):
        find_run(journal, text)


@pytest.mark.parametrize("text", ["", "first", "-1", "1.0", "a1b2", "0xdeadbe", "１", "1_0", "²"])
def test_what_names_no_run(journal: Journal, text: str) -> None:
    with pytest.raises(ConfigError, match="named by its number"):
        find_run(journal, text)


@pytest.mark.parametrize("text", ["last", "1", "deadbeef"])
def test_an_empty_journal(text: str) -> None:
    with pytest.raises(ConfigError, match="the journal has none yet"):
        find_run(MemoryJournal(), text)
