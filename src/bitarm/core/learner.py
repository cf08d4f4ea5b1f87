"""The learner: asks arms to advance, decodes what they report, and lets a policy decide.

Sans I/O: `start` and then reports go in; events, requests and dismissals come out. Events are
meant to be kept before the messages are sent: a learner that is rebuilt from them asks again for
what is missing and goes on to the same answer.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.events import (
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    LearnerEvent,
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
from bitarm.core.limits import Limits
from bitarm.core.messages import Cause, Dismiss, Fit, Report, Request, fit
from bitarm.core.policy import Advance, Drop, Outcome, Policy, Setting, Stop
from bitarm.core.spec import RunSpec
from bitarm.errors import LocalProtocolError, PeerProtocolError

# What becomes of a report, by the arm's phase and by how its number fits those accepted so far.
#   accept   decode it; the last one of a round lets the policy decide
#   repeat   ignored if it says the same again, refused if it contradicts itself
#   ignore   it was used long ago: nothing can follow from it
#   dismiss  its arm is out: ignored, and the agent, which seems not to know, is told again
#   refuse   it was not asked for
_REPORTS: dict[tuple[ArmPhase, Fit], str] = {
    (ArmPhase.RESTING, Fit.LATE): "_ignore",
    (ArmPhase.RESTING, Fit.REPEAT): "_repeat",
    (ArmPhase.RESTING, Fit.NEXT): "_refuse",
    (ArmPhase.RESTING, Fit.AHEAD): "_refuse",
    (ArmPhase.AWAITED, Fit.LATE): "_ignore",
    (ArmPhase.AWAITED, Fit.REPEAT): "_repeat",
    (ArmPhase.AWAITED, Fit.NEXT): "_accept",
    (ArmPhase.AWAITED, Fit.AHEAD): "_refuse",
    (ArmPhase.OUT, Fit.LATE): "_dismiss",
    (ArmPhase.OUT, Fit.REPEAT): "_dismiss",
    (ArmPhase.OUT, Fit.NEXT): "_dismiss",
    (ArmPhase.OUT, Fit.AHEAD): "_refuse",
}


@final
class Learner:
    """Algorithm 1 as a machine, for any policy and any quantizer.

    Every method either returns what follows or raises and changes nothing.
    """

    def __init__(self, spec: RunSpec, policy: Policy, limits: Limits) -> None:
        self.spec = spec
        self.policy = policy
        self.limits = limits
        self.phase = LearnerPhase.READY
        self.rounds = 0
        self.samples = 0
        self.payload_bits = 0
        self.ending: RunEnded | None = None
        self.caveats: tuple[str, ...] = ()
        self.arms = [
            ArmRecord(
                phase=ArmPhase.RESTING,
                held=spec.start(arm),
                pulls=0,
                message=0,
                symbol=None,
                until=0,
            )
            for arm in range(len(spec.arms))
        ]
        self._awaited = 0
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
            rounds=self.rounds,
            samples=self.samples,
            payload_bits=self.payload_bits,
            caveats=self.caveats,
            ending=self.ending,
        )

    @classmethod
    def restore(
        cls, spec: RunSpec, policy: Policy, limits: Limits, state: LearnerState
    ) -> "Learner":
        """A learner that goes on from a saved `state`."""
        learner = cls(spec, policy, limits)
        learner.phase = state.phase
        learner.arms = list(state.arms)
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
        """The requests that no report has answered yet: send these again after a loss."""
        if not self._awaited:
            return ()
        return tuple(
            self._request(arm, record)
            for arm, record in enumerate(self.arms)
            if record.phase is ArmPhase.AWAITED
        )

    def views(self) -> list[ArmView]:
        """The arms still in the race, as the policy sees them."""
        return [
            self.view(arm)
            for arm, record in enumerate(self.arms)
            if record.phase is not ArmPhase.OUT
        ]

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
        index = self.spec.step(record.message, held.pulls).index
        told = replace(self.view(arm), pulls=held.pulls, index=index, error=held.error)
        return self._setting.confidence.radius(told)

    # -- what may happen ---------------------------------------------------------------------

    def start(self) -> LearnerOutput:
        """Open the run and its first round."""
        if self.phase is not LearnerPhase.READY:
            raise LocalProtocolError("this learner was started before")
        self.phase = LearnerPhase.RUNNING
        opened = RunOpened(spec=self.spec, policy=self.policy, limits=self.limits)
        return self._decide([opened])

    def receive(self, report: Report) -> LearnerOutput:
        """Take in what an agent says."""
        self._check_address(report)
        record = self.arms[report.arm]
        how = _REPORTS[record.phase, fit(report.message, record.message)]
        output: LearnerOutput = getattr(self, how)(report, record)
        return output

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
        if not all(0 <= arm < len(self.arms) for arm in arms):
            raise LocalProtocolError(f"there are only {len(self.arms)} arms, lost were {arms}")
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
            else self._decide([lost])
        )
        return LearnerOutput(events=output.events, messages=(*told, *output.messages))

    # -- reports -----------------------------------------------------------------------------

    def _accept(self, report: Report, record: ArmRecord) -> LearnerOutput:
        """Lines 7 to 9 of Algorithm 1."""
        step = self.spec.step(report.message, record.until, record.hint)
        try:
            held = self.spec.quantizer.decode(report.symbol, record.held, step)
        except PeerProtocolError as error:
            raise self._misfit(report, str(error)) from None
        self.samples += record.until - record.pulls
        self.payload_bits += report.symbol.nbits
        self.arms[report.arm] = ArmRecord(
            phase=ArmPhase.RESTING,
            held=held,
            pulls=record.until,
            message=report.message,
            symbol=report.symbol,
            until=0,
        )
        accepted = ReportAccepted(
            round=self.rounds,
            arm=report.arm,
            message=report.message,
            pulls=record.until,
            symbol=report.symbol,
            mean=held.mean,
            error=held.error,
            radius=self.radius(report.arm),
            ceiling=None if held.pulls == record.until else held.ceiling,
        )
        self._awaited -= 1
        if self._awaited:
            return LearnerOutput(events=(accepted,))
        return self._decide([accepted])

    def _repeat(self, report: Report, record: ArmRecord) -> LearnerOutput:
        self._refuse_contradiction(report, record)
        return self._ignore(report, record)

    def _ignore(self, report: Report, record: ArmRecord) -> LearnerOutput:
        return LearnerOutput(events=(ReportIgnored(arm=report.arm, message=report.message),))

    def _dismiss(self, report: Report, record: ArmRecord) -> LearnerOutput:
        if report.message == record.message:
            self._refuse_contradiction(report, record)
        cause = Cause.ENDED if self.phase is LearnerPhase.ENDED else Cause.DROPPED
        ignored = ReportIgnored(arm=report.arm, message=report.message)
        return LearnerOutput(events=(ignored,), messages=(self._dismissal(report.arm, cause),))

    def _refuse(self, report: Report, record: ArmRecord) -> LearnerOutput:
        raise self._misfit(report, f"was not asked for; {record.message} were accepted so far")

    def _refuse_contradiction(self, report: Report, record: ArmRecord) -> None:
        if record.symbol != report.symbol:
            raise self._misfit(
                report, f"first said {record.symbol}, now {report.symbol}: one of them is false"
            )

    # -- decisions ---------------------------------------------------------------------------

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
            samples += action.until - record.pulls
            bits += self.spec.quantizer.least_bits(self.spec.step(record.message + 1, action.until))
        return self.limits.reached(rounds=self.rounds + 1, samples=samples, bits=bits)

    def _open_round(
        self,
        advances: list[Advance],
        events: list[LearnerEvent],
        messages: list[Request | Dismiss],
    ) -> None:
        """Broadcast the action c_i of the next round."""
        self.rounds += 1
        for action in advances:
            record = self.arms[action.arm]
            record = replace(record, phase=ArmPhase.AWAITED, until=action.until, hint=action.hint)
            self.arms[action.arm] = record
            messages.append(self._request(action.arm, record))
        self._awaited = len(advances)
        events.append(RoundOpened(round=self.rounds, advances=tuple(advances)))

    def _end(
        self, stop: Stop, events: list[LearnerEvent], messages: list[Request | Dismiss]
    ) -> LearnerOutput:
        """Answer, or say why not; every agent still in the race is told."""
        views = [self.view(arm) for arm in range(len(self.arms))]
        claim = guarantee(
            self.spec, self.policy, stop.outcome, views, self.caveats, covered_arms(self.arms)
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
        self.arms[arm] = replace(
            self.arms[arm],
            phase=ArmPhase.OUT,
            until=0,
            hint=None,
            dropped_for=dropped_for,
            lost=lost,
        )

    # -- messages and refusals ---------------------------------------------------------------

    def _request(self, arm: int, record: ArmRecord) -> Request:
        return Request(
            run=self.spec.fingerprint,
            arm=arm,
            message=record.message + 1,
            until=record.until,
            hint=record.hint,
        )

    def _dismissal(self, arm: int, cause: Cause) -> Dismiss:
        return Dismiss(run=self.spec.fingerprint, arm=arm, cause=cause)

    def _check_address(self, report: Report) -> None:
        if self.phase is LearnerPhase.READY:
            raise LocalProtocolError("a learner must be started before it can receive")
        if report.run != self.spec.fingerprint:
            raise self._misfit(
                report,
                f"is for run {report.run:08x}, this is run {self.spec.fingerprint:08x}",
            )
        if not 0 <= report.arm < len(self.arms):
            raise self._misfit(report, f"there are only {len(self.arms)} arms")

    def _require_running(self) -> None:
        if self.phase is not LearnerPhase.RUNNING:
            raise LocalProtocolError(f"the learner is {self.phase.value}, not running")

    def _misfit(self, report: Report, why: str) -> PeerProtocolError:
        return PeerProtocolError(f"arm {report.arm}, message {report.message}: {why}")
