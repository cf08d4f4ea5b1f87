"""Which quantizers want their start drawn, and from where."""

import pytest

from bitarm.core.bounds import Bounds
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import BudgetedDicq, Dicq, Exact, Icq

_BUDGETED = BudgetedDicq(allowances=(2, 1), reaches=(4.0, 1.0))


@pytest.mark.parametrize(
    ("quantizer", "bounds", "expected"),
    [
        (Icq(), (0.0, 1.0), (0.0, 1.0)),
        (Icq(prior="midpoint"), (0.0, 1.0), None),
        (Exact(), (0.0, 1.0), None),
        (Dicq(), None, None),
        (_BUDGETED, None, (-1.0, 1.0)),
        (_BUDGETED, (0.0, 6.0), (2.0, 4.0)),
    ],
)
def test_where_a_start_is_drawn(
    quantizer: Quantizer, bounds: Bounds | None, expected: Bounds | None
) -> None:
    assert quantizer.prior_range(bounds) == expected
