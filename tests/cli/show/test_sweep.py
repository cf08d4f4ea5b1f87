"""The table of `bitarm simulate`: no figure is cut, however narrow the screen is."""

import io

import pytest
from rich.console import Console

import bitarm
from bitarm.cli.show.sweep import sweep_table
from bitarm.sim.models import Gaussian

pytestmark = pytest.mark.slow  # compiles a kernel


@pytest.mark.parametrize("width", [40, 80, 140])
def test_figures_are_whole_at_every_width(width: int) -> None:
    models = [Gaussian(mean=mean, sd=0.125) for mean in (0.0, 0.0, 0.01)]
    found = bitarm.simulate(models, trials=10, seed=1, quantizer="exact", policy=["se", "lucb"])
    screen = io.StringIO()
    Console(file=screen, width=width).print(sweep_table(found, width))
    shown = screen.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    for point in found.to_json()["results"]:
        assert point["samples"]["mean"] > 10_000
        assert f" {point['samples']['mean']:,.0f}"[:-2] in shown  # its last digits may be rounded
        assert f"{point['payload_bits']['mean']:,.0f}"[:-2] in shown
