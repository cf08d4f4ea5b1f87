"""Price against hardness, four arms at 0 and one at Δ: Figures (g) to (i)."""

SWEEP = {
    "title": "Hardness: four Gaussian arms at 0, one at Δ",
    "x": {"label": "Δ", "values": [0.1 + 0.9 * step / 19 for step in range(20)]},
    "trials": 4000,
    "arms": {"model": "gaussian", "sd": 0.125, "means": [0, 0, 0, 0, "x"]},
    "settings": {"delta": 1e-5, "sigma": 0.125, "growth": 2, "width": "paper"},
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
