"""What agents kept of their rewards, for tests of evidence."""

import math
import random

from hypothesis import strategies as st

from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.bets import Bets

UNIT = Scale(bounded=True, low=0.0, unit=1.0)
GRID = [m / 400 for m in range(401)]


def kept(rewards: list[float], scale: Scale = UNIT) -> Account:
    scaled = [scale.inward(reward) for reward in rewards]
    n = len(rewards)
    return Account(scale, n, math.fsum(rewards) / n, Bets().after(scaled, 0))


@st.composite
def accounts(draw: st.DrawFn, least: int = 1, most: int = 400) -> Account:
    """Of Bernoulli or Beta rewards, or ones that never change."""
    n, p = draw(st.integers(least, most)), draw(st.floats(0.01, 0.99))
    chance = random.Random(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["coin", "beta", "constant"]))
    if kind == "coin":
        return kept([float(chance.random() < p) for _ in range(n)])
    if kind == "constant":
        return kept([p] * n)
    c = draw(st.sampled_from([0.3, 3.0, 60.0]))
    return kept([chance.betavariate(p * c, (1 - p) * c) for _ in range(n)])
