"""What the tests of the whole system share: a real broker, processes to kill, one browser."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from brokers import broker, line
from e2e.browser import chromium
from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["broker", "line"]

OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module: Playwright cannot be begun again while it runs, as other modules do."""
    with chromium() as it:
        yield it


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages; in the end, none may have thrown, broken the policy or asked another host."""
    complaints: list[str] = []
    said: list[str] = []
    hosts: set[str | None] = set()
    contexts: list[BrowserContext] = []

    def open_one(address: str, *, width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
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
