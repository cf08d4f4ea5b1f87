"""Fed-SEL with the radius that the published curves match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Advance, Drop, PolicyContext, Stop
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import FedSel, FedSelPaper
from bitarm.core.schedule import paper_schedule
from bitarm.core.widths import PaperWidth
from bitarm.errors import ConfigError

WIDTH = PaperWidth(arms=2, delta=0.05, sigma=0.125)
CONTEXT = PolicyContext(
    arms=2,
    delta=0.05,
    confidence=WIDTH.confidence(Stride.TOGETHER),
    schedule=paper_schedule(2),
)


def at(index: int, a: float = 0.0, b: float = 1.0) -> Occasion:
    pulls = 2**index
    u_prime = WIDTH.u_prime(pulls, index)
    return Occasion(
        message=index, pulls=pulls, index=index, u_prime=u_prime, sigma=0.125, bounds=(a, b)
    )


steps = st.builds(at, st.integers(1, 30), st.floats(-9, 0), st.floats(0.1, 9))


@given(step=steps, mu_hat=st.floats(-9, 9), dither=st.floats(0, 0.999))
def test_bits_and_means_are_those_of_fed_sel(step: Occasion, mu_hat: float, dither: float) -> None:
    symbol = encode(FedSelPaper(), mu_hat, NOTHING_KNOWN, step, dither)
    assert symbol == encode(FedSel(), mu_hat, NOTHING_KNOWN, step, dither)
    assert FedSelPaper().least_bits(step) == FedSel().least_bits(step) == symbol.nbits
    paper = decode(FedSelPaper(), symbol, NOTHING_KNOWN, step)
    assert paper.mean == decode(FedSel(), symbol, NOTHING_KNOWN, step).mean
    assert paper.radius == pytest.approx(2 * step.u_prime, rel=1e-8)
    assert paper.radius > 2 * step.u_prime  # strictly: a tie is no drop


def decide(step: Occasion, cell: int, lead: int) -> tuple[Advance | Drop | Stop, ...]:
    """What Successive Elimination makes of two arms `lead` cells apart."""
    quantizer = FedSelPaper()
    assert step.bounds is not None
    decoded: list[Estimate] = []
    for k in (cell, cell + lead):
        mean = step.bounds[0] + (k + 0.5) * step.u_prime
        symbol = encode(quantizer, mean, NOTHING_KNOWN, step, 0.5)
        assert symbol.value == k
        decoded.append(decode(quantizer, symbol, NOTHING_KNOWN, step))
    views = [
        ArmView(
            arm=arm,
            mean=estimate.mean,
            pulls=step.pulls,
            messages=1,
            index=step.index,
            error=estimate.error,
        )
        for arm, estimate in enumerate(decoded)
    ]
    return SuccessiveElimination().decide(views, CONTEXT)


# The margin is 2^−39·U': rounding stays below it up to some 2^12 cells (12 bits a message, here
# t = 2^23), where the figure's runs have long ended.
@pytest.mark.parametrize("index", range(8, 22))
def test_a_tie_of_four_cells_is_no_drop_and_five_are(index: int) -> None:
    step = at(index)
    n = int(1 / step.u_prime)
    for cell in range(n - 5):
        assert not any(isinstance(action, Drop) for action in decide(step, cell, 4))
        assert decide(step, cell, 5)[0] == Drop(arm=0, because=1)


def test_it_needs_bounds_and_refuses_a_prior() -> None:
    assert FedSelPaper().start(None, (0.0, 1.0)) == NOTHING_KNOWN
    with pytest.raises(ConfigError, match="needs bounded rewards"):
        FedSelPaper().start(None, None)
    with pytest.raises(ConfigError, match="takes no prior"):
        FedSelPaper().start(0.5, (0.0, 1.0))
