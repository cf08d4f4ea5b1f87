"""The Gaussian figure again: unbounded rewards, far apart and far from 0.

A first message has a long way to say.
"""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.baselines import COMPARED, Baseline
from bitarm.experiments.claims import times_fewer
from bitarm.experiments.schemes import BEST, CHALLENGE, INNOVATIONS, UNQUANTIZED, icq

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
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **CHALLENGE},
}

_ICQ = Baseline(series="icq-b3", published=True)

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples", logarithmic=True),
        Panel(metric="payload_bits", without=("exact",)),
    ),
    claims=tuple(times_fewer(metric, BEST, _ICQ, least=1) for metric in COMPARED),
    notes=(
        "The means are those that were fitted to the published curves; ICQ rerun on them stands "
        "beside ICQ as published.",
        "Counting from where other arms are gains little here: most means are near 0, where a "
        "message that counts from 0 is short as it is.",
    ),
    baselines=(_ICQ, Baseline(series="icq-b3")),
    headline=BEST,
)
