import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parents[2]


def test_the_page_of_words_is_current() -> None:
    """As `scripts/make_words.py` would write it now."""
    printed = subprocess.run(
        [sys.executable, "-c", "import make_words; print(make_words.page(), end='')"],
        cwd=HOME / "scripts",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (HOME / "docs" / "words.md").read_text("utf-8") == printed
