"""Every sampling width, by name. A new one is a file here and a line in this list."""

from bitarm.core.confidence import Width
from bitarm.core.widths.lil import LilWidth
from bitarm.core.widths.pairwise import PairwiseMixtureWidth, PairwiseWidth
from bitarm.core.widths.paper import PaperWidth

WIDTHS: dict[str, type[Width]] = {
    width.name: width for width in (PaperWidth, LilWidth, PairwiseWidth, PairwiseMixtureWidth)
}

__all__ = ["WIDTHS", "LilWidth", "PairwiseMixtureWidth", "PairwiseWidth", "PaperWidth", "Width"]
