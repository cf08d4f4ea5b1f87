"""Whether what is known of the rewards fits what the guarantee assumes of them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel


def sigma_caveats(sigma: float, models: "Iterable[RewardModel]") -> list[str]:
    """Why σ is not valid for these models, if it is not."""
    needed = max((model.sigma for model in models), default=0.0)
    if sigma >= needed * (1 - 1e-9):
        return []
    if needed == float("inf"):
        return ["these rewards are not sub-Gaussian: no sigma is valid"]
    return [f"sigma = {sigma:g} is too small for these rewards: {needed:.4g} is valid"]
