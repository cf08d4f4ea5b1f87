"""Figures that were never measured, for tests of what is made of them."""

from bitarm.planner.figures import Figures, Spread
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.search import Tried


def figures(*, cost: float = 1.0, samples: float = 100.0, bits: float = 10.0) -> Figures:
    """Figures with these means and no spread."""
    return Figures(
        measured_by="kernels",
        runs=10,
        wrong=0,
        undecided=0,
        stretch=1.0,
        rounds=_exactly(3.0),
        samples=_exactly(samples),
        payload_bits=_exactly(bits),
        messages=_exactly(6.0),
        cost=_exactly(cost),
    )


def tried(samples: float, bits: float) -> Tried:
    """A setting that cost so much."""
    words = {
        "quantizer": "dicq",
        "policy": "se",
        "width": "paper",
        "first": round(1000 * samples + bits),
    }
    return Tried(setting=SchemeWords.of(words), figures=figures(samples=samples, bits=bits))


def _exactly(mean: float) -> Spread:
    return Spread(mean=mean, sd=0.0, sem=0.0)
