"""Figures (d) to (f): the same without bounds, where ICQ's first message is QuBan's."""

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.claims import fewer

ANALYSIS = Analysis(
    panels=(
        Panel(metric="rounds", letter="d"),
        Panel(metric="samples", letter="e"),
        Panel(metric="payload_bits", letter="f", without=("exact",)),
    ),
    claims=(
        fewer("payload_bits", "icq-b3", ("quban-eps0.5", "quban-eps2")),
        fewer("samples", "icq-b3", ("quban-eps2",)),
        fewer("rounds", "icq-b3", ("quban-eps2",)),
    ),
    notes=(
        "QuBan codes a first message by its distance from 0, so bits depend on where the means "
        "lie, which is not published: samples and rounds tell only how far apart they are.",
    ),
)
