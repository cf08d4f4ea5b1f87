"""Whether what is known of the rewards fits what the guarantee assumes of them."""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from bitarm.core.evidence.bounded import BoundedEvidence
from bitarm.core.resolution import resolution
from bitarm.core.spec import RunSpec

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

_OF_A_GAP = 2.0**-20  # widths come down to about the gap before arms are told apart


def sigma_caveats(spec: RunSpec, models: "Iterable[RewardModel]") -> list[str]:
    """Why a run's σ is not valid for these models, if it is not and the run relies on it."""
    if spec.width == BoundedEvidence.name:
        return []  # rewards outside the bounds are refused as they come
    sigma = spec.sigma
    needed = max((model.sigma for model in models), default=0.0)
    if sigma >= needed * (1 - 1e-9):
        return []
    if needed == float("inf"):
        return ["these rewards are not sub-Gaussian: no sigma is valid"]
    return [f"sigma = {sigma:g} is too small for these rewards: {needed:.4g} is valid"]


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
