"""Price against the bits of a message.

Longer messages save rounds and samples, until nothing is left to save.
"""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import falls

SWEEP = {
    "title": "Bits of a message: five Beta(γ, 1 − γ) arms",
    "x": {"label": "B", "values": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    "trials": 5000,
    "arms": {"instance": "sweeps"},
    "settings": {
        "delta": 1e-3,
        "sigma": 0.125,
        "bounds": (0.0, 1.0),
        "growth": 2,
        "width": "paper",
    },
    "series": {"icq": {"quantizer": "icq", "bits": "x", "prior": "lower"}},
}

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples"),
    ),
    claims=(falls("rounds", "icq"), falls("samples", "icq")),
    notes=("The same arms, σ and δ as in the α sweep: not published, fitted.",),
)
