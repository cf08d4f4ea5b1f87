"""The learner: asks arms to advance, decodes what they report, and lets a policy decide.

Sans I/O: `start` and then answers go in; events, requests and dismissals come out. Events are
meant to be kept before the messages are sent: a learner that is rebuilt from them takes a new
epoch (`begin`), asks again for what is missing and goes on to the same answer.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from bitarm.core.catch_up import NO_BUDGET, catch_up
from bitarm.core.confidence import ArmView
from bitarm.core.dither import dither
from bitarm.core.epochs import FIRST_EPOCH, is_later, run_field, run_of_opening, split_field
from bitarm.core.events import (
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.guarantee import covered_arms, guarantee
from bitarm.core.learner_state import (
    ArmPhase,
    ArmRecord,
    LearnerOutput,
    LearnerPhase,
    LearnerState,
)
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, Request, fit
from bitarm.core.policy import Advance, Drop, Outcome, Setting, Stop
from bitarm.core.quantizer import Step
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError

Dither = Callable[[int, Step], float]
"""The dither of an arm's next message, in [0, 1)."""


@final
class Learner:
    """Algorithm 1 as a machine, for any policy and any quantizer.

    Every method either returns what follows or raises and changes nothing.
    """

    def __init__(
        self,
        setup: Setup,
        opening: str | None = None,
        dither_of: Dither | None = None,
    ) -> None:
        """A learner of one run.

        `opening` names this run among all others, those with equal settings included; by default
        it is the settings' own name. `dither_of` gives the dithers of stochastic rounding; by
        default they are a function of the spec's seed.
        """
        self.setup = setup
        self.spec, self.policy = spec, policy = setup.spec, setup.policy
        self.opening = f"{spec.fingerprint:08x}" if opening is None else opening
        self.run = run_of_opening(self.opening)
        self.epoch = FIRST_EPOCH
        self.resumed = False
        self.phase = LearnerPhase.READY
        self.rounds = 0
        self.samples = 0
        self.payload_bits = 0
        self.ending: RunEnded | None = None
        self.caveats: tuple[str, ...] = ()
        self.arms = [
            ArmRecord(phase=ArmPhase.RESTING, held=spec.start(arm)) for arm in range(len(spec.arms))
        ]
        self._awaited = 0
        self._dither = dither_of or (lambda arm, step: dither(spec.seed, arm, step.message))
        self._setting = Setting(
            arms=len(spec.arms),
            delta=spec.delta,
            confidence=spec.sampling.confidence(policy.stride),
            schedule=spec.schedule,
            hints=spec.quantizer.hinted,
        )

    def save(self) -> LearnerState:
        """The state by value."""
        return LearnerState(
            phase=self.phase,
            arms=tuple(self.arms),
            epoch=self.epoch,
            resumed=self.resumed,
            rounds=self.rounds,
            samples=self.samples,
            payload_bits=self.payload_bits,
            caveats=self.caveats,
            ending=self.ending,
        )

    @classmethod
    def restore(cls, setup: Setup, state: LearnerState, opening: str | None = None) -> "Learner":
        """A learner that goes on from a saved `state`."""
        learner = cls(setup, opening)
        learner.phase = state.phase
        learner.arms = list(state.arms)
        learner.epoch = state.epoch
        learner.resumed = state.resumed
        learner.rounds = state.rounds
        learner.samples = state.samples
        learner.payload_bits = state.payload_bits
        learner.caveats = state.caveats
        learner.ending = state.ending
        learner._awaited = sum(record.phase is ArmPhase.AWAITED for record in state.arms)
        return learner

    # -- what a driver may ask ---------------------------------------------------------------

    @property
    def pending(self) -> tuple[Request, ...]:
        """The requests that nobody has answered yet: send these again after a loss."""
        if not self._awaited:
            return ()
        return tuple(
            self._request(arm, record.asked, record.question)
            for arm, record in enumerate(self.arms)
            if record.question is not None
        )

    def views(self) -> list[ArmView]:
        """The arms still in the race, as the policy sees them."""
        return [
            self.view(arm)
            for arm, record in enumerate(self.arms)
            if record.phase is not ArmPhase.OUT
        ]

    def dismissal(self, arm: int) -> Dismiss:
        """What the agent of an arm that is out must hear."""
        running = self.phase is LearnerPhase.RUNNING
        return self._dismissal(arm, Cause.DROPPED if running else Cause.ENDED)

    def view(self, arm: int) -> ArmView:
        """One arm as a policy sees it, in the race or not."""
        record = self.arms[arm]
        return ArmView(
            arm=arm,
            mean=record.held.mean,
            pulls=record.pulls,
            messages=record.message,
            index=self.spec.step(record.message, record.pulls).index if record.message else 0,
            error=record.held.error if record.held.pulls == record.pulls else math.inf,
            ceiling=record.held.ceiling,
        )

    def radius(self, arm: int) -> float:
        """The arm's radius as the policy would use it, at the pulls of which it told its mean.

        Infinite under a policy that answers without a proof.
        """
        if self.policy.answers is Outcome.BUDGET_SPENT:
            return math.inf  # nothing is claimed of any arm: there is no δ
        record = self.arms[arm]
        held = record.held
        if not held.pulls:
            return held.radius
        if held.pulls == record.pulls:
            return self._setting.confidence.radius(self.view(arm))
        index = self.spec.step(record.message, held.pulls).index
        told = replace(self.view(arm), pulls=held.pulls, index=index, error=held.error)
        return self._setting.confidence.radius(told)

    # -- what may happen ---------------------------------------------------------------------

    def start(self) -> LearnerOutput:
        """Open the run and its first round."""
        if self.phase is not LearnerPhase.READY:
            raise LocalProtocolError("this learner was started before")
        self.phase = LearnerPhase.RUNNING
        setup = self.setup
        opened = RunOpened(setup=setup, opening=self.opening, packages=setup.packages)
        return self._decide([opened])

    def begin(self, epoch: int) -> LearnerOutput:
        """Take a later epoch, as who goes on with a run must: all questions get new numbers."""
        if self.phase is LearnerPhase.READY:
            raise LocalProtocolError("a learner must be started before it takes another epoch")
        if not is_later(epoch, self.epoch):
            raise LocalProtocolError(f"epoch {epoch} must be later than {self.epoch}")
        self.epoch, self.resumed = epoch, True
        for arm, record in enumerate(self.arms):
            asked = 1 if record.question is not None else 0
            self.arms[arm] = replace(record, asked=asked, symbol=None)
        return LearnerOutput(events=(EpochBegan(epoch=epoch),), messages=self.pending)

    def receive(self, answer: Answer) -> LearnerOutput:
        """Take in what an agent says."""
        self._check_address(answer)
        record = self.arms[answer.arm]
        awaited = record.phase is ArmPhase.AWAITED
        how = fit(answer.message, record.asked - 1 if awaited else record.asked)
        return _ANSWERS[record.phase, how](self, answer, record)

    def renew(self, counts: Mapping[int, int]) -> LearnerOutput:
        """Take in that the agents of these arms begin new sequences of rewards.

        `counts` has the pulls of each that are in `samples` already: those that an older memory
        shares with the sequence before. What was told before stays: it was true. But bounds that
        hold along one sequence must be paid for anew. Arms that have told nothing have nothing to
        renew.
        """
        self._require_running()
        self._require_arms(counts)
        if not all(0 <= count <= self.arms[arm].counted for arm, count in counts.items()):
            raise LocalProtocolError(f"a new sequence shares pulls that were counted: {counts}")
        renewed = {
            arm: count
            for arm, count in counts.items()
            if self.arms[arm].phase is not ArmPhase.OUT and self.arms[arm].message
        }
        if not renewed:
            return LearnerOutput()
        for arm, count in renewed.items():
            record = self.arms[arm]
            self.arms[arm] = replace(record, lives=record.lives + 1, counted=count)
        began = LivesBegan(arms=tuple(renewed), pulls=tuple(renewed.values()))
        return LearnerOutput(events=(began,))

    def note(self, caveat: str) -> LearnerOutput:
        """Take in a fact that voids the guarantee of whatever is answered from now on."""
        self._require_running()
        if caveat in self.caveats:
            return LearnerOutput()
        self.caveats = (*self.caveats, caveat)
        return LearnerOutput(events=(CaveatNoted(text=caveat),))

    def interrupt(self) -> LearnerOutput:
        """End the run from outside, without an answer."""
        self._require_running()
        return self._end(Stop(outcome=Outcome.INTERRUPTED), [], [])

    def lose(self, arms: Sequence[int], *, stop: bool = False) -> LearnerOutput:
        """Go on without arms whose agent is gone, or stop: an answer covers the others only.

        If they were the last that the round waited for, the policy decides.
        """
        self._require_running()
        self._require_arms(arms)
        gone = tuple(arm for arm in arms if self.arms[arm].phase is not ArmPhase.OUT)
        if not gone:
            return LearnerOutput()
        for arm in gone:
            self._awaited -= self.arms[arm].phase is ArmPhase.AWAITED
            self._retire(arm, lost=True)
        lost = ArmsLost(round=self.rounds, arms=gone, stops=stop)
        told = tuple(self._dismissal(arm, Cause.DROPPED) for arm in gone)
        if self._awaited and not stop:
            return LearnerOutput(events=(lost,), messages=told)
        output = (
            self._end(Stop(outcome=Outcome.AGENT_LOST), [lost], [])
            if stop
            else self._close_round([lost])
        )
        return LearnerOutput(events=output.events, messages=(*told, *output.messages))

    # -- answers -----------------------------------------------------------------------------

    def _accept(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        """Lines 7 to 9 of Algorithm 1; or the agent is ahead, and the arms must catch up."""
        question = record.question
        assert question is not None  # it is awaited
        event: LearnerEvent = (
            self._told(answer, record, question)
            if isinstance(answer, Report)
            else self._ahead(answer, record, question)
        )
        self._awaited -= 1
        return LearnerOutput(events=(event,)) if self._awaited else self._close_round([event])

    def _told(self, report: Report, record: ArmRecord, question: Question) -> ReportAccepted:
        message, pulls = record.message + 1, question.until
        step = self.spec.step(message, pulls)
        try:
            held = self.spec.quantizer.read(report.symbol, question, record.held, step)
        except PeerProtocolError as error:
            raise self._misfit(report, str(error)) from None
        self.samples += pulls - record.counted
        self.payload_bits += report.symbol.nbits
        self.arms[report.arm] = record.after(held, pulls, report.symbol)
        return ReportAccepted(
            round=self.rounds,
            arm=report.arm,
            message=message,
            pulls=pulls,
            symbol=report.symbol,
            mean=held.mean,
            error=held.error,
            radius=self.radius(report.arm),
            ceiling=None if held.pulls == pulls else held.ceiling,
        )

    def _ahead(self, answer: Position, record: ArmRecord, question: Question) -> PositionTold:
        """An agent remembers more pulls than this learner: believed only if that can be."""
        if not self.resumed:
            raise self._misfit(
                answer,
                f"says that {answer.pulls} pulls were made, {question.until} were asked "
                "for, and nobody else ever asked in this run",
            )
        most = min(MAX_PULLS, self.setup.limits.samples or MAX_PULLS)
        if not question.until < answer.pulls <= most:
            raise self._misfit(
                answer, f"says that {answer.pulls} pulls were made, which this run cannot have"
            )
        self.arms[answer.arm] = replace(
            record, phase=ArmPhase.RESTING, question=None, symbol=None, ahead=answer.pulls
        )
        return PositionTold(round=self.rounds, arm=answer.arm, pulls=answer.pulls)

    def _repeat(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        if self._contradicts(answer, record):
            return self.note(
                f"{self.spec.label(answer.arm)} gave two different answers to one question: two "
                "processes serve it, or its memory went back in time"
            )
        return self._ignore(answer, record)

    def _ignore(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        return LearnerOutput(events=(ReportIgnored(arm=answer.arm, message=answer.message),))

    def _dismiss(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        """Its arm is out: ignored, and the agent, which seems not to know, is told again."""
        running = self.phase is LearnerPhase.RUNNING
        heard = self._repeat if running and answer.message == record.asked else self._ignore
        told = (self.dismissal(answer.arm),)
        return LearnerOutput(events=heard(answer, record).events, messages=told)

    def _refuse(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        raise self._misfit(answer, f"was not asked for; {record.asked} were in this epoch so far")

    def _contradicts(self, answer: Answer, record: ArmRecord) -> bool:
        """Whether it says other than the first answer to the same question did."""
        if record.ahead is not None:
            return not isinstance(answer, Position) or answer.pulls != record.ahead
        if record.symbol is None:
            return False  # the question before it was answered in another epoch, or not in a symbol
        return not isinstance(answer, Report) or answer.symbol != record.symbol

    # -- decisions ---------------------------------------------------------------------------

    def _close_round(self, events: list[LearnerEvent]) -> LearnerOutput:
        """All that were asked have answered: decide, unless the agents know of a lost past."""
        if any(it.ahead is not None and it.phase is not ArmPhase.OUT for it in self.arms):
            return self._catch_up(events)
        return self._decide(events)

    def _decide(self, events: list[LearnerEvent]) -> LearnerOutput:
        """Ask the policy, and carry out what it says."""
        messages: list[Request | Dismiss] = []
        advances: list[Advance] = []
        views = self.views()
        if len(views) < 2:  # all others were lost: no policy has anything left to compare
            return self._end(self._last_standing(views), events, messages)
        for action in self.policy.decide(views, self._setting):
            match action:
                case Drop():
                    events.append(self._drop(action))
                    messages.append(self._dismissal(action.arm, Cause.DROPPED))
                case Advance():
                    advances.append(action)
                case Stop():
                    return self._end(action, events, messages)
        return self._go_on(advances, events, messages)

    def _go_on(
        self,
        advances: list[Advance],
        events: list[LearnerEvent],
        messages: list[Request | Dismiss],
    ) -> LearnerOutput:
        """Open the next round, or end where it would break a limit."""
        limit = self._limit(advances)
        if limit is not None:
            return self._end(Stop(outcome=limit), events, messages)
        self._open_round(advances, events, messages)
        return LearnerOutput(events=tuple(events), messages=tuple(messages))

    def _drop(self, action: Drop) -> ArmDropped:
        self._retire(action.arm, dropped_for=action.because)
        return ArmDropped(round=self.rounds, arm=action.arm, because=action.because)

    def _last_standing(self, views: list[ArmView]) -> Stop:
        """The one arm left answers only if it, or an arm that it beat, was found better."""
        if views and len(covered_arms(self.arms)) > 1:
            return Stop(outcome=self.policy.answers, best_arm=views[0].arm)
        return Stop(outcome=Outcome.AGENT_LOST)

    def _limit(self, advances: list[Advance]) -> Outcome | None:
        """The limit that the next round could not keep, if any."""
        samples, bits = self.samples, self.payload_bits
        for action in advances:
            record = self.arms[action.arm]
            samples += action.until - record.counted
            bits += self.spec.quantizer.least_bits(self.spec.step(record.message + 1, action.until))
        return self.setup.limits.reached(rounds=self.rounds + 1, samples=samples, bits=bits)

    def _open_round(
        self,
        advances: list[Advance],
        events: list[LearnerEvent],
        messages: list[Request | Dismiss],
    ) -> None:
        """Broadcast the action c_i of the next round: a question to each arm that goes on."""
        questions = [self._question(action, self.arms[action.arm]) for action in advances]
        requests = []
        for action, question in zip(advances, questions, strict=True):
            record = self.arms[action.arm].awaiting(question)
            self.arms[action.arm] = record
            requests.append(self._request(action.arm, record.asked, question))
        self.rounds += 1
        self._awaited = len(advances)
        messages.extend(requests)
        in_order = sorted(requests, key=lambda request: request.arm)
        events.append(RoundOpened(round=self.rounds, requests=tuple(in_order)))

    def _question(self, action: Advance, record: ArmRecord) -> Question:
        step = self.spec.step(record.message + 1, action.until, action.hint)
        try:
            return self.spec.quantizer.question(record.held, step, self._dither(action.arm, step))
        except LocalProtocolError as error:
            raise ConfigError(
                f"{self.spec.label(action.arm)} cannot be asked for its mean after {action.until} "
                f"pulls: {error}. Is sigma, or the range of the bounds, what it should be?"
            ) from None

    def _catch_up(self, events: list[LearnerEvent]) -> LearnerOutput:
        """Go on from where the agents are, since they are ahead of this learner."""
        if self.policy.answers is Outcome.BUDGET_SPENT:
            self.caveats = (*self.caveats, NO_BUDGET)
            events.append(CaveatNoted(text=NO_BUDGET))
            return self._end(Stop(outcome=Outcome.INTERRUPTED), events, [])
        advances = catch_up(self.arms, self.spec.schedule, self.policy.stride)
        if advances is None:
            return self._end(Stop(outcome=Outcome.SAMPLE_LIMIT), events, [])
        return self._go_on(advances, events, [])

    def _end(
        self, stop: Stop, events: list[LearnerEvent], messages: list[Request | Dismiss]
    ) -> LearnerOutput:
        """Answer, or say why not; every agent still in the race is told."""
        views = [self.view(arm) for arm in range(len(self.arms))]
        claim = guarantee(
            self.setup,
            stop.outcome,
            views,
            self.caveats,
            covered_arms(self.arms),
            [record.lives for record in self.arms],
        )
        for arm, record in enumerate(self.arms):
            if record.phase is not ArmPhase.OUT:
                self._retire(arm)
                messages.append(self._dismissal(arm, Cause.ENDED))
        self._awaited = 0
        self.phase = LearnerPhase.ENDED
        self.ending = RunEnded(
            outcome=stop.outcome,
            best_arm=stop.best_arm,
            guarantee=claim.delta,
            guarantee_reason=claim.reason,
            rounds=self.rounds,
            samples=self.samples,
            payload_bits=self.payload_bits,
        )
        return LearnerOutput(events=(*events, self.ending), messages=tuple(messages))

    def _retire(self, arm: int, *, dropped_for: int | None = None, lost: bool = False) -> None:
        record = self.arms[arm]
        awaited = record.phase is ArmPhase.AWAITED  # its last symbol answered an older question
        self.arms[arm] = replace(
            record,
            phase=ArmPhase.OUT,
            question=None,
            symbol=None if awaited else record.symbol,
            dropped_for=dropped_for,
            lost=lost,
        )

    # -- messages and refusals ---------------------------------------------------------------

    @property
    def _field(self) -> int:
        return run_field(self.run, self.epoch)

    def _request(self, arm: int, number: int, question: Question) -> Request:
        return Request(run=self._field, arm=arm, message=number, question=question)

    def _dismissal(self, arm: int, cause: Cause) -> Dismiss:
        return Dismiss(run=self._field, arm=arm, cause=cause)

    def _check_address(self, answer: Answer) -> None:
        if self.phase is LearnerPhase.READY:
            raise LocalProtocolError("a learner must be started before it can receive")
        run, epoch = split_field(answer.run)
        if run != self.run:
            raise self._misfit(answer, f"is for run {run:06x}, this is run {self.run:06x}")
        if epoch != self.epoch:
            raise self._misfit(answer, f"is of epoch {epoch}, this is epoch {self.epoch}")
        if not 0 <= answer.arm < len(self.arms):
            raise self._misfit(answer, f"there are only {len(self.arms)} arms")

    def _require_running(self) -> None:
        if self.phase is not LearnerPhase.RUNNING:
            raise LocalProtocolError(f"the learner is {self.phase.value}, not running")

    def _require_arms(self, arms: Iterable[int]) -> None:
        wrong = [arm for arm in arms if not 0 <= arm < len(self.arms)]
        if wrong:
            raise LocalProtocolError(f"there are only {len(self.arms)} arms, got {wrong}")

    def _misfit(self, answer: Answer, why: str) -> PeerProtocolError:
        return PeerProtocolError(f"arm {answer.arm}, message {answer.message}: {why}")


_Step = Callable[[Learner, Answer, ArmRecord], LearnerOutput]

# What becomes of an answer, by the arm's phase and by how its number fits the questions that are
# answered so far in this epoch.
#   _accept   read it; the last one of a round lets the policy decide
#   _repeat   ignored if it says the same again; two answers to one question void the guarantee
#   _ignore   it was used long ago: nothing can follow from it
#   _dismiss  its arm is out: ignored, and the agent, which seems not to know, is told again
#   _refuse   it was not asked for
_ANSWERS: dict[tuple[ArmPhase, Fit], _Step] = {
    (ArmPhase.RESTING, Fit.LATE): Learner._ignore,
    (ArmPhase.RESTING, Fit.REPEAT): Learner._repeat,
    (ArmPhase.RESTING, Fit.NEXT): Learner._refuse,
    (ArmPhase.RESTING, Fit.AHEAD): Learner._refuse,
    (ArmPhase.AWAITED, Fit.LATE): Learner._ignore,
    (ArmPhase.AWAITED, Fit.REPEAT): Learner._repeat,
    (ArmPhase.AWAITED, Fit.NEXT): Learner._accept,
    (ArmPhase.AWAITED, Fit.AHEAD): Learner._refuse,
    (ArmPhase.OUT, Fit.LATE): Learner._dismiss,
    (ArmPhase.OUT, Fit.REPEAT): Learner._dismiss,
    (ArmPhase.OUT, Fit.NEXT): Learner._refuse,
    (ArmPhase.OUT, Fit.AHEAD): Learner._refuse,
}
