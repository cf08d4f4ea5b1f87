"""The pictures of docs/idea.md are those that the script draws."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import draw_idea


@pytest.mark.parametrize("name", ["fleet", "seam", "question", "challenge"])
def test_the_picture_is_current(name: str) -> None:
    kept = (draw_idea.FOLDER / f"{name}.svg").read_text("utf-8")
    assert getattr(draw_idea, name)() == kept
