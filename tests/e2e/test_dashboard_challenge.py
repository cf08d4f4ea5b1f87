"""Runs whose arms judge themselves, in a real browser: who gave up, and why."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dashboard.stores import identify_into, standings_in
from e2e.conftest import OpenPage
from e2e.served import served
from playwright.sync_api import expect

from bitarm.store import SqliteJournal

pytestmark = pytest.mark.slow


def test_the_race_says_who_gave_up_and_counts_what_was_pulled(
    tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(store, seed=1, policy="challenge", quantizer="dyadic", width="bounded")
    standings = standings_in(store, run)
    with served(store) as address:
        page = open_page(f"{address}/runs/{run}")
        for arm in standings.arms:
            if arm.beaten_by is None:
                continue
            state = f"gave up in round {arm.dropped_in} to {standings.arms[arm.beaten_by].name}"
            row = page.locator("#race .arm", has_text=arm.name)
            expect(row).to_contain_text(state)
        figures = page.locator("#figures")
        expect(figures).to_contain_text(f"{standings.samples:,}")
        page.locator("#moment").fill(str(_entries(store, run) - 2))  # the counts are not told yet
        expect(figures).to_contain_text("≤")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"epsilon": 0.1}, "its true mean is at most 0.1 above the leader’s"),
        ({"policy": "se", "epsilon": 0.1}, "a lead that lacks at most the tolerance, 0.1, will do"),
        ({"policy": "lucb"}, "None falls: the run ends when the leader beats every other."),
        ({"policy": "se", "width": "sub-gaussian"}, "many fall while two intervals still meet"),
        ({"policy": "se", "width": "paper"}, "when its interval lies wholly below another’s"),
    ],
)
def test_a_race_says_by_what_its_arms_fall(
    words: dict[str, Any], said: str, tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(store, seed=1, **words)
    with served(store) as address:
        page = open_page(f"{address}/runs/{run}")
        expect(page.locator("#race-note")).to_contain_text(said)


def test_rounds_add_up_where_arms_gave_up_twice(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(store, seed=15, epsilon=0.2)
    standings = standings_in(store, run)
    assert not all(arm.dropped_in for arm in standings.arms if arm.beaten_by is not None)
    with served(store) as address:
        page = open_page(f"{address}/runs/{run}")
        expect(page.locator("#figures")).to_contain_text(f"{standings.samples:,}")
        page.locator("#samples summary").click()
        cells = page.locator("#samples tbody td:last-child").all_inner_texts()
        samples = [int(cell.replace(",", "")) for cell in cells]
        assert min(samples) >= 0
        assert sum(samples) == standings.samples


def test_rounds_are_whole_numbers(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(store, seed=1, max_rounds=2)
    with served(store) as address:
        page = open_page(f"{address}/runs/{run}")
        expect(page.locator("#rounds .axis.x .tick")).to_have_text(["1", "2"])


def _entries(store: Path, run: int) -> int:
    with closing(SqliteJournal.open_read_only(store)) as journal:
        return len(list(journal.read(run)))


def test_explain_takes_a_challenge_apart(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    run = identify_into(store, seed=1, policy="challenge", quantizer="dyadic", width="bounded")
    with served(store) as address:
        page = open_page(f"{address}/explain")
        expect(page.locator("#challenge-sentence")).to_contain_text("north has gone ahead")
        expect(page.locator("#answers li", has_text="gave up").first).to_be_visible()
        expect(page.locator("#answers li", has_text="held out").first).to_be_visible()
        before = page.locator("#challenge-sentence").inner_text()
        last = page.locator("#challenge-round option").count() - 1
        page.locator("#challenge-round").select_option(index=last)
        expect(page.locator("#challenge-sentence")).not_to_have_text(before)
        page.locator("#challenge-run").select_option(str(run))
        expect(page.locator("#challenge .cross").first).to_be_attached()
        expect(page.locator("#challenge-numbers")).to_contain_text("nats")
