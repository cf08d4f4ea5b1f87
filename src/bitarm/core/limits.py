"""Where a run must end even without an answer."""

from dataclasses import dataclass
from typing import Annotated, final

from bitarm.core.outcome import Outcome
from bitarm.core.words import Word, values_of
from bitarm.errors import ConfigError

_LEAST = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what a run may spend; None is no bound.

    A round that could not stay within them is not begun. Rounds and samples are never exceeded;
    nor are bits where messages have a fixed length. Where they vary (QuBan), a round is begun if
    its shortest messages fit.
    """

    rounds: Annotated[
        int | None, Word("End after this many rounds", sign="rounds≤", least=_LEAST)
    ] = None
    samples: Annotated[
        int | None, Word("End before more samples", sign="samples≤", least=_LEAST)
    ] = None
    bits: Annotated[
        int | None, Word("End before more payload bits", sign="bits≤", least=_LEAST)
    ] = None

    def __post_init__(self) -> None:
        for name, limit in values_of(self).items():
            if limit is not None and limit < _LEAST:
                raise ConfigError(f"the limit on {name} must be at least {_LEAST}, got {limit}")

    def reached(self, *, rounds: int, samples: int, bits: int) -> Outcome | None:
        """The outcome of a run that would spend this much, if that is too much."""
        if self.rounds is not None and rounds > self.rounds:
            return Outcome.ROUND_LIMIT
        if self.samples is not None and samples > self.samples:
            return Outcome.SAMPLE_LIMIT
        if self.bits is not None and bits > self.bits:
            return Outcome.BIT_LIMIT
        return None
