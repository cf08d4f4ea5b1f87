"""How many bits should a message have when the link is priced by the bit?

Ten Bernoulli arms, the best one at 0.9: more bits a message save rounds and samples, but past some
length every further bit is wasted. Run it with `bitarm reproduce examples/own_experiment.py`.
"""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import falls, fewer

SWEEP = {
    "title": "Ten Bernoulli arms: how long should a message be?",
    "x": {"label": "B", "values": [1, 2, 3, 4, 6, 8]},
    "trials": 2000,
    "arms": {"model": "bernoulli", "means": [0.9, 0.7, 0.65, 0.6, 0.6, 0.5, 0.5, 0.4, 0.3, 0.2]},
    "settings": {"delta": 0.01, "bounds": (0.0, 1.0), "quantizer": "icq", "bits": "x"},
    "series": {
        "doubling": {"growth": 2},
        "tripling": {"growth": 3},
    },
}

# What to draw, and what is expected of it: may be left out.
ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples", logarithmic=True),
        Panel(metric="payload_bits"),
    ),
    claims=(
        falls("samples", "doubling"),
        fewer("rounds", "tripling", ("doubling",)),
        fewer("samples", "doubling", ("tripling",)),
    ),
)
