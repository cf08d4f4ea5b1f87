"""Unbounded rewards, far apart and far from 0: a first message has a long way to say."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import times_fewer
from bitarm.experiments.factors import COMPARED, Baseline
from bitarm.experiments.schemes import BEST

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
        "Pilots gain little here: most means are near 0, where a message that counts from 0 is "
        "short as it is.",
    ),
    baselines=(_ICQ, Baseline(series="icq-b3")),
    headline=BEST,
)
