"""Ten random Bernoulli instances, drawn once: seed and parameters were not chosen on them."""

from bitarm.experiments.scattered import Scatter
from bitarm.experiments.schemes import INNOVATIONS, QUIET, icq

_COUNT = 10

SWEEP = {
    "title": "Ten random instances: Bernoulli arms",
    "x": {"label": "instance", "values": list(range(1, _COUNT + 1))},
    "trials": 500,
    "arms": {
        "model": "bernoulli",
        "each": Scatter(best=(0.5, 0.95), gap=(0.1, 0.4), floor=0.02).draw(_COUNT, seed=2),
    },
    "settings": {"delta": 0.01, "sigma": 0.5, "bounds": (0.0, 1.0)},
    "series": {**icq(prior="lower"), **INNOVATIONS, **QUIET},
}
