"""Every policy, by name. A new one is a file here and a line in this list.

`leader.py` has what those share that stop once one arm beats all others. `prospects.py` and
`recorded_ends.py` are what `challenge.py` chooses by: whom it asks, and how far.
"""

from bitarm.core.policies.challenge import ChallengeElimination
from bitarm.core.policies.lil_ucb import LilUcb
from bitarm.core.policies.lil_ucb_count import LilUcbCount
from bitarm.core.policies.lucb import Lucb
from bitarm.core.policies.se import SuccessiveElimination
from bitarm.core.policies.sequential_halving import SequentialHalving
from bitarm.core.policies.successive_rejects import SuccessiveRejects
from bitarm.core.policies.top_two import TopTwo
from bitarm.core.policy import Policy
from bitarm.core.registry import Registry

POLICIES: Registry[Policy] = Registry(
    "policy",
    Policy,  # type: ignore[type-abstract]
    (
        ChallengeElimination,
        SuccessiveElimination,
        Lucb,
        LilUcb,
        LilUcbCount,
        TopTwo,
        SequentialHalving,
        SuccessiveRejects,
    ),
)

__all__ = [
    "POLICIES",
    "ChallengeElimination",
    "LilUcb",
    "LilUcbCount",
    "Lucb",
    "Policy",
    "SequentialHalving",
    "SuccessiveElimination",
    "SuccessiveRejects",
    "TopTwo",
]
