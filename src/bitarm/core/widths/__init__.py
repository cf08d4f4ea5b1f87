"""Every width, by name. A new one is a file here or in `core/evidence`, and a line in this list.

`mixture.py` is no width, but what those that hold at any time are computed with.
"""

from bitarm.core.confidence import Width
from bitarm.core.evidence.bounded import BoundedEvidence
from bitarm.core.evidence.sub_gaussian import SubGaussianEvidence
from bitarm.core.registry import Registry
from bitarm.core.widths.intervals import IntervalsWidth
from bitarm.core.widths.lil import LilWidth
from bitarm.core.widths.pairwise import PairwiseMixtureWidth, PairwiseWidth
from bitarm.core.widths.paper import PaperWidth

WIDTHS: Registry[Width] = Registry(
    "width",
    Width,  # type: ignore[type-abstract]
    (
        PaperWidth,
        LilWidth,
        IntervalsWidth,
        PairwiseWidth,
        PairwiseMixtureWidth,
        SubGaussianEvidence,
        BoundedEvidence,
    ),
    has_words=False,  # a run's K, δ and σ are all that it depends on
)

__all__ = [
    "WIDTHS",
    "BoundedEvidence",
    "IntervalsWidth",
    "LilWidth",
    "PairwiseMixtureWidth",
    "PairwiseWidth",
    "PaperWidth",
    "SubGaussianEvidence",
    "Width",
]
