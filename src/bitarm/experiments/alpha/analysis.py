"""The α sweep: fewer rounds and bits for more samples."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import falls, rises

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples"),
        Panel(metric="payload_bits"),
    ),
    claims=(
        falls("rounds", "icq-b1"),
        falls("payload_bits", "icq-b1"),
        rises("samples", "icq-b1"),
    ),
    notes=(
        "From α = 4 on, α is outside the paper's α < 4^B: still sound, no longer of optimal order.",
        "Instance, σ and δ of this figure are not published; they are fitted, and weakly so.",
    ),
)
