"""Every sampling width, by name. A new one is a file here and a line in this list."""

from bitarm.core.confidence import Width
from bitarm.core.widths.lil import LilWidth
from bitarm.core.widths.paper import PaperWidth

WIDTHS: dict[str, type[PaperWidth] | type[LilWidth]] = {
    width.name: width for width in (PaperWidth, LilWidth)
}

__all__ = ["WIDTHS", "LilWidth", "PaperWidth", "Width"]
