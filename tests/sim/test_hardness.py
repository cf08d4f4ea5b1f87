"""The unquantized curve of the paper's hardness figure, from the simulator.

K = 5, means (0, 0, 0, 0, Δ), Gaussian noise with σ = 0.125, δ = 1e-5, α = 2. The paper prints none
of these settings but K; its 40 points fix them (`docs/paper.md`).
"""

import csv
from pathlib import Path

import pytest

from bitarm.api.simulate import simulate
from bitarm.sim.models import Gaussian

_REFERENCE = Path(__file__).parent / "reference" / "hardness_exact.csv"
_TRIALS = 40_000


def _published() -> list[tuple[float, float, float]]:
    """Δ, samples, rounds."""
    with _REFERENCE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [(float(row["gap"]), float(row["samples"]), float(row["rounds"])) for row in rows]


def test_the_reference_has_the_papers_20_gaps() -> None:
    gaps = [gap for gap, _, _ in _published()]
    assert gaps == pytest.approx([0.1 + 0.9 * i / 19 for i in range(20)])


@pytest.mark.parametrize(("gap", "samples", "rounds"), _published())
def test_samples_and_rounds_are_the_papers(gap: float, samples: float, rounds: float) -> None:
    models = [*(Gaussian(mean=0.0, sd=0.125) for _ in range(4)), Gaussian(mean=gap, sd=0.125)]
    (point,) = simulate(
        models,
        trials=_TRIALS,
        seed=1,
        workers=1,
        delta=1e-5,
        sigma=0.125,
        quantizer="exact",
        width="paper",
        growth=2,
    ).points
    assert point.result.samples.mean == pytest.approx(samples, rel=0.015)
    assert point.result.rounds.mean == pytest.approx(rounds, abs=0.05)
    assert point.result.errors == 0
    assert dict(point.result.outcomes) == {"decided": _TRIALS}
