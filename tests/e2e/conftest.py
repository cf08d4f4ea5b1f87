"""What the tests of the whole system share: a real broker, processes to kill, one browser."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from brokers import broker, line
from dashboard.stores import PAPER, identify_into, open_run_in
from e2e.browser import chromium
from e2e.extensions import elsewhere, extended_problem, installed, shell
from e2e.served import served
from loopback import PATIENCE
from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["broker", "elsewhere", "extended_problem", "installed", "line", "shell"]

OpenPage = Callable[..., Page]


_HERE = Path(__file__).parent
_browsers: list[Browser] = []  # none, or the one that runs
_closing = ExitStack()


@pytest.fixture
def browser() -> Browser:
    """One for all tests here that a worker runs on end."""
    if not _browsers:
        _browsers.append(_closing.enter_context(chromium()))
    return _browsers[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser before tests elsewhere: Playwright's event loop would be in their way."""
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        _closing.close()
        _browsers.clear()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages; in the end, none may have thrown, broken the policy or asked another host."""
    complaints: list[str] = []
    said: list[str] = []
    hosts: set[str | None] = set()
    contexts: list[BrowserContext] = []

    def open_one(address: str, *, width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []
    assert [text for text in said if "Content Security" in text] == []
    assert hosts <= {"127.0.0.1", None, ""}


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run 1 decided, run 2 stopped by a limit, run 3 cut off in its third round."""
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    identify_into(path, seed=1, **PAPER)
    identify_into(path, seed=2, quantizer="quban", width="paper", max_rounds=4)
    open_run_in(path, rounds=3)
    return path


@pytest.fixture(scope="session")
def site(store: Path) -> Iterator[str]:
    with served(store) as address:
        yield address
