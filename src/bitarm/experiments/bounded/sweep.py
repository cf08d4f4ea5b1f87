"""Price against confidence, rewards in [0, 1]: Figures (a) to (c)."""

SWEEP = {
    "title": "Bounded rewards: five Beta(γ, 1 − γ) arms",
    "x": {
        "label": "ln(1/δ)",
        "values": [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2],
        "scale": "ln(1/x)",
    },
    "trials": 4000,
    "arms": {"instance": "bounded"},
    # σ as the paper ran it, though it is not valid for these arms: see valid_sigma
    "settings": {"delta": "x", "sigma": 0.125, "bounds": (0.0, 1.0), "growth": 2, "width": "paper"},
    "series": {
        "exact": {"quantizer": "exact"},
        "icq-b2": {"quantizer": "icq", "bits": 2, "prior": "lower"},
        "icq-b3": {"quantizer": "icq", "bits": 3, "prior": "lower"},
        "quban-eps0.5": {"quantizer": "quban", "epsilon_quban": 0.5},
        "quban-eps2": {"quantizer": "quban", "epsilon_quban": 2.0},
        "fed-sel": {"quantizer": "fed-sel-paper"},
    },
    "beyond": {
        "icq-b3-lucb": {"quantizer": "icq", "bits": 3, "prior": "lower", "policy": "lucb"},
        "icq-b3-lil-ucb": {
            "quantizer": "icq",
            "bits": 3,
            "prior": "lower",
            "policy": "lil-ucb",
            "width": "lil",
        },
        "fed-sel-sound": {"quantizer": "fed-sel"},
    },
}
