"""Are the gains those of the paper's instances only? Ten random ones, Beta arms.

They were drawn once: seed and parameters were not chosen on them.
"""

from bitarm.experiments.random_instances import RandomInstances, never_worse
from bitarm.experiments.schemes import (
    BETA_SIGMA,
    CHALLENGE_IN_BOUNDS,
    INNOVATIONS,
    icq,
    with_sigma,
)

_COUNT = 10

SWEEP = {
    "title": "Ten random instances: Beta(γ, 1 − γ) arms",
    "x": {"label": "instance", "values": list(range(1, _COUNT + 1))},
    "trials": 500,
    "arms": {
        "model": "beta",
        "each": RandomInstances(best=(0.5, 0.95), gap=(0.1, 0.4), floor=0.02).draw(_COUNT, seed=3),
    },
    "settings": {"delta": 0.01, "bounds": (0.0, 1.0)},
    "series": {
        **with_sigma(BETA_SIGMA, icq(prior="lower"), INNOVATIONS),
        **CHALLENGE_IN_BOUNDS,
    },
}

ANALYSIS = never_worse(
    "The best mean is uniform on [0.5, 0.95]; no other is nearer than a number uniform on "
    "[0.1, 0.4], and they are uniform from 0.02 up to that. δ = 0.01; "
    "σ = √(1/8) for all but the default scheme, which is told none.",
)
