"""Everybody can use the pages: who signs in, small screens, the keyboard, a screen reader."""

import re
from pathlib import Path

import pytest
from dashboard.stores import MEANS
from e2e.conftest import OpenPage
from e2e.served import served
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

PAGES = ("/", "/runs/1", "/runs/3", "/compare?runs=1,2", "/explain")


def test_a_visitor_signs_in(store: Path, tmp_path: Path, open_page: OpenPage) -> None:
    token = tmp_path / "token"
    token.write_text("a-secret-of-thirty-two-characters\n")
    with served(store, "--token-file", token) as address:
        page = open_page(f"{address}/runs/1")
        expect(page.locator("h1")).to_have_text("Sign in")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("h1")).to_have_text("Sign in")
        page.get_by_label("Token").fill("a-secret-of-thirty-two-characters")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#runs tbody tr")).to_have_count(3)


_LINES_OF_THE_LAST_LINK = """() => {
  const text = document.createRange();
  text.selectNodeContents(document.querySelector("footer a"));
  return text.getClientRects().length;
}"""


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_pages_fit_their_screen(
    site: str, open_page: OpenPage, tmp_path: Path, width: int, scheme: str
) -> None:
    for path in PAGES:
        page = open_page(site + path, width=width, color_scheme=scheme)
        expect(page.locator("figure svg *, #runs tbody td").first).to_be_attached()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("html").get_attribute("data-theme") == scheme
        assert page.evaluate(_LINES_OF_THE_LAST_LINK) == 1
        name = re.sub(r"\W+", "-", path).strip("-") or "home"
        picture = page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}.png", full_page=True)
        assert len(picture) > 10_000


def test_the_theme_can_be_switched_and_is_kept(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/", color_scheme="light")
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_the_keyboard_is_enough(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/runs/1")
    expect(page.locator("#arms tbody tr")).to_have_count(len(MEANS))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#moment").focus()
    before = int(page.locator("#moment").input_value())
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#moment-text")).to_contain_text(f"event {before - 1} of")
    page.keyboard.press("Home")
    expect(page.locator("#moment-text")).to_contain_text("event 1 of")


@pytest.mark.parametrize("path", PAGES)
def test_a_screen_reader_finds_its_way(site: str, open_page: OpenPage, path: str) -> None:
    page = open_page(site + path)
    expect(page.locator("figure svg *, #runs tbody td").first).to_be_attached()
    for role in ("banner", "main", "contentinfo", "navigation"):
        assert page.get_by_role(role).count() == 1
    assert page.locator("h1").count() == 1
    # each in one call: the page may draw itself anew between two of them
    unnamed = page.locator(
        "main button:visible, main input:visible, main select:visible"
    ).evaluate_all(
        "all => all.filter(it => !(it.ariaLabel || it.labels?.[0]?.textContent || it.textContent"
        " || document.getElementById(it.getAttribute('aria-labelledby'))?.textContent))"
        ".map(it => it.outerHTML)"
    )
    assert unnamed == []
    mute = page.locator("figure svg").evaluate_all(
        "all => all.filter(it => it.getAttribute('role') !== 'img'"
        " || !it.getAttribute('aria-label')).length"
    )
    assert mute == 0
