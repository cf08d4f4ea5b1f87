"""The hardness figure again: what each gain over ICQ is worth on its own."""

from bitarm.experiments.schemes import INNOVATIONS, QUIET, UNQUANTIZED, icq

SWEEP = {
    "title": "Hardness figure: each gain on its own",
    "x": {"label": "Δ", "values": [0.1 + 0.9 * step / 19 for step in range(20)]},
    "trials": 4000,
    "arms": {"model": "gaussian", "sd": 0.125, "means": [0, 0, 0, 0, "x"]},
    "figure": "hardness",
    "settings": {"delta": 1e-5, "sigma": 0.125},
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **QUIET},
}
