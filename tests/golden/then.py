"""What was a default when runs were recorded, and is another by now.

A record names the words that its run was given. The others had their defaults, which may change;
what a run with the same words does may not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from bitarm.api.default_scheme import default_width
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride, Width
from bitarm.core.policy import Policy
from bitarm.core.widths import PaperWidth


def _width_of_then(policy: Policy | type[Policy], *, bounds_only: bool = True) -> type[Width]:
    """Arms that move apart were compared by intervals."""
    if policy.stride is Stride.APART and not is_budgeted(policy):
        return PaperWidth
    return default_width(policy, bounds_only=bounds_only)


@contextmanager
def defaults_of_then() -> Iterator[None]:
    """In here a word that is not given is what it was."""
    with patch("bitarm.api.scheme.default_width", _width_of_then):
        yield
