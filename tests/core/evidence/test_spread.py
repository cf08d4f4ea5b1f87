"""A spread is told to a factor of two, and only as far as agents tell it."""

import pytest
from core.evidence.accounts import accounts
from hypothesis import given

from bitarm.core.bits import BitReader, Symbol
from bitarm.core.evidence.account import Account
from bitarm.core.evidence.spread import read_spread, write_spread
from bitarm.errors import PeerProtocolError


@given(account=accounts())
def test_a_pilot_tells_the_spread_to_a_factor_of_two(account: Account) -> None:
    told = account.mean
    symbol = write_spread(account, told)
    spread = read_spread(BitReader(symbol))
    least = 0.5 / (account.pulls + 1)
    mean = min(max(told, least), 1 - least)
    ratio = account.variance / (mean * (1 - mean))
    assert ratio >= 2.0**spread / 2 or spread == -16
    assert ratio < 2.0**spread * 2 or spread == 0


def test_a_spread_that_no_agent_tells_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="no agent tells"):
        read_spread(BitReader(Symbol((1 << 10) - 2, 10)))
