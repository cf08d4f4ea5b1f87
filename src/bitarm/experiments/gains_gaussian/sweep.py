"""The Gaussian figure again: where a first message has a long way to say."""

from bitarm.experiments.schemes import INNOVATIONS, QUIET, UNQUANTIZED, icq

SWEEP = {
    "title": "Gaussian figure: gains over ICQ",
    "x": {
        "label": "ln(1/δ)",
        "values": [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2],
        "scale": "ln(1/x)",
    },
    "trials": 4000,
    "arms": {"instance": "gaussian"},
    "figure": "gaussian",
    "settings": {"delta": "x", "sigma": 0.125},
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **QUIET},
}
