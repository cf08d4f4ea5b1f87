"""The bounded figure with a σ that is valid for its arms: the price of a guarantee that holds."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import fewer
from bitarm.experiments.schemes import BETA_SIGMA

SWEEP = {
    "title": "Bounded rewards with a valid σ",
    "x": {
        "label": "ln(1/δ)",
        "values": [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2],
        "scale": "ln(1/x)",
    },
    "trials": 1000,
    "arms": {"instance": "bounded"},
    "settings": {
        "delta": "x",
        "sigma": BETA_SIGMA,
        "bounds": (0.0, 1.0),
        "growth": 2,
        "width": "paper",
    },
    "series": {
        "exact": {"quantizer": "exact"},
        "icq-b3": {"quantizer": "icq", "bits": 3, "prior": "lower"},
        "quban-eps0.5": {"quantizer": "quban", "epsilon_quban": 0.5},
        "fed-sel-sound": {"quantizer": "fed-sel"},
        "exact-as-published": {"quantizer": "exact", "sigma": 0.125},
        "icq-b3-as-published": {"quantizer": "icq", "bits": 3, "prior": "lower", "sigma": 0.125},
    },
}

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples", logarithmic=True),
        Panel(metric="payload_bits", without=("exact", "exact-as-published")),
    ),
    claims=(fewer("payload_bits", "icq-b3", ("quban-eps0.5", "fed-sel-sound")),),
    notes=(
        "σ = √(1/8), which Beta(γ, 1 − γ) arms need (Marchal and Arbel 2017), in place of 0.125.",
        "While U′ exceeds b − a, Fed-SEL has one bin and sends nothing. With a valid σ that is so "
        "in the first rounds, and a sound Fed-SEL then needs fewer bits than ICQ at B = 3: the "
        "paper's claim about Fed-SEL rests on the small σ and on the wide 2·U′.",
    ),
)
