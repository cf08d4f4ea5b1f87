"""The compiled quantizers at the edges of their bins, where random tapes rarely come."""

import math

import pytest
from quantizing import decode, encode

from bitarm.core.bounds import Bounds
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import FedSel, Icq, QuBan
from bitarm.core.quantizers.fed_sel import cells
from bitarm.sim.kernels.quantize import bin_middle, quban

_SIZE = 0.5  # of QuBan's steps for σ = ε = 1 and 4 pulls: levels are then exact floats
_FAR = [2.0**p for p in range(1, 40)]
_LEVELS = [
    *(x / 2 for x in range(-26, 28)),
    *_FAR,
    *(x + 4 for x in _FAR),
    *(-3 - x for x in _FAR),
]


def _step(u_prime: float = 1.0, bounds: Bounds | None = None) -> Occasion:
    return Occasion(message=2, pulls=4, index=2, u_prime=u_prime, sigma=1.0, bounds=bounds)


def _neighbours(x: float) -> tuple[float, float, float]:
    return math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)


@pytest.mark.parametrize("centre", [0.0, 0.3, -0.3, 1.0, -7.5])
@pytest.mark.parametrize("dither", [0.0, 0.25, 0.5, 1 - 2**-53])
def test_quban_is_the_cores_on_every_level_and_just_beside_it(centre: float, dither: float) -> None:
    core, step = QuBan(epsilon_quban=1.0), _step()
    assert core.step_size(step) == _SIZE
    held = Estimate(mean=centre, error=1.0, radius=2.0)
    offset = math.floor(centre / _SIZE)
    for level in _LEVELS:
        for x in _neighbours(level):
            mu_hat = (x + offset) * _SIZE
            symbol = encode(core, mu_hat, held, step, dither)
            mean, nbits, _ = quban(mu_hat, centre, _SIZE, dither)
            assert (mean, nbits) == (decode(core, symbol, held, step).mean, symbol.nbits), x


@pytest.mark.parametrize(
    ("quantizer", "bounds", "u_prime"),
    [
        (Icq(bits=1), None, 0.3),
        (Icq(bits=3), None, 0.25),
        (Icq(bits=8), None, 1e-3),
        (FedSel(), (0.0, 1.0), 0.25),
        (FedSel(), (-1.0, 0.7), 0.3),
        (FedSel(), (0.0, 1.0), 3.0),
    ],
)
def test_bins_are_the_cores_on_every_edge_and_just_beside_it(
    quantizer: Icq | FedSel, bounds: Bounds | None, u_prime: float
) -> None:
    step, held = _step(u_prime, bounds), Estimate(mean=0.4, error=0.2, radius=0.5)
    low, width, number = _bins(quantizer, held, step)
    for edge in range(-2, number + 3):
        for mu_hat in _neighbours(low + edge * width):
            symbol = encode(quantizer, mu_hat, held, step, 0.5)
            mean, cell = bin_middle(mu_hat, low, width, float(number - 1))
            assert (mean, cell) == (decode(quantizer, symbol, held, step).mean, symbol.value)


def _bins(quantizer: Quantizer, held: Estimate, step: Occasion) -> tuple[float, float, int]:
    if isinstance(quantizer, Icq):
        return *quantizer.bins(held, step), 1 << quantizer.bits
    assert step.bounds is not None
    return step.bounds[0], step.u_prime, cells(step)
