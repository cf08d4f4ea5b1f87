import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode
from scipy.integrate import quad
from scipy.stats import chisquare, norm

from bitarm.core.quantizer import Estimate, Occasion
from bitarm.core.quantizers import Dicq
from bitarm.errors import ConfigError
from bitarm.theory import Innovation

_TRIALS = 20_000

laws = st.builds(Innovation, moved=st.floats(0.02, 30.0), old=st.floats(0.5, 30.0))


def _step(message: int, pulls: int) -> Occasion:
    return Occasion(
        message=message, pulls=pulls, index=message, u_prime=1.0, sigma=0.125, bounds=None
    )


def _after(quantizer: Dicq, pulls: list[int]) -> tuple[Estimate, Occasion]:
    """What is held when the last of these messages is due, and its step."""
    held = quantizer.start(None, None)
    for message, t in enumerate(pulls[:-1], start=1):
        step = _step(message, t)
        held = Estimate.after(step, mean=0.0, error=quantizer.error(held, step))
    return held, _step(len(pulls), pulls[-1])


def _simulated(quantizer: Dicq, pulls: list[int], seed: int) -> tuple[Counter[int], float]:
    """How often each q was the last message, and its mean length, by the quantizer itself."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0.0, 0.125, (_TRIALS, pulls[-1]))
    means = rng.uniform(0.0, 50.0, _TRIALS)  # many lattices wide: nothing is known of them
    sums = np.cumsum(noise, axis=1)
    counts: Counter[int] = Counter()
    bits = 0
    for mean, row in zip(means, sums, strict=True):
        held = quantizer.start(None, None)
        for message, t in enumerate(pulls, start=1):
            step = _step(message, t)
            symbol = encode(quantizer, float(mean + row[t - 1] / t), held, step, 0.0)
            before, held = held, decode(quantizer, symbol, held, step)
        counts[round((held.mean - before.mean) / quantizer.step_size(step))] += 1
        bits += symbol.nbits
    return counts, bits / _TRIALS


def _misfit(counts: Counter[int], law: Innovation) -> float:
    """The p-value of the counts under the law; numbers that are rare are put with the last."""
    last = max(q for q in range(60) if law.probability(q) * _TRIALS >= 20)
    seen, expected = np.zeros(2 * last + 1), np.zeros(2 * last + 1)
    for q in range(-60, 61):
        place = min(max(q, -last), last) + last
        seen[place] += counts[q]
        expected[place] += law.probability(q) * _TRIALS
    return float(chisquare(seen, expected).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("pulls", [[2, 4], [2, 12], [2, 3, 4], [2, 4, 8, 16, 32]])
@pytest.mark.parametrize("kappa", [2.5, 1.0])
def test_messages_follow_the_law_and_cost_what_it_says(pulls: list[int], kappa: float) -> None:
    quantizer = Dicq(kappa=kappa)
    held, step = _after(quantizer, pulls)
    law = Innovation.of(quantizer, held, step)
    counts, length = _simulated(quantizer, pulls, seed=len(pulls))
    assert _misfit(counts, law) > 1e-6
    assert _misfit(counts, Innovation(moved=1.15 * law.moved, old=law.old)) < 1e-6
    expected = law.golomb_length(quantizer.divisor(held, step))
    spread = math.sqrt(sum(n * q * q for q, n in counts.items()) / _TRIALS)
    assert length == pytest.approx(expected, abs=5 * 2 * spread / math.sqrt(_TRIALS))
    assert law.entropy() < length < 2 * law.entropy()


@given(law=laws)
def test_it_is_a_law(law: Innovation) -> None:
    total = sum(law.probability(q) for q in range(-400, 401))
    assert total == pytest.approx(1.0, abs=1e-12)
    assert min(law.probability(q) for q in range(-400, 401)) > -1e-15
    second = sum(q * q * law.probability(q) for q in range(-400, 401))
    assert second >= law.variance - 1 / 4  # rounding takes away at most what half a step is


@pytest.mark.parametrize(("moved", "old"), [(0.4, 0.7), (0.05, 1.5), (3.0, 0.5)])
@pytest.mark.parametrize("number", [0, 1, -2])
def test_probabilities_are_those_of_the_convolution(moved: float, old: float, number: int) -> None:
    def share(e: float) -> float:
        cell = norm.cdf([number - 0.5, number + 0.5], loc=e, scale=moved)
        return float(cell[1] - cell[0]) / (2 * old)

    expected, _ = quad(share, -old, old, points=[-0.5, 0.5] if old > 0.5 else None, limit=200)
    law = Innovation(moved=moved, old=old)
    assert law.probability(number) == pytest.approx(expected, abs=1e-9)


@given(law=laws, divisor=st.integers(1, 12))
def test_a_code_is_never_shorter_than_the_entropy_nor_that_than_shannons(
    law: Innovation, divisor: int
) -> None:
    assert law.golomb_length(divisor) >= law.entropy()
    assert law.entropy() >= law.shannon_bits() - 1e-9


@pytest.mark.parametrize("jump", [1.3, 2, 4, 6, 36])
@pytest.mark.parametrize("kappa", [1.0, 2.0, 2.5, 4.0])
def test_dicqs_code_is_near_the_best(jump: float, kappa: float) -> None:
    """A fifth of a bit where messages are long; more where they have little to say."""
    quantizer = Dicq(kappa=kappa, kappa_first=kappa)
    held, step = _after(quantizer, [10, 20, 20 + round(20 * (jump - 1))])
    law = Innovation.of(quantizer, held, step)
    excess = law.golomb_length(quantizer.divisor(held, step)) - law.entropy()
    assert 0 < excess < (0.21 if law.entropy() > 1.3 else 0.5)
    assert law.entropy() - law.shannon_bits() < 0.6


@pytest.mark.parametrize(
    ("jump", "golomb", "entropy", "shannon"),
    [
        (1.3, 1.39, 1.09, 0.57),
        (2, 1.71, 1.55, 1.16),
        (4, 2.29, 2.16, 1.85),
        (6, 2.68, 2.48, 2.20),
        (36, 3.92, 3.83, 3.57),
    ],
)
def test_the_table_in_the_docs(jump: float, golomb: float, entropy: float, shannon: float) -> None:
    quantizer = Dicq(kappa=2.0)
    held, step = _after(quantizer, [10, 20, round(20 * jump)])
    law = Innovation.of(quantizer, held, step)
    divisor = quantizer.divisor(held, step)
    assert law.golomb_length(divisor) == pytest.approx(golomb, abs=0.006)
    assert law.entropy() == pytest.approx(entropy, abs=0.006)
    assert law.shannon_bits() == pytest.approx(shannon, abs=0.006)


def test_high_resolution_costs_what_textbooks_say() -> None:
    """H → h(X) − log2(step): for a Gaussian ½·log2(2πe·Var), ½·log2(2πe/12) over Shannon's."""
    law = Innovation(moved=100.0, old=0.5)
    assert law.entropy() == pytest.approx(
        math.log2(2 * math.pi * math.e * law.variance) / 2, abs=1e-4
    )
    excess = law.entropy() - law.shannon_bits()
    assert excess == pytest.approx(math.log2(2 * math.pi * math.e / 12) / 2, abs=1e-4)


def test_the_first_message_has_no_such_law() -> None:
    with pytest.raises(ConfigError, match="first message"):
        Innovation.of(Dicq(), Dicq().start(None, None), _step(1, 2))
    for moved, old in ((0.0, 1.0), (1.0, math.inf), (math.nan, 1.0)):
        with pytest.raises(ConfigError, match="must be a finite number above 0"):
            Innovation(moved=moved, old=old)
