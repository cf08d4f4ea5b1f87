"""The report as a reader opens it: in a real browser, from a file, with no network."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from bitarm.experiments.catalog import PAPER
from bitarm.experiments.reproduce import reproduce

pytestmark = pytest.mark.slow

_LIGHTNESS = """(it, property) => {
  const [r, g, b] = getComputedStyle(it)[property].match(/[0-9.]+/g).map(Number);
  return 0.3 * r + 0.59 * g + 0.11 * b;
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of the paper's experiments, and some of what it does not show, with few trials."""
    return reproduce(
        [*PAPER, "valid_sigma", "gains_hardness", "random_beta"],
        trials=10,
        seed=1,
        out=tmp_path_factory.mktemp("out"),
        instance="fitted",
        full=False,
        overwrite=False,
        workers=1,
        cache=None,
    ).report


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    with closing(context):
        yield context.new_page()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_opens_offline_and_whole(report: Path, page: Page, width: int) -> None:
    asked: list[str] = []
    said: list[str] = []
    page.set_viewport_size({"width": width, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(report.as_uri())
    pictures = page.eval_on_selector_all(
        "img", "all => all.map(it => [it.complete, it.naturalWidth, it.alt])"
    )
    wide = page.evaluate("document.documentElement.scrollWidth")
    headings = page.locator("h2").all_inner_texts()
    assert len(pictures) >= 14
    for complete, natural_width, alternative in pictures:
        assert complete
        assert natural_width > 0
        assert alternative
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]
    assert said == []
    assert wide <= width  # tables scroll in their own box, never the page
    assert len(headings) >= len(PAPER) + 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_follows_the_readers_colours(
    report: Path, page: Page, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(report.as_uri())
    for selector in ("body", "a", "td", ".soft"):
        ink = page.eval_on_selector(selector, _LIGHTNESS, "color")
        paper = page.eval_on_selector("body", _LIGHTNESS, "backgroundColor")
        assert (paper > 200) == (scheme == "light")
        assert abs(ink - paper) > 90, selector
    turned = page.eval_on_selector("figure img", "it => getComputedStyle(it).filter")
    assert (turned != "none") == (scheme == "dark")


def test_a_page_with_a_missing_picture_would_be_noticed(page: Page, tmp_path: Path) -> None:
    page_with_hole = tmp_path / "page.html"
    page_with_hole.write_text('<img src="missing.png" alt="">')
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_with_hole.as_uri())
    (width,) = page.eval_on_selector_all("img", "all => all.map(it => it.naturalWidth)")
    assert width == 0
    assert len(asked) == 2
