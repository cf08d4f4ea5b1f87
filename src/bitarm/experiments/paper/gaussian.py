"""Price against confidence, unbounded rewards: Figures (d) to (f).

The same without bounds, where ICQ's first message is QuBan's.
"""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import fewer

SWEEP = {
    "title": "Unbounded rewards: five Gaussian arms",
    "x": {
        "label": "ln(1/δ)",
        "values": [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2],
        "scale": "ln(1/x)",
    },
    "trials": 4000,
    "arms": {"instance": "gaussian"},
    "settings": {"delta": "x", "sigma": 0.125, "growth": 2, "width": "paper"},
    "series": {
        "exact": {"quantizer": "exact"},
        "icq-b2": {"quantizer": "icq", "bits": 2},
        "icq-b3": {"quantizer": "icq", "bits": 3},
        "quban-eps0.5": {"quantizer": "quban", "epsilon_quban": 0.5},
        "quban-eps2": {"quantizer": "quban", "epsilon_quban": 2.0},
    },
    "beyond": {
        "icq-b3-lucb": {"quantizer": "icq", "bits": 3, "policy": "lucb"},
        "icq-b3-lil-ucb": {"quantizer": "icq", "bits": 3, "policy": "lil-ucb", "width": "lil"},
    },
}

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds", letter="d"),
        Panel(metric="samples", letter="e"),
        Panel(metric="payload_bits", letter="f", without=("exact",)),
    ),
    claims=(
        fewer("payload_bits", "icq-b3", ("quban-eps0.5", "quban-eps2")),
        fewer("samples", "icq-b3", ("quban-eps2",)),
        fewer("rounds", "icq-b3", ("quban-eps2",)),
    ),
    notes=(
        "QuBan codes a first message by its distance from 0, so bits depend on where the means "
        "lie, which is not published: samples and rounds tell only how far apart they are.",
    ),
)
