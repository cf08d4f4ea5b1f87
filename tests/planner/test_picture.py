"""The picture of a plan: a file that stands alone, the same bytes for the same plan."""

from pathlib import Path

import pytest
from planner.efforts import quick_searches

from bitarm.errors import ConfigError
from bitarm.planner.picture import draw_plan
from bitarm.planner.plan import Plan, plan

pytestmark = pytest.mark.slow  # a plan compiles kernels


@pytest.fixture(scope="module")
def made() -> Plan:
    with quick_searches():
        return plan(gaps=[0.4, 0.8], sigma=1.0, per_bit=1.0, per_pull=0.05, seed=1)


def test_an_svg_is_self_contained_and_repeatable(made: Plan, tmp_path: Path) -> None:
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    draw_plan(made, one)
    draw_plan(made, two)
    text = one.read_text(encoding="utf-8")
    assert one.read_bytes() == two.read_bytes()
    assert text.lstrip().startswith("<?xml")
    assert "<image" not in text
    assert "url(http" not in text


def test_the_ending_names_the_format(made: Plan, tmp_path: Path) -> None:
    draw_plan(made, tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["plan.gif?", "missing/plan.svg"])
def test_what_cannot_be_written_is_told(made: Plan, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="the plot cannot be written to"):
        draw_plan(made, tmp_path / name)
