"""The pages as HTML: a common surround, and in it the content of each page.

No data is written into them: a page's script asks the API for what it shows.
"""

from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Literal

Page = Literal["runs", "run", "compare", "explain", "sign-in", "not-found"]

_TITLES: dict[Page, str] = {
    "runs": "Runs",
    "run": "Run",
    "compare": "Compare",
    "explain": "Explain",
    "sign-in": "Sign in",
    "not-found": "Not found",
}
_SECTIONS: dict[Page, str] = {"runs": "/", "compare": "/compare", "explain": "/explain"}
_SCRIPTED: tuple[Page, ...] = ("runs", "run", "compare", "explain")


@cache
def render(page: Page) -> str:
    """A page as HTML."""
    return Template(_read("surround.html")).substitute(
        title=_TITLES[page],
        navigation=_navigation(page),
        script=_script(page),
        content=_read(f"{page}.html"),
    )


def _navigation(page: Page) -> str:
    here, current = "runs" if page == "run" else page, ' aria-current="page"'
    return "\n".join(
        f'<a href="{path}"{current if section == here else ""}>{escape(_TITLES[section])}</a>'
        for section, path in _SECTIONS.items()
    )


def _script(page: Page) -> str:
    return (
        f'<script type="module" src="/assets/pages/{page}.js"></script>'
        if page in _SCRIPTED
        else ""
    )


def _read(name: str) -> str:
    folder = resources.files("bitarm.dashboard") / "html"
    return (folder / name).read_text(encoding="utf-8")
