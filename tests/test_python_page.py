"""docs/python.md: its code runs as it stands, and every name of a result in it exists."""

import re
from pathlib import Path
from typing import Any

import pytest

from bitarm.api.identification import Identification

_PAGE = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("blue ")
    assert second.startswith("roof ")
    by_hand = [line for line in blocks[1].splitlines() if line]
    assert len(by_hand) <= 20


def test_every_name_of_a_result_exists() -> None:
    named = set(re.findall(r"`result\.(\w+)", _PAGE))
    assert len(named) > 10
    assert named <= set(dir(Identification))
