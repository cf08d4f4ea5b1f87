"""What an identification costs when the means are known: for planners, tests and reports.

`on_good_event` bounds what Successive Elimination spends with probability 1 − δ, for any scheme;
`closed_form` is the paper's own, wider bound; `lower_bound` is what no strategy can beat on
average. `counting_bound` is the same for bits; `Innovation` says what messages such as D-ICQ's
must cost. Nothing here takes part in a run.
"""

from bitarm.theory.closed_forms import ClosedForm, Condition, closed_form, inflation
from bitarm.theory.counting import CountingBound, answer_bits, counting_bound
from bitarm.theory.gaps import NoBound
from bitarm.theory.innovation import Innovation
from bitarm.theory.lower_bound import LowerBound, binary_kl, lower_bound
from bitarm.theory.on_good_event import GoodEventBound, on_good_event

__all__ = [
    "ClosedForm",
    "Condition",
    "CountingBound",
    "GoodEventBound",
    "Innovation",
    "LowerBound",
    "NoBound",
    "answer_bits",
    "binary_kl",
    "closed_form",
    "counting_bound",
    "inflation",
    "lower_bound",
    "on_good_event",
]
