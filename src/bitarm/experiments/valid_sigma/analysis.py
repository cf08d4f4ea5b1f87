"""What the paper does not show: the price of a guarantee that holds."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import fewer

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
