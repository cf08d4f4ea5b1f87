"""Price against sparsity, one bit a message."""

SWEEP = {
    "title": "Sparsity: five Beta(γ, 1 − γ) arms, one bit a message",
    "x": {"label": "α", "values": [2, 3, 4, 5, 6, 7, 8, 9]},
    "trials": 500,
    "arms": {"instance": "sweeps"},
    "settings": {
        "delta": 1e-3,
        "sigma": 0.125,
        "bounds": (0.0, 1.0),
        "growth": "x",
        "width": "paper",
    },
    "series": {"icq-b1": {"quantizer": "icq", "bits": 1, "prior": "lower"}},
}
