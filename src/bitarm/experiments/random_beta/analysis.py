"""Are the gains those of the paper's instances only? Beta arms."""

from bitarm.experiments.analysis import Analysis
from bitarm.experiments.claims import times_fewer
from bitarm.experiments.factors import COMPARED, Baseline
from bitarm.experiments.schemes import BEST

_ICQ = Baseline(series="icq-b3")

ANALYSIS = Analysis(
    panels=(),
    claims=tuple(times_fewer(metric, BEST, _ICQ, least=1) for metric in COMPARED),
    notes=(
        "The best mean is uniform on [0.5, 0.95]; no other is nearer than a number uniform on "
        "[0.1, 0.4], and they are uniform from 0.02 up to that. σ = √(1/8), δ = 0.01.",
    ),
    baselines=(_ICQ,),
    headline=BEST,
)
