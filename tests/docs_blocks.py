"""The blocks of code in README and docs: where they stand, and what their marks say of them.

A mark is a comment in the line before a block:

    not run: REASON     nobody runs it here; commands of ours in it are still parsed
    run by tests/FILE   that test takes it from the page and runs it
    file: NAME          a file that later blocks of the page find
    prints              what the block before it printed; a line … stands for any number of lines
    exits N             its last command ends with this code

Without a mark a block of Python or of commands is run, TOML and JSON must be readable.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
_BLOCK = re.compile(
    r"(?:^[ ]*<!-- (?P<mark>[^\n]+?) -->\n)?"
    r"^(?P<indent>[ ]*)```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)

# Marks for pages whose authors left them out: page, how the block begins, the mark.
_LENT = (
    ("docs/extending.md", "", "run by tests/e2e/test_extending.py"),
    ("docs/deploy.md", "", "run by tests/test_deploy.py"),
    ("docs/boundary.md", "learner = Learner", "run by tests/test_boundary.py"),
    ("docs/wire.md", "import", "run by tests/e2e/test_stranger.py"),
    ("docs/lorawan.md", "bitarm learner", "not run: needs a broker and ChirpStack"),
    ("docs/network.md", "bitarm learner", "not run: needs a broker; tests/e2e runs such a fleet"),
    ("docs/network.md", "bitarm", "not run: needs a broker, and a run that goes on"),
    ("docs/devices.md", "from bitarm_agent", "not run: needs a radio; tests/devices drives it"),
    ("docs/journal.md", "from bitarm.store", "not run: reads the journal of a run of yours"),
    ("docs/journal.md", "bitarm runs prune", "not run: forgets runs of yours"),
    ("docs/journal.md", "runs   (", "not run: the schema, which tests/store holds"),
    ("docs/journal.md", 'sqlite3 runs.sqlite ".b', "not run: copies the journal of a run of yours"),
    ("docs/evidence.md", "bitarm simulate", "not run: thousands of trials; figures for the page"),
    ("docs/dashboard.md", "bitarm", "not run: serves until it is stopped; tests/e2e"),
)  # fmt: skip


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
    def is_shell(self) -> bool:
        """Whether it holds commands: it says so, or its first line is one of ours."""
        return self.kind == "sh" or (self.kind == "" and self.text.lstrip().startswith("bitarm "))


def blocks_of(page: str) -> Iterator[Block]:
    """The blocks of a page in their order."""
    text = (ROOT / page).read_text("utf-8")
    for found in _BLOCK.finditer(text):
        inner = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield Block(
            page=page,
            line=text.count("\n", 0, found.start()) + 1,
            mark=_lent(page, inner) or found["mark"] or "",
            kind=found["kind"],
            text=inner,
        )


def _lent(page: str, text: str) -> str:
    return next((mark for of, start, mark in _LENT if of == page and text.startswith(start)), "")
