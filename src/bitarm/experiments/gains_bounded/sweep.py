"""The bounded figure at a σ that is valid for its arms: both schemes on the same rewards."""

from bitarm.experiments.schemes import INNOVATIONS, QUIET, UNQUANTIZED, icq

SWEEP = {
    "title": "Bounded figure at a valid σ: gains over ICQ",
    "x": {
        "label": "ln(1/δ)",
        "values": [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2],
        "scale": "ln(1/x)",
    },
    "trials": 1000,
    "arms": {"instance": "bounded"},
    # √(1/8), which Beta(γ, 1 − γ) arms need (Marchal and Arbel 2017)
    "settings": {"delta": "x", "sigma": 0.3535533905932738, "bounds": (0.0, 1.0)},
    "series": {**UNQUANTIZED, **icq(prior="lower"), **INNOVATIONS, **QUIET},
}
