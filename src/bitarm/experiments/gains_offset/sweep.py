"""The hardness figure with all means shifted: four of them no longer lie on a lattice's origin."""

from bitarm.experiments.schemes import INNOVATIONS, QUIET, UNQUANTIZED, icq

_OFFSETS = 16  # the middles of as many equal parts of [0, 1): an even sample of a uniform offset

SWEEP = {
    "title": "Hardness figure with a common offset of the means",
    "x": {"label": "Δ", "values": [0.1 + 0.9 * step / 19 for step in range(20)]},
    "trials": 4000,
    "figure": "hardness",
    "arms": {
        "model": "gaussian",
        "sd": 0.125,
        "means": [0, 0, 0, 0, "x"],
        "offsets": [(place + 0.5) / _OFFSETS for place in range(_OFFSETS)],
    },
    "settings": {"delta": 1e-5, "sigma": 0.125},
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **QUIET},
}
