"""The agent of one arm: counts rewards, and answers questions about their mean.

Sans I/O: a request, a dismissal or some rewards go in; answers come out. It never pulls: `wanted`
says how many rewards it waits for, and whoever drives it fetches them. A gateway that serves many
arms holds one machine for each.

It holds a count, a sum, the last question with its answer, and the epoch in which that was asked.
It knows no δ, σ, schedule, width or quantizer: whatever an answer depends on is in the question.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import final

from bitarm.core.bits import Symbol
from bitarm.core.epochs import is_later, run_field, split_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, Request, fit
from bitarm.core.question import BEATEN, Question
from bitarm.core.running_sum import add
from bitarm.core.schedule import MAX_PULLS, is_look, next_look
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError


class AgentPhase(Enum):
    """What the agent waits for."""

    IDLE = "idle"  # a request
    PULLING = "pulling"  # rewards
    LOOKING = "looking"  # that its rewards are kept for good, before it weighs them
    DISMISSED = "dismissed"  # nothing more in this epoch


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """All that an agent holds between two messages: save it, and begin again from it."""

    phase: AgentPhase = AgentPhase.IDLE
    pulls: int = 0  # rewards seen
    total: float = 0.0  # their sum
    rest: float = 0.0  # and what rounding left out of it
    scale: Scale | None = None  # on which evidence is kept of them, where a question said to
    bets: Bets | None = None  # that evidence, where it takes more than count and sum
    epoch: int | None = None  # the latest heard of; None before the first
    message: int = 0  # the last question's number in that epoch; 0 before the first
    question: Question | None = None  # that question
    symbol: Symbol | None = None  # its answer, once it is answered
    ahead: int | None = None  # or the pulls made, which were more than it asked for
    cause: Cause | None = None  # why it was dismissed

    @property
    def mean(self) -> float:
        """The mean of all rewards seen, μ̂; there must be one."""
        return (self.total + self.rest) / self.pulls


@final
class Agent:
    """Algorithm 2 as a machine: one arm of one run.

    Every method either returns what follows or raises and changes nothing.

        agent = Agent(run, arm)
        answers = agent.receive(request)
        while not answers:
            if agent.is_looking:
                keep(agent.state)
                answers = agent.look()
            else:
                rewards = source.pull(agent.wanted)
                answers = agent.observe(len(rewards), sum(rewards), rewards)
    """

    __slots__ = ("arm", "most_bits", "most_pulls", "run", "state")

    def __init__(
        self,
        run: int,
        arm: int,
        state: AgentState | None = None,
        *,
        most_pulls: int = MAX_PULLS,
        most_bits: int | None = None,
    ) -> None:
        """An agent that goes on from `state`, or begins.

        Args:
            run: the run's name on the wire, 24 bits: `learner.run`.
            arm: the number of the arm that it pulls, from 0.
            state: an earlier agent's `state`, if it goes on from that.
            most_pulls: pulls that one question may make it do, at most: whoever speaks in the
                learner's name must not be able to wear a sensor out.
            most_bits: the longest answer that its link carries; None where it sets no limit.
        """
        self.run = run
        self.arm = arm
        self.most_pulls = most_pulls
        self.most_bits = most_bits
        self.state = AgentState() if state is None else state

    @property
    def wanted(self) -> int:
        """Rewards still to be pulled before the next look or answer."""
        state = self.state
        if state.phase is not AgentPhase.PULLING:
            return 0
        assert state.question is not None  # what it pulls for
        until = state.question.until
        if isinstance(state.question.task, Challenge):
            until = min(until, next_look(state.pulls))
        return until - state.pulls

    @property
    def is_looking(self) -> bool:
        """Whether it weighs its rewards next: `look`, once what it holds is kept for good."""
        return self.state.phase is AgentPhase.LOOKING

    def knows_later(self, field: int) -> bool:
        """Whether a run field is of an epoch that is over: whoever speaks in it should be told.

        One that is half a turn away, neither earlier nor later, is not believed either.
        """
        run, epoch = split_field(field)
        known = self.state.epoch
        return run == self.run and known not in (None, epoch) and not is_later(epoch, known)

    def enter(self, epoch: int) -> bool:
        """Take a later epoch over: numbers and dismissals are void, rewards are kept.

        Returns whether it was a later one; an earlier one changes nothing.
        """
        known = self.state.epoch
        if known is not None and not is_later(epoch, known):
            return False
        kept = self.state
        self.state = AgentState(
            pulls=kept.pulls,
            total=kept.total,
            rest=kept.rest,
            scale=kept.scale,
            bets=kept.bets,
            epoch=epoch,
        )
        return True

    def receive(self, message: Request | Dismiss) -> tuple[Answer, ...]:
        """Take in what the learner says; returns the answer, if one is due at once.

        What is said in an epoch that is over is ignored. PeerProtocolError if the message is for
        another run or arm, asks something else under a number that was used, or asks for more than
        `most_pulls` pulls; RewardError if the question's code does not reach the mean.
        """
        run, epoch = split_field(message.run)
        if run != self.run:
            raise PeerProtocolError(
                f"arm {self.arm}: message is for run {run:06x}, this agent serves {self.run:06x}"
            )
        if message.arm != self.arm:
            raise PeerProtocolError(f"arm {self.arm}: message is for arm {message.arm}")
        if self.knows_later(message.run):
            return ()
        before = self.state
        self.enter(epoch)
        if isinstance(message, Dismiss):
            self._dismiss(message)
            return ()
        serve = _REQUESTS[self.state.phase, fit(message.message, self.state.message)]
        try:
            return serve(self, message)
        except (PeerProtocolError, RewardError):
            self.state = before
            raise

    def observe(
        self, count: int, total: float, rewards: Sequence[float] = ()
    ) -> tuple[Answer, ...]:
        """Take in `total`, the sum of the next `count` rewards; returns the answer once all came.

        The rewards themselves are needed only by who bets on them (`bets`). LocalProtocolError if
        more rewards come than are `wanted`, or are missing there; RewardError if the sum leaves the
        floats, or the question's code does not reach the mean.

        The running sum adds these totals in order (`core/running_sum.py`): an agent that sums a
        batch itself and a tape that holds batch sums do the same arithmetic.
        """
        state, total = self.state, float(total)
        if not 1 <= count <= self.wanted:
            raise LocalProtocolError(
                f"arm {self.arm}: {count} rewards offered, {self.wanted} are wanted"
            )
        running, rest = add(state.total, state.rest, total)
        if not math.isfinite(running):
            raise RewardError(f"arm {self.arm}: the rewards add up to {running}")
        bets = self._bets(state, count, rewards)
        pulls = state.pulls + count
        return self._advance(replace(state, pulls=pulls, total=running, rest=rest, bets=bets))

    def _bets(self, state: AgentState, count: int, rewards: Sequence[float]) -> Bets | None:
        scale = state.scale
        if state.bets is None or scale is None:
            return None
        if len(rewards) != count:
            raise LocalProtocolError(
                f"arm {self.arm}: bets need every reward, got {len(rewards)} of {count}"
            )
        scaled = [scale.inward(reward) for reward in rewards]
        if not (min(scaled) >= 0.0 and max(scaled) <= 1.0):
            raise RewardError(f"arm {self.arm}: a reward lies outside the bounds that were told")
        return state.bets.after(scaled, state.pulls)

    def look(self) -> tuple[Answer, ...]:
        """Weigh the rewards so far: returns that the arm gives up, or its answer if it is time.

        Only of rewards that are kept for good: a crash must not undo a look. LocalProtocolError
        unless the agent `is_looking`.
        """
        state, question = self.state, self.state.question
        if state.phase is not AgentPhase.LOOKING or question is None:
            raise LocalProtocolError(f"arm {self.arm}: there is nothing to look at")
        if question.is_beaten(state.pulls, state.mean, state.bets):
            self.state = replace(state, phase=AgentPhase.IDLE, symbol=BEATEN)
            return (self._last_answer(),)
        if state.pulls < question.until:
            self.state = replace(state, phase=AgentPhase.PULLING)
            return ()
        return self._answer(state, question)

    def _advance(self, state: AgentState) -> tuple[Answer, ...]:
        """Answer the question at hand if its pulls are made; go on pulling if they are not."""
        question = state.question
        assert question is not None  # at hand
        if state.pulls > question.until:
            self.state = replace(state, phase=AgentPhase.IDLE, ahead=state.pulls)
            return (self._last_answer(),)
        is_due = state.pulls == question.until or is_look(state.pulls)
        if isinstance(question.task, Challenge) and is_due:
            self.state = replace(state, phase=AgentPhase.LOOKING)
            return ()
        if state.pulls < question.until:
            self.state = replace(state, phase=AgentPhase.PULLING)
            return ()
        return self._answer(state, question)

    def _answer(self, state: AgentState, question: Question) -> tuple[Answer, ...]:
        symbol = question.answer(  # lines 3 to 5, Algorithm 2
            state.mean, state.bets, most_bits=self.most_bits
        )
        self.state = replace(state, phase=AgentPhase.IDLE, symbol=symbol)
        return (self._last_answer(),)

    def _take(self, request: Request) -> tuple[Answer, ...]:
        """Serve a new question.

        Its number may be more than one above the last: then the answers between were forgotten,
        and whether rewards were too, the agent's status has told by its count.
        """
        more = request.question.until - self.state.pulls
        if more > self.most_pulls:
            raise self._misfit(
                request,
                f"asks for {more} pulls, this agent makes at most {self.most_pulls} for a question",
            )
        scale = request.question.scale or self.state.scale
        bets = self.state.bets
        is_bounded = scale is not None and scale.bounded
        if not self.state.pulls:
            bets = Bets() if is_bounded else None
        elif is_bounded and bets is None:
            raise self._misfit(request, "is about bets on rewards, of which none were kept")
        elif scale != self.state.scale and bets is not None:
            raise self._misfit(request, "is about bets on another scale than those that were kept")
        fresh = replace(
            self.state,
            phase=AgentPhase.IDLE,
            scale=scale,
            bets=bets,
            message=request.message,
            question=request.question,
            symbol=None,
            ahead=None,
        )
        return self._advance(fresh)

    def _resend(self, request: Request) -> tuple[Answer, ...]:
        self._require_same(request)
        return (self._last_answer(),)

    def _same(self, request: Request) -> tuple[Answer, ...]:
        self._require_same(request)
        return ()

    def _ignore(self, request: Request) -> tuple[Answer, ...]:
        return ()

    def _require_same(self, request: Request) -> None:
        if request.question != self.state.question:
            raise self._misfit(
                request, f"first asked {self.state.question}, now {request.question}"
            )

    def _dismiss(self, message: Dismiss) -> None:
        if self.state.cause is not Cause.ENDED:  # "dropped" that arrives after "ended" is late
            self.state = replace(self.state, phase=AgentPhase.DISMISSED, cause=message.cause)

    def _last_answer(self) -> Answer:
        state = self.state
        assert state.epoch is not None  # of the question
        run = run_field(self.run, state.epoch)
        if state.ahead is not None:
            return Position(run=run, arm=self.arm, message=state.message, pulls=state.ahead)
        assert state.symbol is not None  # or it was not answered
        return Report(run=run, arm=self.arm, message=state.message, symbol=state.symbol)

    def _misfit(self, request: Request, why: str) -> PeerProtocolError:
        return PeerProtocolError(f"arm {self.arm}, message {request.message}: {why}")


_Service = Callable[[Agent, Request], tuple[Answer, ...]]

# What becomes of a request, by phase and by how its number fits the last question of this epoch.
#   _take     serve it; refused if it asks for more pulls than this agent makes
#   _resend   the same answer again; refused if the question is another one
#   _same     ignored if it is the question at hand, otherwise refused
#   _ignore   it was answered long ago, or the agent is dismissed: nothing can follow from it
_REQUESTS: dict[tuple[AgentPhase, Fit], _Service] = {
    (AgentPhase.IDLE, Fit.LATE): Agent._ignore,
    (AgentPhase.IDLE, Fit.REPEAT): Agent._resend,
    (AgentPhase.IDLE, Fit.NEXT): Agent._take,
    (AgentPhase.IDLE, Fit.SKIPS): Agent._take,
    (AgentPhase.PULLING, Fit.LATE): Agent._ignore,
    (AgentPhase.PULLING, Fit.REPEAT): Agent._same,
    (AgentPhase.PULLING, Fit.NEXT): Agent._take,
    (AgentPhase.PULLING, Fit.SKIPS): Agent._take,
    (AgentPhase.LOOKING, Fit.LATE): Agent._ignore,
    (AgentPhase.LOOKING, Fit.REPEAT): Agent._same,
    (AgentPhase.LOOKING, Fit.NEXT): Agent._take,
    (AgentPhase.LOOKING, Fit.SKIPS): Agent._take,
    (AgentPhase.DISMISSED, Fit.LATE): Agent._ignore,
    (AgentPhase.DISMISSED, Fit.REPEAT): Agent._ignore,
    (AgentPhase.DISMISSED, Fit.NEXT): Agent._ignore,
    (AgentPhase.DISMISSED, Fit.SKIPS): Agent._ignore,
}
