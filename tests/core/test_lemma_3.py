"""Lemma 3 of the paper: the probability that every interval holds, measured."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from quantizing import decode, encode
from scipy import stats

from bitarm.core.quantizers import Icq
from bitarm.core.schedule import paper_schedule
from bitarm.core.spec import RunSpec
from bitarm.core.widths import LilWidth, PaperWidth

ARMS, DELTA, SIGMA = 5, 0.2, 0.5
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

GRIDS = {
    "powers of 2": [2**i for i in range(1, 40)],  # the paper's, to its end
    "every pull": list(range(1, 65)),
}


def empirical_means(trials: int, grid: Sequence[int], noise: float, seed: int) -> Floats:
    """μ̂ − μ for Gaussian rewards, shape (trials, arms, checkpoints), from exact batch sums."""
    rng = np.random.default_rng(seed)
    batches = np.diff(np.array([0, *grid], dtype=np.float64))
    sums = rng.standard_normal((trials, ARMS, len(grid))) * (noise * np.sqrt(batches))
    means: Floats = np.cumsum(sums, axis=2) / np.array(grid, dtype=np.float64)
    return means


def rate(count: int, trials: int) -> tuple[float, float]:
    """The exact (Clopper–Pearson) interval of a rate, at 99.9 %."""
    interval = stats.binomtest(count, trials).proportion_ci(0.999, "exact")
    return float(interval.low), float(interval.high)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize(
    ("width", "too_narrow"),
    [
        (PaperWidth(arms=ARMS, delta=DELTA, sigma=SIGMA), 0.5),
        (LilWidth(arms=ARMS, delta=DELTA, sigma=SIGMA), 0.3),
    ],
    ids=["paper", "lil"],
)
def test_lemma_3_the_intervals_all_hold_with_probability_1_minus_delta(
    grid: str, width: PaperWidth | LilWidth, too_narrow: float
) -> None:
    trials = 20_000
    means = empirical_means(trials, GRIDS[grid], SIGMA, seed=20230503)
    widths = np.array([width.u_prime(t, i) for i, t in enumerate(GRIDS[grid], start=1)])

    def failures(scale: float) -> int:
        outside: Bools = np.abs(means) > scale * widths
        return int(outside.any(axis=(1, 2)).sum())

    assert rate(failures(1.0), trials)[1] <= DELTA
    # The negative control: a width this much too narrow is caught.
    assert rate(failures(too_narrow), trials)[0] > DELTA


CHECKPOINTS = [2**i for i in range(1, 13)]


def gaussian_spec(bits: int) -> RunSpec:
    return RunSpec(
        arms=tuple("abcde"),
        delta=DELTA,
        sigma=SIGMA,
        bounds=None,
        quantizer=Icq(bits=bits, prior="quban"),
        width="paper",
        schedule=paper_schedule(2),
        priors=(),
        seed=0,
    )


def decoded_misses(spec: RunSpec, means: Floats, grid: Sequence[int], seed: int) -> Bools:
    """Where |μ̃ − μ| > U (μ = 0), by the real quantizer, in the shape of `means`."""
    dithers = np.random.default_rng(seed).random(means.shape)
    outside: Bools = np.zeros(means.shape, dtype=np.bool_)
    for trial, arm in np.ndindex(*means.shape[:2]):
        held = spec.start(arm)
        for n, t in enumerate(grid, start=1):
            step = spec.occasion(n, t)
            mu_hat = float(means[trial, arm, n - 1])
            dither = float(dithers[trial, arm, n - 1])
            symbol = encode(spec.quantizer, mu_hat, held, step, dither)
            held = decode(spec.quantizer, symbol, held, step)
            outside[trial, arm, n - 1] = abs(held.mean) > held.radius
    return outside


@pytest.mark.parametrize("bits", [1, 3])
def test_lemma_3_holds_for_the_decoded_means_of_icq(bits: int) -> None:
    trials, spec = 600, gaussian_spec(bits)
    honest = empirical_means(trials, CHECKPOINTS, SIGMA, seed=1)
    outside = decoded_misses(spec, honest, CHECKPOINTS, seed=2)
    assert rate(int(outside.any(axis=(1, 2)).sum()), trials)[1] <= DELTA

    # The negative control: noise four times the declared σ breaks the promise, and is seen.
    noisy = empirical_means(trials, CHECKPOINTS, 4 * SIGMA, seed=3)
    outside = decoded_misses(spec, noisy, CHECKPOINTS, seed=4)
    assert rate(int(outside.any(axis=(1, 2)).sum()), trials)[0] > DELTA


@pytest.mark.parametrize("bits", [1, 3])
def test_no_decoded_mean_leaves_its_interval_before_the_empirical_mean_did(bits: int) -> None:
    # Lemma 2 as an inclusion of events, on tapes that break the assumption, where both happen.
    spec = gaussian_spec(bits)
    noisy = empirical_means(600, CHECKPOINTS, 2.5 * SIGMA, seed=5)
    outside = decoded_misses(spec, noisy, CHECKPOINTS, seed=6)
    u_primes = np.array([spec.occasion(n, t).u_prime for n, t in enumerate(CHECKPOINTS, start=1)])
    left: Bools = np.maximum.accumulate(np.abs(noisy) > u_primes, axis=2)
    assert (left | ~outside).all()
    assert outside.any(axis=2).sum() > 50  # both events happened,
    assert (left & ~outside).any(axis=2).sum() > 50  # one without the other,
    assert (~left.any(axis=2)).sum() > 50  # and neither
