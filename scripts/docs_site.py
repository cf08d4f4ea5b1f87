"""Hooks of the documentation's build (mkdocs.yml): pages that are made, formulas, files from above.

The page of commands is made when the site is, from the program itself: it cannot be out of date.
"""

import posixpath
import re
from html import escape, unescape
from itertools import zip_longest
from pathlib import Path

from docs_math import typeset
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.main import get_command
from typer.testing import CliRunner

from bitarm.cli.app import COMMANDS, make_app

ROOT = Path(__file__).parents[1]
ABOVE = {
    "project/changelog.md": "CHANGELOG.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/security.md": "SECURITY.md",
    "project/conduct.md": "CODE_OF_CONDUCT.md",
}
"""Pages of the site that lie above docs/, where people and programs look for them."""
COMMANDS_PAGE = "reference/commands.md"
_PAGES = {"words": "Every word", "reference/json": "JSON fields"}
"""Pages that docstrings name as they lie in the tree; on the site that is a link."""
_NAMED_PAGE = re.compile(rf"docs/({'|'.join(_PAGES)})\.md")
_COLUMNS = 94
_LINK = re.compile(r"\[(?:docs/)?[\w/]+\.md\]\((?P<target>(?P<file>[^)#\s]+\.md)[^)]*)\)")
_CODE = re.compile(r"(?<!<pre>)<code>([^\n]*?)</code>")
_TABLE = re.compile(r"(?s)<table>(.*?)</table>")
_UNDERSCORE = re.compile(r"(?<=\w)_(?=\w[^<>]*(?:<wbr>[^<>]*)*</code>)")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_WHOLE = r'<span class="flag">\g<0></span>'
_ROW = re.compile(r"(?s)<tr[^>]*>(.*?)</tr>")
_CELL = re.compile(r"(?s)<(t[dh])([^>]*)>(.*?)</t[dh]>")
_SHORT = 12
_PHONE = 75  # letters of a row that a phone shows side by side, a long first cell in lines of 16
_HEAD = """\
# Every command

What each command says with `--help`. Flags of the scheme are the words of problem files:
[every word](../words.md) tells whose each is and what it is by default. How a command ends:
[exit codes](exit_codes.md).

"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, those from above, and the examples."""
    files.append(File.generated(config, COMMANDS_PAGE, content=commands_page()))
    for uri, name in ABOVE.items():
        files.append(File.generated(config, uri, content=_moved(name)))
    for example in sorted((ROOT / "examples").iterdir()):
        if example.suffix in (".toml", ".py", ".csv"):
            uri = f"examples/{example.name}"
            files.append(File.generated(config, uri, content=example.read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Typeset formulas; examples lie inside of the site; links are called as the pages are."""
    depth = page.file.src_uri.count("/")
    here = "../" * depth
    inside = markdown.replace(f"]({here}../examples/", f"]({here}examples/")
    return typeset(_LINK.sub(lambda found: _titled(found, page.file, files), inside))


def _titled(link: re.Match[str], source: File, files: Files) -> str:
    """A link that is called by its file's name, as pages in an editor have it, by the title."""
    uri = posixpath.normpath(posixpath.join(posixpath.dirname(source.src_uri), link["file"]))
    page = files.get_file_from_path(uri)
    heading = page and re.match(r"# (.+)\n", page.content_string)
    return f"[{heading[1]}]({link['target']})" if heading else link[0]


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """What Markdown cannot say: where code may break, and how a table fits a phone."""
    shown = _TABLE.sub(_fitted, _CODE.sub(_breaking, html))
    if not page.file.src_uri.startswith("reference/"):
        return shown
    return _NAMED_PAGE.sub(lambda page: f'<a href="../{page[1]}.html">{_PAGES[page[1]]}</a>', shown)


def _breaking(code: re.Match[str]) -> str:
    """Code in a line: a path may break after a slash, a flag stays whole."""
    if "<" in code[1]:
        return code[0]
    path = re.sub(r"(?<=[\w}])/(?=[\w{])", "/<wbr>", code[1])
    return f"<code>{_FLAG.sub(_WHOLE, path)}</code>"


def _fitted(table: re.Match[str]) -> str:
    """With what the style sheet has to know: how long the longest first cell is, and whether rows
    are so wide that a phone shows each as a card, where a cell says what its column is called."""
    rows = [[_said(cell[3]) for cell in _CELL.finditer(row)] for row in _ROW.findall(table[0])]
    longest = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")] or [0]
    inner = _CELL.sub(_whole, _UNDERSCORE.sub("_<wbr>", table[1]))
    style = f'<table style="--first: {longest[0]}ch"'
    if len(longest) < 3 or min(longest[0], 16) + sum(longest[1:]) <= _PHONE:
        return f"{style}>{inner}</table>"
    named = _ROW.sub(lambda row: _row_of_a_card(row[0], rows[0]), inner)
    return f"{style} data-cards>{named}</table>"


def _whole(cell: re.Match[str]) -> str:
    """A short cell with a figure stays on one line: 20 of 20, 43.7 MB."""
    said = _said(cell[3])
    short = cell[1] == "td" and len(said) <= _SHORT and re.search(r"\d", said)
    return f"<td{cell[2]} data-whole>{cell[3]}</td>" if short else cell[0]


def _row_of_a_card(row: str, columns: list[str]) -> str:
    named = iter(columns)

    def cell(found: re.Match[str]) -> str:
        name = next(named, "")
        if found[1] == "th" or not name:
            return found[0]
        if _said(found[3]) in ("", "–"):
            return f"<td{found[2]} data-none>{found[3]}</td>"
        label = escape(name, quote=True)
        return f'<td{found[2]} data-column="{label}">{found[3]}</td>'

    return _CELL.sub(cell, row)


def _said(cell: str) -> str:
    """The words of a cell, without its marks."""
    return unescape(re.sub("<[^>]+>", "", cell)).strip()


def commands_page() -> str:
    """Every command with what its help says, as Markdown."""
    app = make_app(COMMANDS)
    group = get_command(app)
    sections = [_HEAD, _section(app, (), 2)]
    for name in COMMANDS:
        sections.append(_section(app, (name,), 2))
        inner = getattr(group, "commands")[name]  # noqa: B009  # click's groups have no types here
        parts = getattr(inner, "commands", ())
        sections.extend(_section(app, (name, part), 3) for part in parts)
    return "".join(sections)


def _section(app: object, words: tuple[str, ...], level: int) -> str:
    screen = {"COLUMNS": str(_COLUMNS), "TERMINAL_WIDTH": str(_COLUMNS), "TERM": "dumb"}
    done = CliRunner().invoke(app, [*words, "--help"], prog_name="bitarm", env=screen)  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output
    shown = "\n".join(line.rstrip() for line in done.output.strip().splitlines())
    title = " ".join(("bitarm", *words))
    return f"{'#' * level} `{title}`\n\n```text\n{shown}\n```\n\n"


def _moved(name: str) -> str:
    """A file from above docs/, with its links as seen from `project/`."""
    text = (ROOT / name).read_text("utf-8")
    inside = {above: uri.removeprefix("project/") for uri, above in ABOVE.items()}
    text = re.sub(r"\]\(docs/", "](../", text)
    return re.sub(r"\]\(([A-Z_]+\.md)", lambda found: f"]({inside[found[1]]}", text)
