"""What pages say when something fails, and that they recover without being loaded again."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from dashboard.stores import PAPER, SlowRun, identify_into
from e2e.conftest import OpenPage
from e2e.served import served
from playwright.sync_api import Route, expect

from bitarm.store import SqliteJournal

pytestmark = pytest.mark.slow


def test_a_store_that_cannot_be_read_is_said_and_comes_back(
    tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    with served(store) as address:
        page = open_page(f"{address}/")
        expect(page.locator("#problem")).to_contain_text("there is no journal at")
        store.touch()
        expect(page.locator("#problem")).to_contain_text("is empty, it holds no journal yet")
        store.write_bytes(b"no database " * 400)
        expect(page.locator("#problem")).to_contain_text("is not a journal")
        store.unlink()
        identify_into(store, seed=1)
        expect(page.locator("#runs tbody th")).to_have_text(["Run 1"])
        expect(page.locator("#problem")).to_be_hidden()
        other = open_page(f"{address}/runs/7")
        expect(other.locator("#problem")).to_contain_text("there is no run 7")


def _damage(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))


def _renew(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(_damage, "is damaged"), (_renew, "has version 99 of the journal's format")],
)
def test_a_page_says_what_is_wrong_with_its_store(
    tmp_path: Path, open_page: OpenPage, spoil: Callable[[Path], None], words: str
) -> None:
    store = tmp_path / "runs.sqlite"
    identify_into(store, seed=1)
    spoil(store)
    with served(store) as address:
        for path in ("/", "/runs/1", "/compare"):
            expect(open_page(address + path).locator("#problem")).to_contain_text(words)


def test_a_page_says_that_its_store_is_locked(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    identify_into(store, seed=1)
    with served(store) as address:
        with closing(sqlite3.connect(store, isolation_level=None)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("UPDATE runs SET arms = arms")
            page = open_page(f"{address}/")
            expect(page.locator("#problem")).to_contain_text("is locked by another process")
        expect(page.locator("#runs tbody th")).to_have_text(["Run 1"])


def test_a_page_that_somebody_goes_back_to_hears_what_happened_meanwhile(
    tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    slow = SlowRun(store, **PAPER)
    with served(store) as address, closing(slow):
        page = open_page(f"{address}/runs/{slow.run}")
        samples = page.locator("#figures dd").nth(1)
        expect(samples).to_have_text("0")
        turn = "(kind) => dispatchEvent(new PageTransitionEvent(kind, { persisted: true }))"
        page.evaluate(turn, "pagehide")  # as a browser does that keeps the page
        slow.play_round()
        page.evaluate(turn, "pageshow")
        expect(samples).to_have_text(f"{slow.standings().samples:,}")


def test_runs_that_are_pruned_leave_the_list(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    for seed in (1, 2, 3):
        identify_into(store, seed=seed)
    with served(store) as address:
        page = open_page(f"{address}/")
        expect(page.locator("#runs tbody th")).to_have_text(["Run 3", "Run 2", "Run 1"])
        with closing(SqliteJournal.open(store)) as journal:
            journal.delete(next(run for run in journal.runs() if run.run == 1))
        expect(page.locator("#runs tbody th")).to_have_text(["Run 3", "Run 2"])
        expect(page.locator("#count")).to_have_text("2 runs")


def _refuse(route: Route) -> None:
    route.fulfill(status=503, json={"error": "the store is locked by somebody"})


def test_a_run_page_says_that_its_events_cannot_be_had(site: str, open_page: OpenPage) -> None:
    page = open_page("about:blank")
    page.route("**/events?*", _refuse)
    page.goto(f"{site}/runs/1")
    expect(page.locator("#problem")).to_have_text("the store is locked by somebody")
    assert page.locator("#log li").count() == 0
    page.unroute("**/events?*")
    expect(page.locator("#log li")).to_have_count(12)  # nobody touched the page
    expect(page.locator("#problem")).to_be_hidden()


def test_a_page_says_that_the_dashboard_is_gone(site: str, open_page: OpenPage) -> None:
    page = open_page("about:blank")
    page.route("**/events?*", lambda route: route.abort())
    page.goto(f"{site}/runs/1")
    expect(page.locator("#problem")).to_contain_text("the dashboard does not answer")


def test_the_runs_page_says_that_older_runs_cannot_be_had(site: str, open_page: OpenPage) -> None:
    page = open_page("about:blank")
    newest = page.request.get(f"{site}/api/v1/runs?limit=1").json()
    assert (len(newest["runs"]), newest["total"]) == (1, 3)
    news = f"event: runs\ndata: {json.dumps(newest)}\n\n"
    page.route(
        "**/runs/stream",
        lambda route: route.fulfill(content_type="text/event-stream", body=news),
    )
    page.route("**/api/v1/runs?*", _refuse)
    page.goto(f"{site}/")
    expect(page.locator("#problem")).to_have_text("the store is locked by somebody")
    expect(page.locator("#runs tbody tr")).to_have_count(1)
    page.unroute("**/api/v1/runs?*")
    expect(page.locator("#runs tbody tr")).to_have_count(3)
    expect(page.locator("#problem")).to_be_hidden()
