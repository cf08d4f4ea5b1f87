"""The picture of README is of the run that its command runs now."""

import html
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import draw_run


def _words(picture: str) -> list[str]:
    """What can be read in it: how a version of rich draws it is rich's own."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return [word for text in texts for word in html.unescape(text).split()]


def test_the_picture_says_what_the_run_prints() -> None:
    kept = _words(draw_run.FILE.read_text("utf-8"))
    assert len(kept) > 100
    assert _words(draw_run.picture()) == kept
