"""Every policy, by name. A new one is a file here and a line in this list."""

from bitarm.core.policies.lil_ucb import LilUcb
from bitarm.core.policies.lil_ucb_count import LilUcbCount
from bitarm.core.policies.lucb import Lucb
from bitarm.core.policies.quiet import QuietElimination
from bitarm.core.policies.se import SuccessiveElimination
from bitarm.core.policy import Policy

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (QuietElimination, SuccessiveElimination, Lucb, LilUcb, LilUcbCount)
}

__all__ = [
    "POLICIES",
    "LilUcb",
    "LilUcbCount",
    "Lucb",
    "Policy",
    "QuietElimination",
    "SuccessiveElimination",
]
