"""The documentation as a site: it builds without a warning, every link and anchor leads somewhere,
every picture is there, and no page asks another host for anything."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from docs_blocks import PAGES, ROOT
from e2e.browser import chromium

_LOADS = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "srcset"),
    ("object", "data"),
}


class _Scan(HTMLParser):
    """Anchors, links and what a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.math = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.math += tag == "math"
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if tag == "a" and name == "href" and value:
                self.links.append(value)
            if (tag, name) in _LOADS and value:
                self.loads.append(value)


def _build(folder: Path) -> None:
    """A warning of the build is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=dict(os.environ) | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_site_is_whole_and_stands_alone(tmp_path: Path) -> None:
    """One test, since a build takes longer than all that is asked of it."""
    site = tmp_path.resolve() / "site"
    _build(site)
    pages = {page: _Scan(page.read_text("utf-8")) for page in sorted(site.rglob("*.html"))}
    _has_every_page(pages, site)
    _links_lead_somewhere(pages, site)
    _loads_from_nowhere_else(pages, site)
    _formulas_are_typeset(pages, site)
    _links_are_called_as_pages_are(pages, site)
    _emphasis_is_meant(pages, site)
    _reads_on_a_phone(pages, site)
    _can_be_told_from_its_ground(site)


def _has_every_page(pages: dict[Path, _Scan], site: Path) -> None:
    built = {page.relative_to(site).with_suffix("").as_posix() for page in pages}
    sources = {
        re.sub("README$", "index", page.removeprefix("docs/").removesuffix(".md"))
        for page in PAGES
        if page.startswith("docs/")
    }
    assert sources <= built
    assert {"reference/commands", "project/changelog", "project/security"} <= built


def _links_lead_somewhere(pages: dict[Path, _Scan], site: Path) -> None:
    broken = []
    checked = 0
    for page, scan in pages.items():
        if page.name == "404.html":
            continue  # its links are for a server's root
        for link in scan.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            if not target.is_file() or (
                anchor and target in pages and anchor not in pages[target].ids
            ):
                broken.append(f"{page.relative_to(site)}: {link}")
            checked += 1
    assert not broken
    assert checked > 2000


def _loads_from_nowhere_else(pages: dict[Path, _Scan], site: Path) -> None:
    for page, scan in pages.items():
        for load in scan.loads:
            parts = urlsplit(load)
            assert not parts.netloc, f"{page.relative_to(site)} loads {load}"
            if parts.scheme != "data" and page.name != "404.html":
                assert (page.parent / unquote(parts.path)).is_file(), f"{page.name}: {load}"
    styles = "".join(style.read_text("utf-8") for style in site.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", styles)
    for picture in site.rglob("*.svg"):
        loaded = re.findall(r'(?:href|src)="([^"]+)"|url\(([^)]+)\)', picture.read_text("utf-8"))
        assert all((one or other).startswith("#") for one, other in loaded), picture


def _formulas_are_typeset(pages: dict[Path, _Scan], site: Path) -> None:
    for name in ("idea.html", "widths.html", "bits.html", "paper.html"):
        assert pages[site / name].math > 3, name
    for page in pages:
        text = re.sub(r"(?s)<(pre|code|script|style).*?</\1>", "", page.read_text("utf-8"))
        assert not re.search(r"\$\$|\\frac|\\sqrt|\\hat", text), page


def _links_are_called_as_pages_are(pages: dict[Path, _Scan], site: Path) -> None:
    for page in pages:
        called = re.findall(r"<a [^>]*>([\w./]+\.md)</a>", page.read_text("utf-8"))
        assert not called, page.relative_to(site)


def _emphasis_is_meant(pages: dict[Path, _Scan], site: Path) -> None:
    """An asterisk of a formula opens an emphasis up to the next one, across brackets."""
    for page in pages:
        for _, text in re.findall(r"(?s)<(em|strong)>(.*?)</\1>", page.read_text("utf-8")):
            assert text.count("(") == text.count(")"), f"{page.relative_to(site)}: {text[:80]}"


_OVERFLOW = """() => [...document.images].some(image => image.complete && !image.naturalWidth)
    ? "a picture is not drawn" : document.documentElement.scrollWidth"""


def _reads_on_a_phone(pages: dict[Path, _Scan], site: Path) -> None:
    """Opened from the disk: no page is wider than the screen, and search works."""
    with chromium() as browser:
        screen = browser.new_page(viewport={"width": 390, "height": 844})
        asked: list[str] = []
        failed: list[str] = []
        screen.on("request", lambda request: asked.append(request.url))
        screen.on(
            "requestfailed", lambda request: failed.append(f"{request.failure} {request.url}")
        )
        for page in pages.keys() - {site / "404.html"}:  # its links are for a server's root
            screen.goto(page.as_uri())
            assert screen.evaluate(_OVERFLOW) == 390, page
        screen.goto((site / "index.html").as_uri())
        screen.locator("label[for=__search]").first.click()
        screen.get_by_placeholder("Search").press_sequentially("downlink")
        screen.locator(".md-search-result__item").first.wait_for()
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data"}
    assert [line for line in failed if "ABORTED" not in line] == []  # left for the next page


_FAINTEST = """() => {
    const parts = color => color.match(/[\\d.]+/g).map(Number);
    const light = color => [0.2126, 0.7152, 0.0722].reduce((sum, share, place) => {
        const part = color[place] / 255;
        return sum + share * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
    const over = (color, ground) => ground.map(
        (part, place) => part + ((color[3] ?? 1) * (color[place] - part)));
    const groundOf = element => element ? over(
        parts(getComputedStyle(element).backgroundColor), groundOf(element.parentElement))
        : [255, 255, 255];
    let faintest = ["", 21];
    for (const element of document.querySelectorAll(".md-header__title *, .md-tabs *, article *")) {
        const said = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        if (!said || !element.offsetWidth || element.matches(".headerlink")) continue;
        const ground = groundOf(element);
        const ink = over(parts(getComputedStyle(element).color), ground);
        const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
        const contrast = (bright + 0.05) / (dark + 0.05);
        if (contrast < faintest[1]) faintest = [element.outerHTML.slice(0, 80), contrast];
    }
    return faintest;
}"""


def _can_be_told_from_its_ground(site: Path) -> None:
    """Words, links and code, by day and by night: 4.5 is what WCAG asks for, 4.4 what code has."""
    with chromium() as browser:
        for scheme in ("light", "dark"):
            screen = browser.new_page(color_scheme=scheme)
            for name in ("index", "words", "python", "evidence"):
                screen.goto((site / f"{name}.html").as_uri())
                words, contrast = screen.evaluate(_FAINTEST)
                assert contrast > 4.4, f"{name}, {scheme}: {contrast:.2f} of {words}"


def _in_nav(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for inner in entry.values():
            yield from _in_nav(inner)
    elif isinstance(entry, list):
        for inner in entry:
            yield from _in_nav(inner)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # yaml ships no types
    """Reads past tags that name Python functions."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def test_every_page_is_in_the_navigation() -> None:
    """Checked without a build, so that `make test-fast` notices."""
    config = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader=_Loader)
    named = set(_in_nav(config["nav"]))
    written = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    assert written <= named
    made = {"reference/commands.md"} | {page for page in named if page.startswith("project/")}
    assert named - written == made
