"""The race: what the learner holds of each arm, and how a question and an answer change it.

Knows no run, no epoch and no message numbers of the wire beyond those that it counts itself: the
learner (`core/learner.py`) decides what is an answer, and what follows from it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from bitarm.core.bits import Symbol
from bitarm.core.budget import is_budgeted
from bitarm.core.catch_up import catch_up
from bitarm.core.confidence import ArmView, Intervals, Stride
from bitarm.core.dither import dither
from bitarm.core.events import ReportAccepted
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.sub_gaussian import Leads
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.guarantee import Course, Guarantee, Incidents, covered_arms, guarantee
from bitarm.core.hint import Hint, HintKind
from bitarm.core.learner_state import ArmPhase, ArmRecord
from bitarm.core.outcome import Outcome
from bitarm.core.policy import Action, Advance, PolicyContext, Stop
from bitarm.core.quantizer import Occasion
from bitarm.core.question import BEATEN, Question
from bitarm.core.schedule import MAX_PULLS, RecordedSchedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, LocalProtocolError

_MOST_NAMES = 8

DitherOf = Callable[[int, Occasion], float]
"""A function that gives the dither of an arm's next message, in [0, 1)."""


@final
class Race:
    """All arms of a run, with what they have cost so far."""

    def __init__(self, setup: Setup, dither_of: DitherOf | None = None) -> None:
        """`dither_of` gives the dithers of stochastic rounding; else the spec's seed does."""
        self.setup = setup
        self._spec, self._policy = spec, policy = setup.spec, setup.policy
        self.arms = [
            ArmRecord(phase=ArmPhase.RESTING, held=spec.start(arm)) for arm in range(len(spec.arms))
        ]
        self.rounds = 0
        self.samples = 0
        self.payload_bits = 0
        self.awaited = 0  # arms that owe an answer
        self._dither = dither_of or (lambda arm, occasion: dither(spec.seed, arm, occasion.message))
        confidence = spec.sampling.confidence(policy.stride)
        self._context = PolicyContext(
            arms=len(spec.arms),
            delta=spec.delta,
            confidence=confidence,
            schedule=spec.schedule,
            ends=spec.schedule.rows if isinstance(spec.schedule, RecordedSchedule) else (),
            uneven=policy.stride is Stride.APART or isinstance(confidence, Intervals | Leads),
        )

    # -- how it stands -----------------------------------------------------------------------

    def view(self, arm: int) -> ArmView:
        """One arm as a policy sees it, in the race or not."""
        record = self.arms[arm]
        return ArmView(
            arm=arm,
            mean=record.held.mean,
            pulls=record.pulls,
            messages=record.message,
            index=self._spec.occasion(record.message, record.pulls).index if record.message else 0,
            error=record.held.error if record.held.pulls == record.pulls else math.inf,
            open_below=record.held.open_below,
            open_above=record.held.open_above,
            spread=record.held.spread,
            rung=record.held.rung,
            beaten_by=record.beaten_by,
        )

    def views(self) -> list[ArmView]:
        """The arms still in the race, as the policy sees them."""
        return [
            self.view(arm)
            for arm, record in enumerate(self.arms)
            if record.phase is not ArmPhase.OUT
        ]

    def radius(self, arm: int) -> float:
        """The arm's radius as the policy would use it, at the pulls of which it told its mean.

        Infinite under a policy that answers without a proof.
        """
        if is_budgeted(self._policy):
            return math.inf  # nothing is claimed of any arm: there is no δ
        record = self.arms[arm]
        held = record.held
        if not held.pulls:
            return held.radius
        if held.pulls == record.pulls:
            return self._context.confidence.radius(self.view(arm))
        index = self._spec.occasion(record.message, held.pulls).index
        told = replace(self.view(arm), pulls=held.pulls, index=index, error=held.error)
        return self._context.confidence.radius(told)

    # -- what is decided ---------------------------------------------------------------------

    def decide(self) -> Sequence[Action]:
        """What the policy does next; where at most one arm is left, that it stops."""
        views = self.views()
        if len(views) > 1:
            return self._policy.decide(views, self._context)
        # All others were lost. The one that is left answers only if it, or an arm that it beat,
        # was found better than another.
        if views and len(covered_arms(self.arms)) > 1:
            return (Stop(outcome=self._policy.answers, best_arm=views[0].arm),)
        return (Stop(outcome=Outcome.AGENT_LOST),)

    def ended_data(self) -> str:
        """Of which arms the recorded rewards have ended, in words; empty if none have."""
        ends, spec = self._context.ends, self._spec
        ended = [
            f"{spec.arms[arm]} (rows: {ends[arm]:,})"
            for arm, record in enumerate(self.arms)
            if ends and record.phase is not ArmPhase.OUT and self._next(arm) > ends[arm]
        ]
        if not ended:
            return ""
        told = ", ".join(ended) if len(ended) <= _MOST_NAMES else f"{len(ended):,} arms"
        return f"there are no more recorded rewards of {told}"

    def _next(self, arm: int) -> int:
        pulls, schedule = self.arms[arm].pulls, self._spec.schedule
        return schedule.pulls_at(schedule.index_at(pulls) + 1) or MAX_PULLS

    @property
    def is_behind(self) -> bool:
        """Whether an agent in the race has made more pulls than it was ever asked for."""
        return any(arm.ahead is not None and arm.phase is not ArmPhase.OUT for arm in self.arms)

    def catch_up(self) -> list[Advance] | None:
        """Advances to where the agents are; None if that lies beyond the schedule."""
        advances = catch_up(self.arms, self._spec.schedule, self._policy.stride)
        evidence = self._context.confidence
        if advances is None or not isinstance(evidence, Evidence):
            return advances
        # An agent that has made no pulls yet must hear on which scale it is to keep its evidence.
        return [replace(advance, hint=self._on(evidence.scale, advance)) for advance in advances]

    def _on(self, scale: Scale, advance: Advance) -> Hint:
        mean = self.arms[advance.arm].held.mean
        return Hint(kind=HintKind.CENTRE, value=mean, scale=scale)

    def limit(self, advances: Iterable[Advance]) -> Outcome | None:
        """The limit that a round with these advances could not keep, if any."""
        samples, bits = self.samples, self.payload_bits
        for action in advances:
            record = self.arms[action.arm]
            samples += action.until - record.counted
            occasion = self._spec.occasion(record.message + 1, action.until)
            bits += self._spec.quantizer.least_bits(occasion)
        return self.setup.limits.reached(rounds=self.rounds + 1, samples=samples, bits=bits)

    def claim(self, outcome: Outcome, caveats: Sequence[str], incidents: Incidents) -> Guarantee:
        """What may be claimed if the run ends so, after these incidents."""
        return guarantee(
            self.setup,
            outcome,
            [self.view(arm) for arm in range(len(self.arms))],
            caveats,
            Course(
                covered=covered_arms(self.arms),
                lost=[arm for arm, record in enumerate(self.arms) if record.lost],
                lives=[record.lives for record in self.arms],
                incidents=incidents,
            ),
        )

    # -- what changes it ---------------------------------------------------------------------

    def open_round(self, advances: Sequence[Advance]) -> list[ArmRecord]:
        """Ask these arms; all of them, or none if one cannot be asked."""
        questions = [self._question(action) for action in advances]
        asked = []
        for action, question in zip(advances, questions, strict=True):
            rival = action.hint.rival if action.hint is not None else None
            record = self.arms[action.arm].awaiting(question, rival)
            self.arms[action.arm] = record
            asked.append(record)
        self.rounds += 1
        self.awaited = len(advances)
        return asked

    def _question(self, action: Advance) -> Question:
        record = self.arms[action.arm]
        occasion = self._spec.occasion(record.message + 1, action.until, action.hint)
        try:
            return self._spec.quantizer.question(
                record.held, occasion, self._dither(action.arm, occasion)
            )
        except LocalProtocolError as error:
            raise ConfigError(
                f"{self._spec.label(action.arm)} cannot be asked for its mean after {action.until} "
                f"pulls: {error}. Is sigma, or the range of the bounds, what it should be?"
            ) from None

    def hear(self, arm: int, question: Question, symbol: Symbol) -> ReportAccepted:
        """Read an answer (lines 7 to 9 of Algorithm 1); PeerProtocolError if it is none."""
        record = self.arms[arm]
        message, pulls = record.message + 1, question.until
        occasion = self._spec.occasion(message, pulls)
        held = self._spec.quantizer.read(symbol, question, record.held, occasion)
        self.samples += pulls - record.counted
        self.payload_bits += symbol.nbits
        beaten = isinstance(question.task, Challenge) and symbol == BEATEN
        self.arms[arm] = record.after(held, pulls, symbol, beaten=beaten)
        self.awaited -= 1
        return ReportAccepted(
            round=self.rounds,
            arm=arm,
            message=message,
            pulls=pulls,
            symbol=symbol,
            mean=held.mean,
            error=held.error,
            radius=self.radius(arm),
            beaten_by=record.rival if beaten else None,
        )

    def fall_behind(self, arm: int, pulls: int) -> None:
        """An agent has made more pulls than it was asked for, and told no mean."""
        self.arms[arm] = replace(
            self.arms[arm], phase=ArmPhase.RESTING, question=None, symbol=None, ahead=pulls
        )
        self.awaited -= 1

    def renew(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Arms begin new sequences of rewards, of which so many pulls are counted already.

        Returns those that do: one that has told nothing, or is out, has nothing to renew. A
        question that is open to one of them gets a new number: an answer of the old sequence that
        is still on its way would be counted, and judged, as one of the new.
        """
        self._require(counts)
        if not all(0 <= count <= self.arms[arm].sure for arm, count in counts.items()):
            raise LocalProtocolError(f"a new sequence shares pulls that were counted: {counts}")
        renewed = {
            arm: count
            for arm, count in counts.items()
            if self.arms[arm].phase is not ArmPhase.OUT and self.arms[arm].message
        }
        for arm, count in renewed.items():
            record = self.arms[arm]
            record = replace(record, lives=record.lives + 1, counted=count, sure=count)
            if record.question is not None:
                record = replace(record, asked=record.asked + 1, symbol=None)
            self.arms[arm] = record
        return renewed

    def lose(self, arms: Iterable[int]) -> tuple[int, ...]:
        """Take arms out that nobody hears any more; returns those that were in the race."""
        arms = tuple(arms)
        self._require(arms)
        gone = tuple(arm for arm in arms if self.arms[arm].phase is not ArmPhase.OUT)
        for arm in gone:
            self.retire(arm, lost=True)
        return gone

    def _require(self, arms: Iterable[int]) -> None:
        wrong = [arm for arm in arms if not 0 <= arm < len(self.arms)]
        if wrong:
            raise LocalProtocolError(f"there are only {len(self.arms)} arms, got {wrong}")

    def retire(self, arm: int, *, dropped_for: int | None = None, lost: bool = False) -> None:
        """Take an arm out of the race."""
        record = self.arms[arm]
        is_awaited = record.phase is ArmPhase.AWAITED  # its last symbol answered an older question
        self.awaited -= is_awaited
        self.arms[arm] = replace(
            record,
            phase=ArmPhase.OUT,
            question=None,
            symbol=None if is_awaited else record.symbol,
            dropped_for=dropped_for,
            lost=lost,
        )

    def renumber(self) -> None:
        """A new epoch begins: questions that are open are the first of it."""
        for arm, record in enumerate(self.arms):
            asked = 1 if record.question is not None else 0
            self.arms[arm] = replace(record, asked=asked, symbol=None)
