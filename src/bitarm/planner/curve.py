"""The trade-off: the settings that no other beats in both samples and bits."""

from collections.abc import Iterable, Sequence
from operator import attrgetter

from bitarm.planner.search import Tried

_NEAR = 1.05  # a setting so near to the front may belong to it once it is measured better
_APART = 1.12  # neighbours on the curve differ by this factor in samples or in bits


def front(tried: Iterable[Tried]) -> list[Tried]:
    """Those that no other beats in both, by samples."""
    kept: list[Tried] = []
    ordered = sorted(tried, key=lambda it: (it.figures.samples.mean, it.figures.payload_bits.mean))
    for it in ordered:
        if not kept or it.figures.payload_bits.mean < kept[-1].figures.payload_bits.mean:
            kept.append(it)
    return kept


def near_front(tried: Sequence[Tried]) -> list[Tried]:
    """Those that might be on the front, given that their figures are rough."""
    best = front(tried)
    return [
        it
        for it in tried
        if not any(
            _NEAR * other.figures.samples.mean < it.figures.samples.mean
            and _NEAR * other.figures.payload_bits.mean < it.figures.payload_bits.mean
            for other in best
        )
    ]


def thinned(curve: Sequence[Tried], most: int) -> list[Tried]:
    """At most so many, spread over the curve, both ends among them; not two that are nearly one."""
    kept = list(curve[:1])
    for it in curve[1:]:
        last = kept[-1].figures
        fewer_bits = last.payload_bits.mean / max(it.figures.payload_bits.mean, 1e-9)
        if it.figures.samples.mean / last.samples.mean >= _APART or fewer_bits >= _APART:
            kept.append(it)
    if curve and kept[-1] is not curve[-1]:
        kept[-1:] = [curve[-1]] if len(kept) > 1 else [kept[-1], curve[-1]]
    if len(kept) <= most:
        return kept
    picked = {round(i * (len(kept) - 1) / (most - 1)) for i in range(most)}
    return sorted((kept[i] for i in picked), key=attrgetter("figures.samples.mean"))
