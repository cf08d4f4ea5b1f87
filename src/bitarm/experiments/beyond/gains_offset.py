"""The hardness figure with all means shifted: four of them no longer lie on a lattice's origin."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.baselines import COMPARED, Baseline
from bitarm.experiments.claims import times_fewer_on_average
from bitarm.experiments.schemes import BEST, CHALLENGE, INNOVATIONS, UNQUANTIZED, icq

_OFFSETS = 16  # the middles of as many equal parts of [0, 1): an even sample of a uniform offset

SWEEP = {
    "title": "Hardness figure with a common offset of the means",
    "x": {"label": "Δ", "values": [0.1 + 0.9 * step / 19 for step in range(20)]},
    "trials": 4000,
    "figure": "hardness",
    "arms": {
        "model": "gaussian",
        "sd": 0.125,
        "means": [0, 0, 0, 0, "x"],
        "offsets": [(place + 0.5) / _OFFSETS for place in range(_OFFSETS)],
    },
    "settings": {"delta": 1e-5, "sigma": 0.125},
    "series": {**UNQUANTIZED, **icq(), **INNOVATIONS, **CHALLENGE},
}

_ICQ = Baseline(series="icq-b3")
_PUBLISHED = Baseline(series="icq-b3", published=True)

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds"),
        Panel(metric="samples", logarithmic=True),
        Panel(metric="payload_bits", without=("exact",)),
    ),
    claims=tuple(
        times_fewer_on_average(metric, BEST, over, least=3)
        for over in (_ICQ, _PUBLISHED)
        for metric in COMPARED
    ),
    notes=(
        "Four means of the hardness figure lie at 0, where every lattice has a point: a first "
        "message then says little. Here all means are shifted by the same number, the middles of "
        "16 equal parts of [0, 1), and prices are averaged over them; ICQ is shifted alike. "
        "As published, ICQ has the luck of the origin.",
        "Means that no code can know give D-ICQ's messages the law that theory has for them: the "
        "last picture has their entropy, and the rate of any code that is as near in mean square.",
    ),
    baselines=(_ICQ, _PUBLISHED),
    headline=BEST,
)
