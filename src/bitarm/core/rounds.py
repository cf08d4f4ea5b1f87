"""How rounds are opened and closed: the policy is asked, and what it says is carried out.

The learner (`core/learner.py`) says when a round may close. Here is what follows: which arms fall,
which are asked next, whether a limit or the policy ends the run, and what may then be claimed.
"""

from dataclasses import replace
from typing import final

from bitarm.core.budget import is_budgeted
from bitarm.core.catch_up import NO_BUDGET
from bitarm.core.epochs import Address
from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    CaveatNoted,
    LearnerEvent,
    RoundOpened,
    RunEnded,
)
from bitarm.core.guarantee import Incidents
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.messages import Cause, Dismiss, Request
from bitarm.core.outcome import Outcome
from bitarm.core.policy import Advance, Drop, Stop
from bitarm.core.race import Race


@final
class Rounds:
    """The rounds of one race, with what speaks against its answer and how it ended."""

    def __init__(self, race: Race, address: Address) -> None:
        """`address` is that of the learner in its first epoch."""
        self.address = address
        self.caveats: tuple[str, ...] = ()
        self.incidents = Incidents()
        self.ending: RunEnded | None = None
        self._race = race

    def note(self, caveat: str) -> CaveatNoted:
        """Take in a fact that voids the guarantee of whatever is answered from now on."""
        self.caveats = (*self.caveats, caveat)
        return CaveatNoted(text=caveat)

    def resume(self, epoch: int) -> None:
        """Take a later epoch: the questions that are open are the first of it."""
        self.incidents = replace(self.incidents, resumed=True)
        self.address = replace(self.address, epoch=epoch)
        self._race.renumber()

    def join(self, joined: AgentJoined) -> None:
        """Take in that a process began to serve an agent."""
        self.incidents = self.incidents.with_process(joined)

    def notice_restore(self) -> None:
        """Take in that an agent remembers more than this journal."""
        self.incidents = self.incidents.with_restore(self.address.epoch)

    def close(self, events: list[LearnerEvent]) -> LearnerOutput:
        """All that were asked have answered, which led to `events`: what follows.

        The policy decides, unless the agents know of a past that this learner has lost.
        """
        return self._catch_up(events) if self._race.is_behind else self.decide(events)

    def decide(self, events: list[LearnerEvent]) -> LearnerOutput:
        """Ask the policy, and carry out what it says; its events follow those given."""
        messages: list[Request | Dismiss] = []
        advances: list[Advance] = []
        for action in self._race.decide():
            match action:
                case Drop():
                    arm, better = action.arm, action.because
                    self._race.retire(arm, dropped_for=better)
                    events.append(ArmDropped(round=self._race.rounds, arm=arm, because=better))
                    messages.append(self.address.dismissal(arm, Cause.DROPPED))
                case Advance():
                    advances.append(action)
                case Stop():
                    ended = action.outcome is Outcome.DATA_EXHAUSTED
                    why = self._race.ended_data() if ended else ""
                    return self.end(action, events, messages, why)
        return self._go_on(advances, events, messages)

    def end(
        self,
        stop: Stop,
        events: list[LearnerEvent],
        messages: list[Request | Dismiss],
        why: str = "",
    ) -> LearnerOutput:
        """Answer, or say why not; every agent still in the race is told.

        `why` is a clause on an ending that came from outside.
        """
        race = self._race
        claim = race.claim(stop.outcome, self.caveats, self.incidents)
        for arm, record in enumerate(race.arms):
            if record.phase is not ArmPhase.OUT:
                race.retire(arm)
                messages.append(self.address.dismissal(arm, Cause.ENDED))
        self.ending = RunEnded(
            outcome=stop.outcome,
            best_arm=stop.best_arm,
            guarantee=claim.delta,
            guarantee_reason="; ".join(filter(None, (claim.reason, why))),
            rounds=race.rounds,
            samples=race.samples,
            payload_bits=race.payload_bits,
            assumptions=claim.assumptions,
        )
        return LearnerOutput(events=(*events, self.ending), messages=tuple(messages))

    def _go_on(
        self,
        advances: list[Advance],
        events: list[LearnerEvent],
        messages: list[Request | Dismiss],
    ) -> LearnerOutput:
        """Broadcast the action c_i of the next round, or end where it would break a limit."""
        race = self._race
        limit = race.limit(advances)
        if limit is not None:
            return self.end(Stop(outcome=limit), events, messages)
        asked = race.open_round(advances)
        requests = [
            self.address.request(action.arm, record.asked, record.question)
            for action, record in zip(advances, asked, strict=True)
            if record.question is not None
        ]
        in_order = sorted(requests, key=lambda request: request.arm)
        opened = RoundOpened(round=race.rounds, requests=tuple(in_order))
        return LearnerOutput(events=(*events, opened), messages=(*messages, *requests))

    def _catch_up(self, events: list[LearnerEvent]) -> LearnerOutput:
        """Go on from where the agents are, since they are ahead of this learner."""
        if is_budgeted(self._race.setup.policy):
            events.append(self.note(NO_BUDGET))
            return self.end(Stop(outcome=Outcome.INTERRUPTED), events, [])
        advances = self._race.catch_up()
        if advances is None:
            return self.end(Stop(outcome=Outcome.SAMPLE_LIMIT), events, [])
        return self._go_on(advances, events, [])
