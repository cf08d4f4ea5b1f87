"""What the paper does not show: the price of a guarantee that holds."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import fewer

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples"),
        Panel(metric="payload_bits", without=("exact",)),
    ),
    claims=(fewer("payload_bits", "icq-b3", ("quban-eps0.5", "fed-sel-sound")),),
    notes=(
        "σ = √(1/8), which Beta(γ, 1 − γ) arms need (Marchal and Arbel 2017), in place of 0.125.",
    ),
)
