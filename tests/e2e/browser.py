"""Debian's Chromium, driven by Playwright: quiet, and with no way out but the page under test."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from loopback import PATIENCE
from playwright.sync_api import Browser, Page, expect, sync_playwright

_FLAGS = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser; `make test` installs it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "Chromium is missing: scripts/system-packages chromium"
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def rows_of(page: Page, table: str) -> dict[str, dict[str, str]]:
    """A table by its rows' first cells: what each cell says, by column."""
    found: dict[str, dict[str, str]] = page.evaluate(
        """(table) => Object.fromEntries([...document.querySelectorAll(`#${table} tbody tr`)].map(
            (row) => [row.cells[0].textContent,
                Object.fromEntries([...row.cells].map((c) => [c.dataset.key, c.textContent]))]))""",
        table,
    )
    return found
