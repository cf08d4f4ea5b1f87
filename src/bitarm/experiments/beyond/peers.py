"""bitarm beside others: arms and δ of a table that was published for other strategies.

They see every reward and know that rewards are coins; here agents tell a few bits, and know no more
than the bounds. `experiments/peers.csv` has the published figures.
"""

from bitarm.experiments.analysis import Analysis
from bitarm.experiments.claims import fewer
from bitarm.experiments.schemes import CHALLENGE_IN_BOUNDS

_FINE = 0.01  # deviations: as good as exact means
_STEPS = ("kappa", "kappa_first", "kappa_cut", "kappa_pilot", "kappa_place")
_CLOSELY = {"cap": 1.05, "patience": 0.1, "aim": 0.0}

SWEEP = {
    "title": "Beside other strategies: Bernoulli arms of Garivier and Kaufmann (2016)",
    "x": {"label": "instance", "values": [1, 2]},
    "trials": 3000,
    "arms": {
        "model": "bernoulli",
        "each": [[0.5, 0.45, 0.43, 0.4], [0.3, 0.21, 0.2, 0.19, 0.18]],
    },
    "settings": {"delta": 0.1, "bounds": (0.0, 1.0)},
    "series": {
        **CHALLENGE_IN_BOUNDS,
        "challenge-closely": {
            **CHALLENGE_IN_BOUNDS["challenge"],
            **_CLOSELY,
            **dict.fromkeys(_STEPS, _FINE),
        },
        "lucb": {"quantizer": "exact", "policy": "lucb", "sigma": 0.5, "growth": 1.05},
    },
}

ANALYSIS = Analysis(
    panels=(),
    claims=(
        fewer("payload_bits", "challenge", ("challenge-closely",)),
        fewer("samples", "challenge-closely", ("challenge",)),
    ),
    notes=(
        "Garivier and Kaufmann, Optimal Best Arm Identification with Fixed Confidence, COLT 2016, "
        "Table 1: δ = 0.1, 3,000 runs. Their strategies see every reward and know that it is 0 or "
        "1; the threshold of their Track-and-Stop has no proof, so its answers carry no guarantee.",
        "Ours know the bounds alone. The default scheme tells a few bits in all. With fine steps "
        "and small leaps it is nearly as if means were told exactly, but its agents still judge by "
        "three rungs of the leader's evidence. What all of that evidence can do is the row of bets "
        "on every reward: all of them in one place, arms pulled in turn, looked at after nearly "
        "every pull.",
    ),
    beside_peers=True,
)
