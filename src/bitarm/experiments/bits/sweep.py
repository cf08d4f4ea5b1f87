"""Price against the bits of a message."""

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
