"""Whether what is known of the rewards fits what the guarantee assumes of them."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from bitarm.core.resolution import resolution
from bitarm.core.spec import RunSpec
from bitarm.errors import RefusedRewardError
from bitarm.rewards.recorded import RecordedSource

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

_OF_A_GAP = 2.0**-20  # widths come down to about the gap before arms are told apart


def sigma_caveats(spec: RunSpec, models: "Iterable[RewardModel]") -> list[str]:
    """Why a run's σ is not valid for these models, if it is not and the run relies on it."""
    if not spec.sampling.needs_sigma:
        return []  # rewards outside the bounds are refused as they come
    sigma = spec.sigma
    needed = max((model.sigma for model in models), default=0.0)
    if sigma >= needed * (1 - 1e-9):
        return []
    if needed == float("inf"):
        return ["these rewards are not sub-Gaussian: no sigma is valid"]
    return [f"sigma = {sigma:g} is too small for these rewards: {_raised(needed)} is valid"]


_BY_CHANCE = 1e-4  # how rarely data may be said to contradict a sigma that is valid


def data_caveats(spec: RunSpec, sources: Iterable[RecordedSource]) -> list[str]:
    """Why a run's σ is not valid for data that are there already, if they contradict it.

    For σ-sub-Gaussian rewards E exp(λ(X − μ)²/(2σ²)) ≤ (1 − λ)^(−1/2), so by Chernoff's bound their
    mean squared deviation exceeds c·σ² with a probability of at most exp(−n(c − 1 − ln c)/2). That
    is 10^−4 over all arms: what agrees with σ may still break it, what contradicts it does not
    happen to be so.
    """
    if not spec.sampling.needs_sigma:
        return []
    caveats = []
    for source in sources:
        deviation = _deviation(source.rewards)
        surprise = _surprise(deviation / spec.sigma, len(source.rewards))
        if surprise > math.log(len(spec.arms) / _BY_CHANCE):
            caveats.append(
                f"sigma = {spec.sigma:g} is too small for {source.where}: its rewards deviate by "
                f"{deviation:.4g}: {_valid_sigma(spec, source.rewards)}"
            )
    return caveats


def check_data(spec: RunSpec, sources: Iterable[RecordedSource], *, clip: bool) -> None:
    """Refuse data that leave the bounds, before anything is run on them."""
    if spec.bounds is None or clip:
        return
    a, b = spec.bounds
    for source in sources:
        outside = [n for n, reward in enumerate(source.rewards) if not a <= reward <= b]
        if outside:
            first = outside[0]
            low, high = min(source.rewards), max(source.rewards)
            raise RefusedRewardError(
                f"{len(outside):,} of {len(source.rewards):,} rewards in {source.where} lie "
                f"outside the bounds [{a}, {b}], first number {first + 1:,}, which is "
                f"{source.rewards[first]:g}; all reach from {low:g} to {high:g}: widen the bounds, "
                "or ask for clipping"
            )


def _surprise(deviation: float, count: int) -> float:
    """The nats by which so many rewards contradict a σ of which this is their deviation."""
    excess = deviation * deviation
    if not 1 < excess < math.inf:
        return 0.0 if excess <= 1 else math.inf
    return count * (excess - 1 - math.log(excess)) / 2


def _deviation(rewards: Sequence[float]) -> float:
    """Their standard deviation: in units of the largest, whose square need not be a float."""
    unit = max(map(abs, rewards)) or 1.0
    mean = math.fsum(reward / unit for reward in rewards) / len(rewards)
    squares = math.fsum((reward / unit - mean) ** 2 for reward in rewards)
    return unit * math.sqrt(squares / len(rewards))


def _valid_sigma(spec: RunSpec, rewards: Sequence[float]) -> str:
    if spec.bounds is not None:
        a, b = spec.bounds
        return f"{_raised((b - a) / 2)}, half the range of the bounds, is valid"
    half = max(rewards) / 2 - min(rewards) / 2
    return f"{_raised(half)} is valid if rewards never leave the range of these data"


def _raised(sigma: float) -> str:
    """In four digits, and never less: what is called valid must be."""
    short = f"{sigma:.4g}"
    if float(short) >= sigma:
        return short
    return f"{sigma + 10.0 ** (math.floor(math.log10(sigma)) - 3):.4g}"


def resolution_caveats(models: "Iterable[RewardModel]") -> list[str]:
    """Why floats do not tell these models' means apart, if they do not.

    For a simulation, of which no means are kept. A run judges by the means that it was told.
    """
    means = sorted(model.mean for model in models)
    gaps = [after - before for before, after in pairwise(means) if after > before]
    largest = max(map(abs, means), default=0.0)
    if not gaps or resolution(largest) <= min(gaps) * _OF_A_GAP:
        return []
    return [
        f"means up to {largest:.6g} are too large beside a gap of {min(gaps):g} for 64-bit floats: "
        "subtract from all rewards what they have in common"
    ]
