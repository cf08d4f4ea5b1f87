"""Are the gains those of the paper's instances only? Ten random ones, Gaussian arms.

They were drawn once: seed and parameters were not chosen on them.
"""

from bitarm.experiments.random_instances import RandomInstances, never_worse
from bitarm.experiments.schemes import CHALLENGE, INNOVATIONS, icq

_COUNT = 10

SWEEP = {
    "title": "Ten random instances: Gaussian arms",
    "x": {"label": "instance", "values": list(range(1, _COUNT + 1))},
    "trials": 500,
    "arms": {
        "model": "gaussian",
        "sd": 1.0,
        "each": RandomInstances(best=(-6.0, 6.0), gap=(0.25, 1.5), spread=4.0).draw(_COUNT, seed=1),
    },
    "settings": {"delta": 0.01, "sigma": 1.0},
    "series": {**icq(), **INNOVATIONS, **CHALLENGE},
}

ANALYSIS = never_worse(
    "The best mean is uniform on [−6, 6]; no other is nearer to it than a number uniform on "
    "[0.25, 1.5], and they are uniform over the 4 below that. σ = 1, δ = 0.01.",
)
