"""The blocks of code in README and docs: where they stand, and what their marks say of them.

A mark is a comment in the line before a block:

    not run: REASON     nobody runs it here; commands of ours in it are still parsed
    run by tests/FILE   that test takes it from the page (`blocks_run_by`) and runs it
    file: NAME          a file that later blocks of the page find
    prints              what the block before it printed; a line … stands for any number of lines
    exits N             its last command ends with this code

Without a mark a block of Python or of commands is run, TOML and JSON must be readable, and text is
a picture or a formula. `objections` says what in a page would be shown and not checked.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown import markdown

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
_OWN_MARKS = {"docs/deploy.md": "tests/test_deploy.py"}
"""Pages that one test follows from top to bottom, by marks that this test alone knows."""
_BLOCK = re.compile(
    r"(?:^[ ]*<!-- (?P<mark>[^\n]+?) -->\n)?"
    r"^(?P<indent>[ ]*)```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_MARKS = {  # and the kinds of blocks that can have them; None for all
    r"not run: \S+ \S+ \S.*": None,
    r"run by tests/[\w/]+\.py": None,
    r"file: [\w.]+": None,
    r"prints": ("text",),
    r"exits \d+": ("sh",),
}
_CHECKED = ("sh", "python", "toml", "json", "text")  # without a mark, too
_KINDS = (*_CHECKED, "sql", "yaml", "c")
_TYPED = re.compile(
    r"^[ ]*(?:[$] |[.\w/]*/)?"
    r"(?:bitarm|python3?|pip|make|git|sudo|docker|pytest|npm|gcc|sqlite3|curl) [-\w./\"']"
    r"|^(?:import|from) \w|^\w+ = bitarm\.",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    page: str
    line: int
    mark: str
    kind: str
    text: str

    @property
    def commands(self) -> list[list[str]]:
        """Its command lines as words, comments left out and continued lines joined."""
        lines = self.text.replace("\\\n", " ").splitlines()
        words = [shlex.split(line, comments=True) for line in lines]
        return [line for line in words if line]

    @property
    def run_by(self) -> str:
        """The test that takes it from the page; empty if `test_docs_code` follows it."""
        marked = self.mark.removeprefix("run by ") if self.mark.startswith("run by ") else ""
        return _OWN_MARKS.get(self.page, marked)

    @property
    def is_run(self) -> bool:
        """Whether `test_docs_code` runs it."""
        is_code = self.kind in ("python", "sh")
        return is_code and not self.run_by and not self.mark.startswith(("not run", "file"))


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page in their order."""
    return list(_blocks_in(page, (ROOT / page).read_text("utf-8")))


def blocks_run_by(test: str) -> list[Block]:
    """The blocks that pages leave to this test; it must take all of them."""
    found = [block for page in PAGES for block in blocks_of(page) if block.run_by == test]
    assert found, f"no page has a block that is run by {test}"
    return found


def _blocks_in(page: str, text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        yield Block(
            page=page,
            line=text.count("\n", 0, found.start()) + 1,
            mark=found["mark"] or "",
            kind=found["kind"],
            text=re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
        )


def objections(page: str, text: str) -> list[str]:
    """Blocks of this page that a reader would see and no test would check, with the reason."""
    blocks = list(_blocks_in(page, text))
    found = [f"line {block.line}: {why}" for block in blocks if (why := _objection(block))]
    for one, other in zip(_BLOCK.finditer(text), list(_BLOCK.finditer(text))[1:], strict=False):
        follows = not text[one.end() : other.start()].strip()
        ran = next(_blocks_in(page, one[0])).is_run
        if follows and ran and other["kind"] == "text" and not other["mark"]:
            line = text.count("\n", 0, other.start()) + 1
            found.append(f"line {line}: if this is what the block before printed, mark it: prints")
    shown = markdown(text, extensions=["pymdownx.superfences", "admonition", "md_in_html"])
    if shown.count("<pre") != len(blocks):
        found.append("a block is not fenced by ``` lines: write it as the others are")
    return found


def _objection(block: Block) -> str:
    """What is wrong with it; empty if nothing is."""
    if block.kind not in _KINDS:
        return f"say what it is: one of {', '.join(_KINDS)}, not {block.kind!r}"
    if block.page in _OWN_MARKS:
        return "" if block.mark else "mark it"
    if not block.mark and block.kind not in _CHECKED:
        return f"nobody checks {block.kind}: mark it"
    if not block.mark and block.kind == "text" and _TYPED.search(block.text):
        return "this is typed by somebody: it is no text"
    kinds = [kinds for mark, kinds in _MARKS.items() if re.fullmatch(mark, block.mark)]
    if block.mark and not kinds:
        return f"no such mark: {block.mark!r}"
    if kinds and kinds[0] and block.kind not in kinds[0]:
        return f"{block.mark!r} is for {', '.join(kinds[0])}, not for {block.kind}"
    return ""
