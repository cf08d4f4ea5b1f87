"""How an experiment is scored and drawn: the ANALYSIS of its file."""

from dataclasses import dataclass, replace
from typing import final

from bitarm.experiments.baselines import Baseline
from bitarm.experiments.claims import Claim
from bitarm.sim.sweep import MEASURES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture: a measure against the axis."""

    metric: str
    letter: str = ""  # the paper's
    without: tuple[str, ...] = ()  # series that are not drawn
    logarithmic: bool = False


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The panels of an experiment, the claims that it bears out, and what to know of it.

    Where there are baselines, factors over each are told and drawn; `headline` is the series whose
    factors over the first stand for the experiment. `beside_peers` sets it beside what was
    published of other strategies (`peers.py`).
    """

    panels: tuple[Panel, ...] = tuple(Panel(metric=metric) for metric in MEASURES)
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    headline: str = ""
    beside_peers: bool = False

    def without_published(self) -> "Analysis":
        """What is left where nothing was published of the arms, as where they were drawn anew."""
        baselines = tuple(one for one in self.baselines if not one.published)
        return replace(
            self,
            baselines=baselines,
            claims=tuple(claim for claim in self.claims if not claim.on_published),
            headline=self.headline if baselines else "",
        )
