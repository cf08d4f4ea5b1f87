"""What an agent's own settings demand of a run before it takes part."""

from dataclasses import dataclass
from typing import final

from bitarm.core.bounds import Bounds
from bitarm.errors import ConfigError
from bitarm.wire.announcement import Announcement


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """The bounds and the seed that an agent was set up with; None where any will do."""

    bounds: Bounds | None = None
    seed: int | None = None

    def check(self, announced: Announcement) -> None:
        """ConfigError, with what to do, if the run is another than the agent was set up for."""
        if self.seed is not None and announced.seed != self.seed:
            raise ConfigError(
                f"the learner runs with seed {announced.seed}, this agent was set up for "
                f"{self.seed}: give both the same"
            )
        if self.bounds not in (None, announced.bounds):
            raise ConfigError(
                f"the learner takes rewards to lie in {_in_words(announced.bounds)}, the problem "
                f"file here says {_in_words(self.bounds)}: give both the same bounds"
            )


def _in_words(bounds: Bounds | None) -> str:
    return "no bounds" if bounds is None else f"[{bounds[0]:g}, {bounds[1]:g}]"
