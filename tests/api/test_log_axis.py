"""Ticks of logarithmic axes are plain numbers, and never too few."""

import pytest
from matplotlib.figure import Figure

from bitarm.api.log_axis import make_logarithmic


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((18, 19), ["18", "18.2", "18.4", "18.6", "18.8", "19"]),
        ((15, 300), ["20", "50", "100", "200"]),
        ((0.01, 0.1), ["0.01", "0.02", "0.05", "0.1"]),
        ((2, 2_000_000), ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_ticks_are_numbers_that_a_person_reads(ends: tuple[float, float], ticks: list[str]) -> None:
    panel = Figure().subplots()
    panel.plot(ends, ends)
    panel.set_xlim(*ends)
    make_logarithmic(panel, "x")
    low, high = panel.get_xlim()
    shown = [text for text in panel.get_xticklabels() if low <= text.get_position()[0] <= high]
    assert [text.get_text() for text in shown] == ticks
