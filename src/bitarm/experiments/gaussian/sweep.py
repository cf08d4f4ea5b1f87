"""Price against confidence, unbounded rewards: Figures (d) to (f)."""

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
