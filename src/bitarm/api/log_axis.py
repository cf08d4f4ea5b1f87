"""Logarithmic axes whose ticks are numbers that a person reads: 20 and 50, not 5 × 10¹."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORT, _LONG = 5, 2000  # from the lowest to the highest, as factors


def make_logarithmic(panel: "Axes", side: Literal["x", "y"]) -> None:
    """Make one axis of a panel logarithmic, after its curves were drawn.

    A long one has ticks at powers of ten, a shorter one also at 2 and 5 times these, and one that
    is too short for that has equal steps.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axis = panel.xaxis if side == "x" else panel.yaxis
    (panel.set_xscale if side == "x" else panel.set_yscale)("log")
    low, high = sorted(axis.get_view_interval())
    if high < _SHORT * low:
        axis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    else:
        axis.set_major_locator(LogLocator(subs=(1,) if high > _LONG * low else (1, 2, 5)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.8g}"))
