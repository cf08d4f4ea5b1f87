"""Are the gains those of the paper's instances only? Gaussian arms."""

from bitarm.experiments.analysis import Analysis
from bitarm.experiments.claims import times_fewer
from bitarm.experiments.factors import COMPARED, Baseline
from bitarm.experiments.schemes import BEST

_ICQ = Baseline(series="icq-b3")

ANALYSIS = Analysis(
    panels=(),
    claims=tuple(times_fewer(metric, BEST, _ICQ, least=1) for metric in COMPARED),
    notes=(
        "The best mean is uniform on [−6, 6]; no other is nearer to it than a number uniform on "
        "[0.25, 1.5], and they are uniform over the 4 below that. σ = 1, δ = 0.01.",
    ),
    baselines=(_ICQ,),
    headline=BEST,
)
