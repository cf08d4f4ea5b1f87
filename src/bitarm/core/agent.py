"""The agent of one arm: counts rewards, and turns the running mean into a symbol when asked.

Sans I/O: a request, a dismissal or some rewards go in; reports and events come out. It never
pulls: `wanted` says how many rewards it waits for, and whoever drives it fetches them. A gateway
that serves many arms holds one machine for each.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self, final

from bitarm.core.bits import Symbol
from bitarm.core.dither import dither
from bitarm.core.events import (
    AgentDismissed,
    AgentEvent,
    ReportMade,
    RequestTaken,
    RewardsObserved,
)
from bitarm.core.messages import Cause, Dismiss, Fit, Hint, Report, Request, fit
from bitarm.core.quantizer import Estimate
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError, RewardError

Dither = Callable[[int], float]
"""The dither of message n, in [0, 1)."""


class AgentPhase(Enum):
    """What the agent waits for."""

    IDLE = "idle"  # a request
    PULLING = "pulling"  # rewards
    DISMISSED = "dismissed"  # nothing more


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """All that an agent holds between two messages: save it, and restore from it."""

    phase: AgentPhase
    pulls: int  # rewards seen
    total: float  # their sum
    held: Estimate  # what both ends hold after the last report
    message: int  # n, reports made
    reported_at: int  # pulls at the last report
    symbol: Symbol | None  # the last report's
    until: int  # pulls to reach, while pulling
    hint: Hint | None = None  # of the request that is served, or was answered last
    cause: Cause | None  # why it was dismissed


@final
@dataclass(frozen=True, slots=True)
class AgentOutput:
    """What a step of the agent asks to be done: events to keep, then reports to send."""

    events: tuple[AgentEvent, ...] = ()
    messages: tuple[Report, ...] = ()


_NOTHING = AgentOutput()

# What becomes of a request, by phase and by how its number fits the reports made so far.
#   take     begin to pull; refused if it asks for no new pulls
#   resend   the same report again; refused if the request differs from the one it answered
#   same     ignored if it is the request being served, otherwise refused
#   ignore   its report was made and used, or the agent is dismissed: nothing can follow from it
#   refuse   it cannot exist yet
_REQUESTS: dict[tuple[AgentPhase, Fit], str] = {
    (AgentPhase.IDLE, Fit.LATE): "_ignore",
    (AgentPhase.IDLE, Fit.REPEAT): "_resend",
    (AgentPhase.IDLE, Fit.NEXT): "_take",
    (AgentPhase.IDLE, Fit.AHEAD): "_refuse",
    (AgentPhase.PULLING, Fit.LATE): "_ignore",
    (AgentPhase.PULLING, Fit.REPEAT): "_resend",
    (AgentPhase.PULLING, Fit.NEXT): "_same",
    (AgentPhase.PULLING, Fit.AHEAD): "_refuse",
    (AgentPhase.DISMISSED, Fit.LATE): "_ignore",
    (AgentPhase.DISMISSED, Fit.REPEAT): "_ignore",
    (AgentPhase.DISMISSED, Fit.NEXT): "_ignore",
    (AgentPhase.DISMISSED, Fit.AHEAD): "_ignore",
}


@final
class Agent:
    """Algorithm 2 as a machine: one arm, one run.

    Every method either returns what follows or raises and changes nothing.
    """

    __slots__ = ("_dither", "arm", "spec", "state")

    def __init__(self, spec: RunSpec, arm: int, dither_of: Dither | None = None) -> None:
        if not 0 <= arm < len(spec.arms):
            raise ConfigError(f"arm must lie between 0 and {len(spec.arms) - 1}, got {arm}")
        self.spec = spec
        self.arm = arm
        self._dither = dither_of or (lambda message: dither(spec.seed, arm, message))
        self.state = AgentState(
            phase=AgentPhase.IDLE,
            pulls=0,
            total=0.0,
            held=spec.start(arm),
            message=0,
            reported_at=0,
            symbol=None,
            until=0,
            cause=None,
        )

    @classmethod
    def restore(
        cls, spec: RunSpec, arm: int, state: AgentState, dither_of: Dither | None = None
    ) -> Self:
        """An agent that goes on from a saved `state`."""
        agent = cls(spec, arm, dither_of)
        agent.state = state
        return agent

    @classmethod
    def replay(
        cls,
        spec: RunSpec,
        arm: int,
        events: Iterable[AgentEvent],
        dither_of: Dither | None = None,
    ) -> Self:
        """An agent that has lived through `events`; reports are made anew and must agree."""
        agent = cls(spec, arm, dither_of)
        due: list[AgentEvent] = []
        for event in events:
            if not due:
                due.extend(agent._again(event).events)
            if not due or due.pop(0) != event:
                raise LocalProtocolError(f"arm {arm}: {event} does not follow from its past")
        return agent

    @property
    def wanted(self) -> int:
        """Rewards still to be pulled before the next report."""
        pulling = self.state.phase is AgentPhase.PULLING
        return self.state.until - self.state.pulls if pulling else 0

    def receive(self, message: Request | Dismiss) -> AgentOutput:
        """Take in what the learner says."""
        self._check_address(message)
        if isinstance(message, Dismiss):
            return self._dismiss(message)
        how = _REQUESTS[self.state.phase, fit(message.message, self.state.message)]
        output: AgentOutput = getattr(self, how)(message)
        return output

    def observe(self, count: int, total: float) -> AgentOutput:
        """Take in the sum of the next `count` rewards; at the checkpoint, report.

        The running sum adds these totals in order: an agent that sums a batch itself and a tape
        that holds batch sums do the same arithmetic.
        """
        state, total = self.state, float(total)
        if not 1 <= count <= self.wanted:
            raise LocalProtocolError(
                f"arm {self.arm}: {count} rewards offered, {self.wanted} are wanted"
            )
        pulls, running = state.pulls + count, state.total + total
        if not math.isfinite(running):
            raise RewardError(f"arm {self.arm}: the rewards add up to {running}")
        observed = RewardsObserved(arm=self.arm, count=count, total=total)
        if pulls < state.until:
            self.state = replace(state, pulls=pulls, total=running)
            return AgentOutput(events=(observed,))
        return self._report(observed, pulls, running)

    def _report(self, observed: RewardsObserved, pulls: int, total: float) -> AgentOutput:
        """Lines 3 to 5 of Algorithm 2; then hold what the learner will hold."""
        state, spec = self.state, self.spec
        message = state.message + 1
        step = spec.step(message, pulls, state.hint)
        mu_hat = total / pulls
        symbol = spec.quantizer.encode(mu_hat, state.held, step, self._dither(message))
        held = spec.quantizer.decode(symbol, state.held, step)
        self.state = replace(
            state,
            phase=AgentPhase.IDLE,
            pulls=pulls,
            total=total,
            held=held,
            message=message,
            reported_at=pulls,
            symbol=symbol,
            until=0,
        )
        made = ReportMade(
            arm=self.arm,
            message=message,
            symbol=symbol,
            contained=held.holds(mu_hat, pulls),
        )
        return AgentOutput(events=(observed, made), messages=(self._last_report(),))

    def _take(self, request: Request) -> AgentOutput:
        if request.until <= self.state.pulls:
            raise self._misfit(request, f"asks for {request.until} pulls, {self.state.pulls} done")
        if request.hint is not None and not self.spec.quantizer.hinted:
            raise self._misfit(request, f"{self.spec.quantizer.name} takes no hints")
        self.state = replace(
            self.state, phase=AgentPhase.PULLING, until=request.until, hint=request.hint
        )
        taken = RequestTaken(
            arm=self.arm, message=request.message, until=request.until, hint=request.hint
        )
        return AgentOutput(events=(taken,))

    def _resend(self, request: Request) -> AgentOutput:
        if self.state.message == 0:
            raise self._misfit(request, "messages are numbered from 1")
        if request.until != self.state.reported_at:
            raise self._misfit(
                request, f"asked again for {request.until} pulls, sent at {self.state.reported_at}"
            )
        # while the next is served, the hint of the last is gone; its report stays what it was
        if self.state.phase is AgentPhase.IDLE:
            self._require_same_hint(request)
        return AgentOutput(messages=(self._last_report(),))

    def _same(self, request: Request) -> AgentOutput:
        if request.until != self.state.until:
            raise self._misfit(
                request, f"asked again for {request.until} pulls, first for {self.state.until}"
            )
        self._require_same_hint(request)
        return _NOTHING

    def _require_same_hint(self, request: Request) -> None:
        if request.hint != self.state.hint:
            raise self._misfit(
                request, f"asked again with {request.hint}, first with {self.state.hint}"
            )

    def _ignore(self, request: Request) -> AgentOutput:
        return _NOTHING

    def _refuse(self, request: Request) -> AgentOutput:
        raise self._misfit(request, f"only {self.state.message} messages were sent so far")

    def _dismiss(self, message: Dismiss) -> AgentOutput:
        if self.state.cause in (message.cause, Cause.ENDED):
            return _NOTHING  # told before; "dropped" that arrives after "ended" is late
        self.state = replace(self.state, phase=AgentPhase.DISMISSED, until=0, cause=message.cause)
        return AgentOutput(events=(AgentDismissed(arm=self.arm, cause=message.cause),))

    def _last_report(self) -> Report:
        assert self.state.symbol is not None  # only called after a report
        return Report(
            run=self.spec.fingerprint,
            arm=self.arm,
            message=self.state.message,
            symbol=self.state.symbol,
        )

    def _again(self, event: AgentEvent) -> AgentOutput:
        """Live through one input once more."""
        run = self.spec.fingerprint
        match event:
            case RequestTaken():
                request = Request(
                    run=run,
                    arm=event.arm,
                    message=event.message,
                    until=event.until,
                    hint=event.hint,
                )
                return self.receive(request)
            case RewardsObserved():
                return self.observe(event.count, event.total)
            case AgentDismissed():
                return self.receive(Dismiss(run=run, arm=event.arm, cause=event.cause))
        raise LocalProtocolError(f"arm {self.arm}: {event} is no input of an agent")

    def _check_address(self, message: Request | Dismiss) -> None:
        if message.run != self.spec.fingerprint:
            raise PeerProtocolError(
                f"arm {self.arm}: message is for run {message.run:08x}, "
                f"this agent serves run {self.spec.fingerprint:08x}"
            )
        if message.arm != self.arm:
            raise PeerProtocolError(f"arm {self.arm}: message is for arm {message.arm}")

    def _misfit(self, request: Request, why: str) -> PeerProtocolError:
        return PeerProtocolError(f"arm {self.arm}, message {request.message}: {why}")
