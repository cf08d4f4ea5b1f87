"""The result of `identify` for a program: with its history, as tables, and as a picture."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, final

from bitarm.api.dataframes import arrow_of, flat, frame_of
from bitarm.api.notebook import result_html, result_lines
from bitarm.api.race_picture import race_picture
from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.core.plain import to_plain
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings, follow
from bitarm.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """What one report told of an arm.

    Attributes:
        round: in which it came, from 1.
        arm: the arm's number, from 0.
        name: the arm's name.
        pulls: of the arm, until then.
        mean: of the arm, as decoded.
        radius: how far off that may be; None where nothing is claimed.
        payload_bits: of this report.
        left: whether the arm fell, or was lost, with what this round told.
    """

    round: int
    arm: int
    name: str
    pulls: int
    mean: float
    radius: float | None
    payload_bits: int
    left: bool


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Identification(RunResult):
    """A result with what led to it.

        result = bitarm.identify(arms, bounds=(0, 1))
        result.to_frame()            # a row an arm
        result.to_frame("rounds")    # a row a report, in the order of time
        result.plot()                # the race

    It has the fields of `RunResult`, and

    Attributes:
        history: what each report told of its arm, in the order of time.
    """

    history: tuple[HistoryEntry, ...]

    def to_frame(self, of: Literal["arms", "rounds"] = "arms") -> "pd.DataFrame":
        """A table of the arms, or of the rounds with what each arm told; needs pandas."""
        return frame_of(self._rows(of))

    def to_arrow(self, of: Literal["arms", "rounds"] = "arms") -> "pa.Table":
        """The rows of `to_frame` as an Arrow table, for Parquet; needs pyarrow (extra `frames`)."""
        return arrow_of(self._rows(of))

    def _rows(self, of: str) -> list[dict[str, Any]]:
        if of == "arms":
            return [flat(to_plain(arm)) for arm in self.arms]
        if of == "rounds":
            return [to_plain(told) for told in self.history]
        raise ConfigError(f"a table is of 'arms' or of 'rounds', got {of!r}")

    def plot(self) -> "Figure":
        """Every arm's mean and interval against its pulls; needs matplotlib (extra `sim`)."""
        return race_picture(self, self.history)

    def __repr__(self) -> str:
        return result_lines(self)

    def _repr_html_(self) -> str:
        return result_html(self)


def identification_of(events: Iterable[LearnerEvent]) -> Identification:
    """The result of a run that has ended, from its events; LocalProtocolError if it has not."""
    standings: Standings | None = None
    told: list[dict[str, Any]] = []
    for event in events:
        standings = follow(standings, event)
        if isinstance(event, ReportAccepted):
            arm = standings.arms[event.arm]
            told.append(
                {
                    "round": event.round,
                    "arm": event.arm,
                    "name": arm.name,
                    "pulls": event.pulls,
                    "mean": arm.mean,
                    "radius": arm.radius,
                    "payload_bits": event.symbol.nbits,
                }
            )
    if standings is None:
        standings = Standings.of(())  # refuses, and says why
    result = result_of(standings)
    out = {
        number: arm.lost_in if arm.dropped_in is None else arm.dropped_in
        for number, arm in enumerate(standings.arms)
    }
    return Identification(
        **{field.name: getattr(result, field.name) for field in fields(RunResult)},
        history=tuple(HistoryEntry(**one, left=out[one["arm"]] == one["round"]) for one in told),
    )
