"""What happened, as frozen values: the journal's content, from which a machine can be rebuilt.

An event says what was taken in or decided, never what time it was: the store stamps that. A new
kind is a class here, in `LearnerEvent`; `standings.py` says what it changes, `sentences.py` how it
is told, and `replay.py` whether a rebuilt learner takes it in, puts it out, or passes it over.
"""

import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, final, get_args

from bitarm.core.bits import Symbol
from bitarm.core.codes import CODES, Code
from bitarm.core.evidence.tasks import TASKS, Task
from bitarm.core.messages import Request
from bitarm.core.outcome import Outcome
from bitarm.core.plain import Families, dumps, from_plain
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.setup import Setup
from bitarm.core.spec import SPEC_FAMILIES
from bitarm.errors import ConfigError, StoreError


def _by_arm(arms: tuple[int, ...], pulls: tuple[int, ...]) -> dict[int, int]:
    if len(arms) != len(pulls):
        raise StoreError(f"an event names {len(arms)} arms and tells {len(pulls)} counts of pulls")
    return dict(zip(arms, pulls, strict=True))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunOpened:
    """A learner began: what it will do, and by which rules."""

    name: ClassVar[str] = "run_opened"
    setup: Setup
    opening: str  # names this run among all others, those with equal settings included
    packages: tuple[str, ...] = ()  # others than ours that its schemes are of, with their versions


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EpochBegan:
    """A learner went on with the run: what is said in an earlier epoch is no longer read."""

    name: ClassVar[str] = "epoch_began"
    epoch: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened:
    """The learner asked these questions."""

    name: ClassVar[str] = "round_opened"
    round: int
    requests: tuple[Request, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAccepted:
    """A report came in and was decoded."""

    name: ClassVar[str] = "report_accepted"
    round: int
    arm: int
    message: int
    pulls: int
    symbol: Symbol
    mean: float
    error: float
    radius: float
    beaten_by: int | None = None  # not None: the arm only said that this one is better

    def __post_init__(self) -> None:
        if not 1 <= self.pulls <= MAX_PULLS:  # every width divides by it
            raise ValueError(f"pulls must lie between 1 and {MAX_PULLS:,}, got {self.pulls:,}")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PositionTold:
    """An agent said that it has made more pulls than it was asked for: it knows of a lost past."""

    name: ClassVar[str] = "position_told"
    round: int
    arm: int
    pulls: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LivesBegan:
    """Agents lost their memory of live rewards: the reports of these arms begin new sequences.

    What was open to these arms is asked again, under the next number.
    """

    name: ClassVar[str] = "lives_began"
    arms: tuple[int, ...]
    pulls: tuple[int, ...]  # of each new sequence that were counted with the one before

    @property
    def counts(self) -> dict[int, int]:
        """The pulls by arm."""
        return _by_arm(self.arms, self.pulls)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReportIgnored:
    """A report came in again, or too late to matter; or several of one arm since the last entry."""

    name: ClassVar[str] = "report_ignored"
    arm: int
    message: int  # of the last one
    times: int = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmDropped:
    """An arm fell out of the race."""

    name: ClassVar[str] = "arm_dropped"
    round: int
    arm: int
    because: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmsLost:
    """Arms that can no longer be heard left the race; how good they are stays unknown."""

    name: ClassVar[str] = "arms_lost"
    round: int
    arms: tuple[int, ...]
    stops: bool  # whether the run ends with them


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CaveatNoted:
    """Something outside the learner voids its guarantee."""

    name: ClassVar[str] = "caveat_noted"
    text: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The run is over: the answer, if there is one, and its price."""

    name: ClassVar[str] = "run_ended"
    outcome: Outcome
    best_arm: int | None
    guarantee: float | None
    guarantee_reason: str
    rounds: int
    samples: int
    payload_bits: int
    assumptions: tuple[str, ...] = ()  # under which the guarantee holds


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficMeasured:
    """What the channel carried: measured by whoever ran it, not by the learner."""

    name: ClassVar[str] = "traffic_measured"
    payload_bytes: int
    wire_bytes_up: int
    wire_bytes_down: int
    mqtt_bytes_up: int | None = None  # None where there is no MQTT
    mqtt_bytes_down: int | None = None
    tcp_ip_bytes_up: int | None = None  # an estimate
    tcp_ip_bytes_down: int | None = None
    arms_up: tuple[int, ...] = ()  # wire bytes of each arm, if counted
    arms_down: tuple[int, ...] = ()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PullsCounted:
    """Pulls that arms which gave up made in all: told by who served them, not by the learner.

    The learner knows of such an arm only how many it was asked for, at most. Accounting alone:
    nothing is decided by it, and it may come after the ending.
    """

    name: ClassVar[str] = "pulls_counted"
    arms: tuple[int, ...]
    pulls: tuple[int, ...]

    @property
    def counts(self) -> dict[int, int]:
        """The pulls by arm."""
        return _by_arm(self.arms, self.pulls)


class LostRule(Enum):
    """What becomes of a run whose agent is away for too long."""

    WAIT = "wait"  # for as long as it takes
    DROP = "drop"  # its arms leave the race; the answer covers the others
    STOP = "stop"  # the run ends without an answer


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAssigned:
    """Which agent serves which arm, under which name, and how long one may be away."""

    name: ClassVar[str] = "fleet_assigned"
    fleet: str  # the run's name in the topics
    agents: tuple[str, ...]  # one for each arm
    lost: LostRule = LostRule.WAIT
    lost_after: float = 60.0  # seconds away
    join_within: float = math.inf  # seconds until an agent must first have come
    link: str | None = None  # the profile whose limits the frames keep to, if one was named
    application: str | None = None  # ChirpStack's, where the agents are devices behind it
    devices: tuple[str, ...] = ()  # and then the devEui of each arm's agent


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentJoined:
    """A process began to serve an agent's arms, for the first time or again."""

    name: ClassVar[str] = "agent_joined"
    agent: str
    boot: str  # names the process; empty of one that does not say what it remembers
    life: str  # names its sequences of live rewards; they go on under the same name
    restarts: int = 0  # how often the agent went on from its file
    discarded: int = 0  # live batches that a crash cut short, so far
    forgot: bool = False  # whether live rewards of its predecessor are lost, told or not
    went_on: bool = False  # with live rewards that its file had kept

    @property
    def is_silent(self) -> bool:
        """Whether nobody learns what it lost, or from where it went on: a device with no status."""
        return not self.boot

    @property
    def may_have_lost(self) -> bool:
        """Whether it may have lost live rewards."""
        return self.is_silent or self.forgot or self.discarded > 0

    @property
    def may_have_gone_on(self) -> bool:
        """Whether it may have gone on with live rewards that were kept."""
        return self.is_silent or self.went_on


LearnerEvent = (
    RunOpened
    | EpochBegan
    | RoundOpened
    | ReportAccepted
    | PositionTold
    | LivesBegan
    | ReportIgnored
    | ArmDropped
    | ArmsLost
    | CaveatNoted
    | RunEnded
    | TrafficMeasured
    | PullsCounted
    | FleetAssigned
    | AgentJoined
)

EVENTS: dict[str, type] = {event.name: event for event in get_args(LearnerEvent)}

_EVENT_FAMILIES: Families = {
    **SPEC_FAMILIES,
    Code: CODES,
    Task: TASKS,
    Policy: POLICIES,
    LearnerEvent: EVENTS,
}


def dump_event(event: LearnerEvent) -> str:
    """An event as one line of JSON."""
    return dumps(event)


def load_event(text: str) -> LearnerEvent:
    """The event that `dump_event` wrote; ConfigError if the text is none."""
    plain = _parse(text)
    try:
        event: LearnerEvent = from_plain(LearnerEvent, plain, _EVENT_FAMILIES)
    except ConfigError as error:
        needed = plain.get("packages") if isinstance(plain, dict) else None
        if not (isinstance(needed, list) and needed):
            raise
        raise ConfigError(
            f"the run was opened with {', '.join(map(str, needed))}: that must be installed to "
            f"read it ({error})"
        ) from None
    return event


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"not an event: {error}") from None
