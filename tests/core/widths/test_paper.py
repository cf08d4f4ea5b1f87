"""U'(i, δ) of Eq. (1)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.widths.paper import PaperWidth

TABLE = [
    # K, δ, σ, t, U' computed with 60 decimal digits
    (5, 0.00001, 0.125, 2, 0.498355923569630322153),
    (5, 0.00001, 0.125, 1024, 0.0294250328924460326197),
    (2, 0.05, 1.0, 1, 3.18596102149220492364),
    (10, 0.1, 0.5, 1000, 0.0995162677783694219541),
    (2, 0.5, 2.5, 10**12, 2.69338613445270964304e-5),
    (5, 0.2, 1.0, 7, 1.55811153865355480005),
]


@pytest.mark.parametrize(("arms", "delta", "sigma", "pulls", "expected"), TABLE)
def test_U_prime_is_equation_1(
    arms: int, delta: float, sigma: float, pulls: int, expected: float
) -> None:
    width = PaperWidth(arms=arms, delta=delta, sigma=sigma)
    assert width.u_prime(pulls, 1) == pytest.approx(expected, rel=1e-15)


def test_U_prime_at_one_pull_by_hand() -> None:
    # 4·2·1²/δ = e^8 makes the logarithm 8, the root 4, and U' = 4σ.
    width = PaperWidth(arms=2, delta=8 * math.exp(-8), sigma=0.25)
    assert width.u_prime(1, 1) == pytest.approx(1.0, rel=1e-15)


@given(
    arms=st.integers(1, 1000),
    delta=st.floats(1e-9, 0.999),
    sigma=st.floats(1e-3, 1e3),
)
def test_the_union_bound_over_all_pull_counts_stays_below_delta(
    arms: int, delta: float, sigma: float
) -> None:
    # Lemma 3: K·Σ_t 2·exp(−t·U'²/2σ²) < δ, here the first 300 terms and an integral for the rest.
    width = PaperWidth(arms=arms, delta=delta, sigma=sigma)
    total = sum(
        2 * arms * math.exp(-t * width.u_prime(t, t) ** 2 / (2 * sigma**2)) for t in range(1, 301)
    )
    assert total + delta / 2 / 300 < delta
    assert total > 0.8 * delta  # no factor was given away by mistake: Σ 1/t² / 2 = 0.822
