"""What Successive Elimination spends at most while every interval holds, computed exactly.

A quantizer's error does not depend on the data (law 1 of `Quantizer`), so the radii of a run are
known before it starts, and with them the round in which each arm must fall.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import Intervals, Stride
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.theory.gaps import NoBound, check_means_of, gaps_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GoodEventBound:
    """Upper bounds that hold together, with probability at least 1 − δ."""

    messages: tuple[int, ...]  # i_j for every arm, the best one at the maximum
    rounds: int
    samples: int
    payload_bits: int | None  # None where the length of a message depends on the data


def on_good_event(spec: RunSpec, means: Sequence[float]) -> GoodEventBound | NoBound:
    """Bounds for the policy `se` (tolerance 0) on the event that all intervals hold.

    i_j = min{i : 4·U(i) ≤ Δ_j}: there LCB_1 ≥ μ_1 − 2U ≥ μ_j + 2U ≥ UCB_j, and arm j falls if it
    has not before. rounds = max i_j, samples = Σ t_{i_j}. Tight: unquantized, with one gap, a tape
    on the edge of the event reaches all of them. In exact arithmetic, that is: where decoded means
    tie (Fed-SEL's lattice), the last rounding of a float may cost a round more.
    """
    check_means_of(spec, means)
    if not isinstance(spec.sampling.confidence(Stride.TOGETHER), Intervals):
        raise ConfigError(f"the width {spec.width} does not judge by one interval an arm")
    gaps = gaps_of(means)
    smallest = min(gaps)
    if smallest == 0:
        return NoBound.TIE
    # Checkpoints and their radii until all arms have fallen.
    path: list[tuple[Occasion, float]] = []
    for occasion, radius in radii(spec):
        path.append((occasion, radius))
        if 4 * radius <= smallest:
            break
    else:
        return NoBound.GRID_ENDS
    messages = tuple(_first_below(path, gap) for gap in gaps)
    return GoodEventBound(
        messages=messages,
        rounds=max(messages),
        samples=sum(path[i - 1][0].pulls for i in messages),
        payload_bits=_payload_bits(spec.quantizer, path, messages),
    )


def radii(spec: RunSpec) -> Iterator[tuple[Occasion, float]]:
    """Every checkpoint of the schedule with U(i) there, the same for all arms.

    One turn of Eq. (4) each, with the quantizer's own error. Priors differ between arms in their
    value, not in their radius: that of arm 0 speaks for all.
    """
    held = spec.start(0)
    message = 1
    while (pulls := spec.schedule.pulls_at(message)) is not None:
        occasion = spec.occasion(message, pulls)
        error = spec.quantizer.error(held, occasion)
        held = Estimate.after(occasion, mean=held.mean, error=error)
        yield occasion, held.radius
        message += 1


def _first_below(path: list[tuple[Occasion, float]], gap: float) -> int:
    """min{i : 4·U(i) ≤ Δ}; the path is long enough for the smallest gap, hence for each."""
    return next(i for i, (_, radius) in enumerate(path, start=1) if 4 * radius <= gap)


def _payload_bits(
    quantizer: Quantizer, path: list[tuple[Occasion, float]], messages: tuple[int, ...]
) -> int | None:
    if not quantizer.has_fixed_length:
        return None
    sent = [quantizer.least_bits(occasion) for occasion, _ in path]
    return sum(sum(sent[:i]) for i in messages)
