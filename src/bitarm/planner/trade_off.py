"""The trade-off: the settings that no other beats in both samples and bits."""

import math
from collections.abc import Callable, Iterable, Sequence

from bitarm.planner.figures import Figures
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.search import Search, Tried

Carries = Callable[[SchemeWords], bool]
"""Whether the link carries a setting's frames; asked only of those that may be on a front, since to
find that out takes longer than a simulation."""

_POINTS = 10  # of the trade-off that are shown
_MEASURED = 24  # that are measured better before those are chosen
_WEIGHTS = (0.25, 0.6, 0.9)  # of samples against bits, for which good settings are sought
_NEAR = 1.05  # a setting so near to the front may belong to it once it is measured better
_APART = 1.12  # neighbours on the curve differ by this factor in samples or in bits


def trade_off(search: Search) -> tuple[Tried, ...]:
    """The trade-off among all settings that a search tried, and some more that it climbs to.

    Those that are shown fit the task's link, and were all measured equally well, beside the
    settings that were compared.
    """
    carries = search.link_check.carries
    for weight in _WEIGHTS:

        def traded(figures: Figures, weight: float = weight) -> float:
            bits = figures.payload_bits.mean
            return math.exp(weight * math.log(figures.samples.mean) + (1 - weight) * math.log(bits))

        ranked = sorted(search.screened.values(), key=lambda tried: traded(tried.figures))
        first = next((tried for tried in ranked if carries(tried.setting)), None)
        start = None if first is None else search.compare(first.setting)
        if start is not None:
            search.climb(start, traded, cycles=1)
    rough = {**search.screened, **search.compared}
    near = thinned(front(near_front(list(rough.values()), carries)), _MEASURED)
    measured = [search.compare(tried.setting) for tried in near]
    settled = [tried for tried in measured if tried is not None]
    return tuple(thinned(front([*settled, *search.compared.values()], carries), _POINTS))


def with_plan(curve: Sequence[Tried], plan: Tried) -> tuple[Tried, ...]:
    """The trade-off with the plan in it, whatever its prices were.

    A setting that seems to cost less than the plan owes that to noise: the plan was measured
    better, and so were those that came near it. It is left out, as is what the plan beats in both.
    """
    kept = [
        point
        for point in curve
        if point.setting != plan.setting
        and not _beats(plan, point)
        and point.figures.cost.mean > plan.figures.cost.mean
    ]
    return tuple(sorted([*kept, plan], key=_samples))


def _beats(one: Tried, other: Tried) -> bool:
    return _samples(one) <= _samples(other) and _bits(one) <= _bits(other)


def front(tried: Iterable[Tried], carries: Carries = lambda setting: True) -> list[Tried]:
    """The settings that no other beats in both samples and bits, those of fewest samples first."""
    kept: list[Tried] = []
    for point in sorted(tried, key=lambda point: (_samples(point), _bits(point))):
        if (not kept or _bits(point) < _bits(kept[-1])) and carries(point.setting):
            kept.append(point)
    return kept


def near_front(tried: Sequence[Tried], carries: Carries = lambda setting: True) -> list[Tried]:
    """The settings that might be on the front, given that their figures are rough."""
    best = front(tried, carries)
    near = [
        point
        for point in tried
        if not any(
            _NEAR * _samples(other) < _samples(point) and _NEAR * _bits(other) < _bits(point)
            for other in best
        )
    ]
    return [point for point in near if carries(point.setting)]


def thinned(curve: Sequence[Tried], most: int) -> list[Tried]:
    """At most so many settings, spread over the curve with both ends; no two that nearly agree."""
    kept = list(curve[:1])
    for point in curve[1:]:
        last = kept[-1]
        fewer_bits = _bits(last) / max(_bits(point), 1e-9)
        if _samples(point) / _samples(last) >= _APART or fewer_bits >= _APART:
            kept.append(point)
    if curve and kept[-1] is not curve[-1]:
        kept[-1:] = [curve[-1]] if len(kept) > 1 else [kept[-1], curve[-1]]
    if len(kept) <= most:
        return kept
    picked = {round(i * (len(kept) - 1) / (most - 1)) for i in range(most)}
    return sorted((kept[i] for i in picked), key=_samples)


def _samples(point: Tried) -> float:
    return point.figures.samples.mean


def _bits(point: Tried) -> float:
    return point.figures.payload_bits.mean
