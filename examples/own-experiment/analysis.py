"""What to draw, and what is expected of it."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import falls, fewer

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
