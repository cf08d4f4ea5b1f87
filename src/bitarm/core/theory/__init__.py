"""What an identification costs when the means are known: for planners, tests and reports.

`on_good_event` bounds what Successive Elimination spends with probability 1 − δ, for any scheme;
`closed_form` is the paper's own, wider bound; `lower_bound` is what no strategy can beat on
average. Nothing here takes part in a run.
"""

from bitarm.core.theory.closed_forms import ClosedForm, Condition, closed_form, inflation
from bitarm.core.theory.gaps import NoBound
from bitarm.core.theory.lower_bound import LowerBound, binary_kl, lower_bound
from bitarm.core.theory.on_good_event import GoodEventBound, on_good_event

__all__ = [
    "ClosedForm",
    "Condition",
    "GoodEventBound",
    "LowerBound",
    "NoBound",
    "binary_kl",
    "closed_form",
    "inflation",
    "lower_bound",
    "on_good_event",
]
