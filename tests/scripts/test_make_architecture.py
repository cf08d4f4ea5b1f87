import re
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parents[2]
PAGE = HOME / "docs" / "architecture.md"


def test_the_generated_parts_of_the_page_are_current() -> None:
    """As `scripts/make_architecture.py` would write them now."""
    code = "import sys, make_architecture as made; print(made.page(sys.stdin.read()), end='')"
    printed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HOME / "scripts",
        input=PAGE.read_text("utf-8"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert PAGE.read_text("utf-8") == printed


def test_the_page_names_files_that_are_there() -> None:
    """Every path in the page's text is one below `src/bitarm`, or below the project's folder."""
    text = PAGE.read_text("utf-8")
    named = set(re.findall(r"\b[a-z_]+/(?:[a-z_]+/)*(?:[a-z_]+\.py)?", text))
    assert len(named) > 30
    missing = {
        path
        for path in named
        if not ((HOME / "src" / "bitarm" / path).exists() or (HOME / path).exists())
    }
    assert not missing - {"decisions/"}
