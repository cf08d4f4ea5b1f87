"""Ten random Gaussian instances, drawn once: seed and parameters were not chosen on them."""

from bitarm.experiments.scattered import Scatter
from bitarm.experiments.schemes import INNOVATIONS, QUIET, icq

_COUNT = 10

SWEEP = {
    "title": "Ten random instances: Gaussian arms",
    "x": {"label": "instance", "values": list(range(1, _COUNT + 1))},
    "trials": 500,
    "arms": {
        "model": "gaussian",
        "sd": 1.0,
        "each": Scatter(best=(-6.0, 6.0), gap=(0.25, 1.5), spread=4.0).draw(_COUNT, seed=1),
    },
    "settings": {"delta": 0.01, "sigma": 1.0},
    "series": {**icq(), **INNOVATIONS, **QUIET},
}
