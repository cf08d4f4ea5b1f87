"""The B sweep: longer messages save rounds and samples, until nothing is left to save."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import falls

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples"),
    ),
    claims=(falls("rounds", "icq"), falls("samples", "icq")),
    notes=("The same arms, σ and δ as in the α sweep: not published, fitted.",),
)
