"""Where a quantizer wants μ̃_0 drawn for every arm, instead of knowing it."""

from bitarm.core.quantizer import Bounds, Quantizer
from bitarm.core.quantizers import BudgetedDicq, Icq


def prior_range(quantizer: Quantizer, bounds: Bounds | None) -> Bounds | None:
    """The interval on which it is uniform; None if it is not drawn.

    The paper draws ICQ's between the bounds. D-ICQ under a bit budget draws it from a cell around
    its start, a dither: on one lattice for all arms many would tie, and the same ones always win.
    """
    if isinstance(quantizer, BudgetedDicq):
        return quantizer.starts(bounds)
    if isinstance(quantizer, Icq) and quantizer.prior == "uniform":
        return bounds
    return None
