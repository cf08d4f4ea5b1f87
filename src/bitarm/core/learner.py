"""The learner: asks arms to advance, decodes what they report, and lets a policy decide.

Sans I/O: `start` and then answers go in; events, requests and dismissals come out. Events are
meant to be kept before the messages are sent: a learner that is rebuilt from them takes a new
epoch (`begin`), asks again for what is missing and goes on to the same answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.epochs import FIRST_EPOCH, Address, is_later, run_of_opening
from bitarm.core.events import (
    AgentJoined,
    ArmsLost,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    ReportIgnored,
    RunEnded,
    RunOpened,
)
from bitarm.core.learner_state import (
    ArmPhase,
    ArmRecord,
    LearnerOutput,
    LearnerPhase,
    LearnerState,
)
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, Request, fit
from bitarm.core.outcome import FROM_OUTSIDE, Outcome
from bitarm.core.policy import Stop
from bitarm.core.question import Question
from bitarm.core.race import DitherOf, Race
from bitarm.core.rounds import Rounds
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError


@final
class Learner:
    """Algorithm 1 as a machine, for any policy and any quantizer.

    Every method either returns what follows or raises and changes nothing. What follows is a
    `LearnerOutput`: events to be kept, and then messages to be sent.

        output = learner.start()
        while learner.phase is LearnerPhase.RUNNING:
            output = learner.receive(next_answer())  # from whichever agent speaks next

    A call out of turn (before the start, after the end) is a LocalProtocolError.
    """

    def __init__(
        self,
        setup: Setup,
        opening: str | None = None,
        dither_of: DitherOf | None = None,
    ) -> None:
        """A learner of one run.

        Args:
            setup: the run before it begins, such as `bitarm.setup` makes one.
            opening: names this run among all others, those with equal settings included. By default
                it is the setup's fingerprint: two runs of equal settings then have one name, which
                is right where only one is ever alive.
            dither_of: gives the dithers of stochastic rounding; by default they follow from the
                setup's seed.
        """
        if not isinstance(setup, Setup):
            raise ConfigError(
                f"a learner takes a setup, such as bitarm.setup(names, bounds=(0, 1)), "
                f"got {setup!r:.60}"
            )
        self.setup = setup
        self.spec, self.policy = setup.spec, setup.policy
        self.opening = f"{setup.fingerprint:08x}" if opening is None else opening
        self._started = False
        self._race = Race(setup, dither_of)
        address = Address(run=run_of_opening(self.opening), epoch=FIRST_EPOCH)
        self._rounds = Rounds(self._race, address)

    def save(self) -> LearnerState:
        """The state by value, to be compared: a learner is rebuilt from its events (`replay`)."""
        race = self._race
        return LearnerState(
            phase=self.phase,
            arms=tuple(race.arms),
            epoch=self.epoch,
            rounds=race.rounds,
            samples=race.samples,
            payload_bits=race.payload_bits,
            caveats=self.caveats,
            incidents=self._rounds.incidents,
            ending=self.ending,
        )

    # -- what a driver may ask ---------------------------------------------------------------

    @property
    def run(self) -> int:
        """The 24 bits that name this run on the wire."""
        return self._rounds.address.run

    @property
    def epoch(self) -> int:
        """Which of its learner's starts this is: what is said in another is not read."""
        return self._rounds.address.epoch

    @property
    def phase(self) -> LearnerPhase:
        """Where the run stands."""
        if self.ending is not None:
            return LearnerPhase.ENDED
        return LearnerPhase.RUNNING if self._started else LearnerPhase.READY

    @property
    def resumed(self) -> bool:
        """Whether it goes on with a run that another process began."""
        return self._rounds.incidents.resumed

    @property
    def ending(self) -> RunEnded | None:
        """How the run ended, if it did."""
        return self._rounds.ending

    @property
    def caveats(self) -> tuple[str, ...]:
        """What voids the guarantee of an answer."""
        return self._rounds.caveats

    @property
    def pending(self) -> tuple[Request, ...]:
        """The requests that nobody has answered yet: send these again after a loss."""
        if not self._race.awaited:
            return ()
        return self._pending(range(len(self.arms)))

    def _pending(self, arms: Iterable[int]) -> tuple[Request, ...]:
        return tuple(
            self._rounds.address.request(arm, record.asked, record.question)
            for arm, record in ((arm, self.arms[arm]) for arm in arms)
            if record.question is not None
        )

    def dismissal(self, arm: int) -> Dismiss:
        """What the agent of an arm that is out must hear."""
        running = self.phase is LearnerPhase.RUNNING
        return self._rounds.address.dismissal(arm, Cause.DROPPED if running else Cause.ENDED)

    @property
    def arms(self) -> Sequence[ArmRecord]:
        """What is held of each arm."""
        return self._race.arms

    @property
    def rounds(self) -> int:
        """Rounds that were opened."""
        return self._race.rounds

    @property
    def samples(self) -> int:
        """Pulls of all arms that were reported."""
        return self._race.samples

    @property
    def payload_bits(self) -> int:
        """Bits of all symbols that were read."""
        return self._race.payload_bits

    def views(self) -> list[ArmView]:
        """The arms still in the race, as the policy sees them."""
        return self._race.views()

    def view(self, arm: int) -> ArmView:
        """One arm as a policy sees it, in the race or not."""
        return self._race.view(arm)

    def radius(self, arm: int) -> float:
        """The arm's radius as the policy would use it, at the pulls of which it told its mean."""
        return self._race.radius(arm)

    # -- what may happen ---------------------------------------------------------------------

    def start(self) -> LearnerOutput:
        """Open the run and its first round."""
        if self.phase is not LearnerPhase.READY:
            raise LocalProtocolError("this learner was started before")
        self._started = True
        setup = self.setup
        opened = RunOpened(setup=setup, opening=self.opening, packages=setup.packages)
        return self._rounds.decide([opened])

    def begin(self, epoch: int) -> LearnerOutput:
        """Take a later epoch, as who goes on with a run must: all questions get new numbers.

        The output asks again for what nobody has answered. LocalProtocolError if the epoch is not
        later than the present one.
        """
        if self.phase is LearnerPhase.READY:
            raise LocalProtocolError("a learner must be started before it takes another epoch")
        if not is_later(epoch, self.epoch):
            raise LocalProtocolError(f"epoch {epoch} must be later than {self.epoch}")
        self._rounds.resume(epoch)
        return LearnerOutput(events=(EpochBegan(epoch=epoch),), messages=self.pending)

    def receive(self, answer: Answer) -> LearnerOutput:
        """Take in what an agent says; the last answer of a round lets the policy decide.

        An answer that came before is ignored. PeerProtocolError if it is of another run or epoch,
        was not asked for, or cannot be read.
        """
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
        renew. What the others are asked is asked again under a new number: what the sequence before
        would have answered is not read any more.
        """
        self._require_running()
        renewed = self._race.renew(counts)
        if not renewed:
            return LearnerOutput()
        began = LivesBegan(arms=tuple(renewed), pulls=tuple(renewed.values()))
        return LearnerOutput(events=(began,), messages=self._pending(renewed))

    def join(self, joined: AgentJoined) -> LearnerOutput:
        """Take in that a process began to serve an agent, for the first time or again.

        If rewards were lost that had never been told, the claim says what that must not depend on;
        and if it went on from its file, what is taken for granted of that; and of an agent that
        says nothing of its memory, what it may have kept to itself.
        """
        self._require_running()
        self._rounds.join(joined)
        return LearnerOutput(events=(joined,))

    def note(self, caveat: str) -> LearnerOutput:
        """Take in a fact that voids the guarantee of whatever is answered from now on.

        `caveat` is a sentence for the user. Said again, it changes nothing.
        """
        self._require_running()
        if caveat in self.caveats:
            return LearnerOutput()
        return LearnerOutput(events=(self._rounds.note(caveat),))

    def interrupt(self, outcome: Outcome = Outcome.INTERRUPTED, why: str = "") -> LearnerOutput:
        """End the run from outside, without an answer: interrupted, or out of recorded rewards.

        `why` is a clause for the user, where the outcome does not say all.
        """
        self._require_running()
        if outcome not in FROM_OUTSIDE:
            raise LocalProtocolError(f"{outcome.value} is for the learner to find, not its driver")
        return self._rounds.end(Stop(outcome=outcome), [], [], why)

    def lose(self, arms: Sequence[int], *, stop: bool = False) -> LearnerOutput:
        """Go on without arms whose agent is gone; an answer then covers the others only.

        With `stop` the run ends instead. If they were the last that the round waited for, the
        policy decides. LocalProtocolError if there is no such arm.
        """
        self._require_running()
        gone = self._race.lose(arms)
        if not gone:
            return LearnerOutput()
        lost = ArmsLost(round=self.rounds, arms=gone, stops=stop)
        told = tuple(self._rounds.address.dismissal(arm, Cause.DROPPED) for arm in gone)
        if self._race.awaited and not stop:
            return LearnerOutput(events=(lost,), messages=told)
        output = (
            self._rounds.end(Stop(outcome=Outcome.AGENT_LOST), [lost], [])
            if stop
            else self._rounds.close([lost])
        )
        return LearnerOutput(events=output.events, messages=(*told, *output.messages))

    # -- answers -----------------------------------------------------------------------------

    def _accept(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        """Read it; or the agent is ahead, and the arms must catch up."""
        question = record.question
        assert question is not None  # it is awaited
        event: LearnerEvent = (
            self._read_report(answer, question)
            if isinstance(answer, Report)
            else self._read_position(answer, question)
        )
        if self._race.awaited:
            return LearnerOutput(events=(event,))
        return self._rounds.close([event])

    def _read_report(self, report: Report, question: Question) -> ReportAccepted:
        try:
            return self._race.hear(report.arm, question, report.symbol)
        except PeerProtocolError as error:
            raise self._misfit(report, str(error)) from None

    def _read_position(self, answer: Position, question: Question) -> PositionTold:
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
        self._race.fall_behind(answer.arm, answer.pulls)
        self._rounds.notice_restore()
        return PositionTold(round=self.rounds, arm=answer.arm, pulls=answer.pulls)

    def _repeat(self, answer: Answer, record: ArmRecord) -> LearnerOutput:
        if record.contradicts(answer):
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

    # -- refusals ---------------------------------------------------------------------------

    def _check_address(self, answer: Answer) -> None:
        if self.phase is LearnerPhase.READY:
            raise LocalProtocolError("a learner must be started before it can receive")
        elsewhere = self._rounds.address.misfit(answer)
        if elsewhere is not None:
            raise self._misfit(answer, elsewhere)
        if not 0 <= answer.arm < len(self.arms):
            raise self._misfit(answer, f"there are only {len(self.arms)} arms")

    def _require_running(self) -> None:
        if self.phase is not LearnerPhase.RUNNING:
            raise LocalProtocolError(f"the learner is {self.phase.value}, not running")

    def _misfit(self, answer: Answer, why: str) -> PeerProtocolError:
        return PeerProtocolError(f"arm {answer.arm}, message {answer.message}: {why}")


_Handler = Callable[[Learner, Answer, ArmRecord], LearnerOutput]

# What becomes of an answer, by the arm's phase and by how its number fits the questions that are
# answered so far in this epoch.
#   _accept   read it; the last one of a round lets the policy decide
#   _repeat   ignored if it says the same again; two answers to one question void the guarantee
#   _ignore   it was used long ago: nothing can follow from it
#   _dismiss  its arm is out: ignored, and the agent, which seems not to know, is told again
#   _refuse   it was not asked for
_ANSWERS: dict[tuple[ArmPhase, Fit], _Handler] = {
    (ArmPhase.RESTING, Fit.LATE): Learner._ignore,
    (ArmPhase.RESTING, Fit.REPEAT): Learner._repeat,
    (ArmPhase.RESTING, Fit.NEXT): Learner._refuse,
    (ArmPhase.RESTING, Fit.SKIPS): Learner._refuse,
    (ArmPhase.AWAITED, Fit.LATE): Learner._ignore,
    (ArmPhase.AWAITED, Fit.REPEAT): Learner._repeat,
    (ArmPhase.AWAITED, Fit.NEXT): Learner._accept,
    (ArmPhase.AWAITED, Fit.SKIPS): Learner._refuse,
    (ArmPhase.OUT, Fit.LATE): Learner._dismiss,
    (ArmPhase.OUT, Fit.REPEAT): Learner._dismiss,
    (ArmPhase.OUT, Fit.NEXT): Learner._refuse,
    (ArmPhase.OUT, Fit.SKIPS): Learner._refuse,
}
