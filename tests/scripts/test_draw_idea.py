"""The pictures of docs/idea.md are those that the script draws."""

import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
sys.path.append(str(HOME / "scripts"))

import draw_idea


@pytest.mark.parametrize("name", ["fleet", "seam", "question", "challenge"])
def test_the_picture_is_current(name: str) -> None:
    drawn = (HOME / "docs" / "pictures" / f"{name}.svg").read_text("utf-8")
    assert getattr(draw_idea, name)() == drawn
