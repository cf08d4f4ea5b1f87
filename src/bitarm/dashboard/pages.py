"""The pages as HTML: a common surround, and in it the content of each page.

No data is written into them: a page's script asks the API for what it shows. A new page is a name
in `Page`, a line in `_PAGES`, its content and its script; what it shows comes by a route of
`api.py`.
"""

from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Literal, final

Page = Literal["runs", "run", "compare", "explain", "sign-in", "not-found"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """Where a page is, and what it is called.

    Its content is `html/NAME.html`; one that has a route has a script, `assets/pages/NAME.js`.
    """

    title: str
    route: str | None = None  # None: shown in place of others, such as a page that is not there
    section: Page | None = None  # which entry of the menu is marked while it is shown


_PAGES: dict[Page, _About] = {
    "runs": _About(title="Runs", route="/", section="runs"),
    "run": _About(title="Run", route="/runs/{run}", section="runs"),
    "compare": _About(title="Compare", route="/compare", section="compare"),
    "explain": _About(title="Explain", route="/explain", section="explain"),
    "sign-in": _About(title="Sign in"),
    "not-found": _About(title="Not found"),
}

ROUTES: dict[str, Page] = {about.route: page for page, about in _PAGES.items() if about.route}
"""The pages that have a route, by it."""


@cache
def render(page: Page) -> str:
    """A page as HTML."""
    return Template(_read("surround.html")).substitute(
        title=_PAGES[page].title,
        navigation=_navigation(page),
        script=_script(page),
        content=_read(f"{page}.html"),
    )


def _navigation(page: Page) -> str:
    """A link to each section; the one that the page belongs to is marked."""
    current = ' aria-current="page"'
    return "\n".join(
        f'<a href="{about.route}"{current if _PAGES[page].section == section else ""}>'
        f"{escape(about.title)}</a>"
        for section, about in _PAGES.items()
        if about.section == section
    )


def _script(page: Page) -> str:
    if _PAGES[page].route is None:
        return ""
    return f'<script type="module" src="/assets/pages/{page}.js"></script>'


def _read(name: str) -> str:
    folder = resources.files("bitarm.dashboard") / "html"
    return (folder / name).read_text(encoding="utf-8")
