"""Writes src/bitarm/problem.schema.json: the JSON Schema of problem files, for editors.

python scripts/make_schema.py
"""

import json
from pathlib import Path

from bitarm.api.schema import problem_schema

FILE = Path(__file__).parents[1] / "src" / "bitarm" / "problem.schema.json"


def page() -> str:
    """The file as it should be."""
    return json.dumps(problem_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
