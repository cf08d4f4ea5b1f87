"""The hardness figure again: what each gain over ICQ is worth on its own.

At the same guarantee: how many times fewer samples and bits than ICQ, and by what.
"""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.baselines import COMPARED, Baseline
from bitarm.experiments.claims import times_fewer, times_fewer_on_average
from bitarm.experiments.schemes import BEST, CHALLENGE, INNOVATIONS, UNQUANTIZED, icq

SWEEP = {
    "title": "Hardness figure: each gain on its own",
    "x": {"label": "Δ", "values": [0.1 + 0.9 * step / 19 for step in range(20)]},
    "trials": 4000,
    "arms": {"model": "gaussian", "sd": 0.125, "means": [0, 0, 0, 0, "x"]},
    "figure": "hardness",
    "settings": {"delta": 1e-5, "sigma": 0.125},
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **CHALLENGE},
}

_ICQ = Baseline(series="icq-b3", published=True)
_UNQUANTIZED = Baseline(series="exact", published=True)

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples", logarithmic=True),
        Panel(metric="payload_bits", without=("exact",)),
    ),
    claims=(
        *(times_fewer(metric, BEST, _ICQ, least=3) for metric in COMPARED),
        *(times_fewer_on_average(metric, BEST, _ICQ, least=3.5) for metric in COMPARED),
        times_fewer("samples", BEST, _UNQUANTIZED, least=1),
    ),
    notes=(
        "One setting for all Δ, which does not know them; its parameters were chosen on instances "
        "with other numbers of arms and other δ. Each series adds something to the one before: "
        "widths that judge pairs of arms; innovations in place of intervals; pairs judged at any "
        "time; agents that judge themselves: one arm goes ahead, the others weigh their rewards "
        "against what it told, after every pull, and give up in one bit or stay silent.",
        "The price is in rounds: a leader that reports before the others makes two broadcasts out "
        "of one, so that rounds can exceed those of ICQ.",
        "Four means lie at 0, on the origin of every lattice, which no scheme knows but all that "
        "count from 0 profit from: see the same figure with an offset.",
    ),
    baselines=(_ICQ, Baseline(series="icq-b3")),
    headline=BEST,
)
