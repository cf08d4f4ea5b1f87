"""Draws the pictures of docs/gallery.md by running the code of that page.

python scripts/draw_gallery.py
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Run the blocks in order, in an empty folder, and keep what they drew."""
    os.environ |= {"MPLBACKEND": "svg", "SOURCE_DATE_EPOCH": "0"}
    import matplotlib as mpl  # it reads its backend from the environment

    mpl.rcParams["svg.hashsalt"] = "gallery"  # so that the same picture is the same file
    names: dict[str, object] = {}
    page = (DOCS / "gallery.md").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in _PYTHON.findall(page):
            exec(compile(block, "docs/gallery.md", "exec"), names)
        for drawn in sorted(Path().glob("*.svg")):
            (DOCS / "pictures" / drawn.name).write_bytes(drawn.read_bytes())


if __name__ == "__main__":
    main()
