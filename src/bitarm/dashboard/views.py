"""What the API says of runs, as values: the OpenAPI document is made from classes like these.

Names that stand elsewhere in bitarm stand here unchanged. What grows with a run comes as columns
(parallel lists): ten thousand events are then a few hundred kilobytes and no objects.
"""

from dataclasses import dataclass
from typing import Any, Literal, final

from bitarm.core.result import RunResult

State = Literal["open", "ended"]
"""An open run goes on, or was cut off: the journal cannot tell, `last_at` is the clue."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorView:
    """Why there is no answer: what was expected and what to do."""

    error: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run at a glance."""

    run: int
    fingerprint: str
    state: State
    outcome: str | None
    best_arm: int | None  # 0-based
    best_arm_name: str | None
    guarantee: float | None
    guarantee_reason: str | None
    assumptions: list[str]  # under which the guarantee holds; empty without one
    arms: int
    contenders: int | None  # arms still in the race, while the run is open
    leader: str | None  # the contender with the highest decoded mean, while the run is open
    rounds: int
    samples: int
    samples_at_most: bool  # an arm that stopped by itself did not tell its pulls
    payload_bits: int
    raw_bits: int  # what every reward as a float64 would have cost
    delta: float | None  # null under a fixed budget
    quantizer: str
    bits: int | None
    policy: str
    opened_at: float  # seconds since 1970, UTC
    ended_at: float | None
    last_at: float
    entries: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """Runs, the newest first."""

    runs: list[RunRow]
    total: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Rounds opened, as columns."""

    sequence: list[int]
    at: list[float]
    round: list[int]
    arms: list[int]  # how many were asked to advance


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """Reports accepted, as columns."""

    sequence: list[int]
    at: list[float]
    round: list[int]
    arm: list[int]
    message: list[int]
    pulls: list[int]
    mean: list[float]
    error: list[float]
    radius: list[float | None]  # null where nothing is claimed
    beaten_by: list[int | None]  # not null: it gave up, mean and radius are those told before
    nbits: list[int]
    outermost: list[bool | None]  # an end bin of an interval; null where that says nothing


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Drops:
    """Arms that fell, as columns."""

    sequence: list[int]
    at: list[float]
    round: list[int]
    arm: list[int]
    because: list[int]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Every other event, as columns."""

    sequence: list[int]
    at: list[float]
    name: list[str]
    arms: list[list[int]]  # those that it speaks of
    round: list[int | None]
    counts: list[list[int] | None]  # the pulls of these arms in the end, if it says so
    restarts: list[int | None]  # of the arms' agent so far, if it says so
    times: list[int | None]  # that a report came again, if it says so
    text: list[str]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What happened in a run, or since a moment of it."""

    rounds: Rounds
    reports: Reports
    drops: Drops
    notes: Notes


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run whole; what follows is in the run's stream, from `row.entries` on."""

    row: RunRow
    settings: dict[str, Any]  # every word of the run, under its own name
    problem: str  # the same as a problem file, whose arms have their names alone
    arm_names: list[str]
    agents: list[str]  # who serves each arm; empty where that is no process of its own
    caveats: list[str]
    result: RunResult | None
    timeline: Timeline


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunDelta:
    """What a run's stream sends: news since entry `after`, and where that leaves the run."""

    after: int
    row: RunRow
    agents: list[str]
    caveats: list[str]
    result: RunResult | None
    timeline: Timeline


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StoreView:
    """The store that is shown, and whether it can be."""

    path: str
    ready: bool
    reason: str | None  # why it cannot be shown, and what to do
    version: str  # of bitarm
