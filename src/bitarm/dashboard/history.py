"""One run as columns, entry by entry: what the charts of a run draw.

Where the run stands, and what was said, comes from the core's fold of events, and the sentence for
an event from the core too. Events that no chart has columns for are kept as notes.
"""

import math
from bisect import bisect_right
from dataclasses import fields
from typing import Any, TypeVar, final

from bitarm.core.codes import Bins
from bitarm.core.events import (
    ArmDropped,
    LearnerEvent,
    PullsCounted,
    ReportAccepted,
    RoundOpened,
    RunOpened,
)
from bitarm.core.journal import Entry
from bitarm.core.messages import Message
from bitarm.core.result import RAW_REWARD_BYTES, RunResult, result_of
from bitarm.core.sentences import sentence_of
from bitarm.core.spec import RunSpec
from bitarm.core.standings import Standings
from bitarm.core.words import values_of
from bitarm.dashboard.problem_text import problem_text
from bitarm.dashboard.views import (
    Drops,
    Notes,
    Reports,
    Rounds,
    RunDelta,
    RunRow,
    RunView,
    Timeline,
)
from bitarm.errors import StoreError

Columns = TypeVar("Columns", Rounds, Reports, Drops, Notes)


@final
class History:
    """All that is shown of one run; grows with its journal."""

    def __init__(self, run: int, first: Entry) -> None:
        if not isinstance(first.event, RunOpened):
            raise StoreError(f"run {run} begins with {first.event.name}, expected its opening")
        self.run = run
        self.entries = 0
        self.standings = Standings(first.event)
        self._opened_at = self._last_at = first.at
        self._ended_at: float | None = None
        self._said: dict[int, tuple[Message, ...]] = {}  # by entry, where that lacks them
        self._rounds, self._reports = _empty(Rounds), _empty(Reports)
        self._drops, self._notes = _empty(Drops), _empty(Notes)
        self._note(first)
        self._moved_to(first)

    @property
    def spec(self) -> RunSpec:
        """The settings of the run."""
        return self.standings.opened.setup.spec

    def add(self, entry: Entry) -> None:
        """Take in the next entry."""
        self.standings.add(entry.event)
        if self.standings.said and not isinstance(entry.event, RoundOpened):
            self._said[entry.sequence] = self.standings.said
        match entry.event:
            case RoundOpened() as event:
                _append(
                    self._rounds,
                    sequence=entry.sequence,
                    at=entry.at,
                    round=event.round,
                    arms=len(event.requests),
                )
            case ReportAccepted() as event:
                self._report(entry, event)
            case ArmDropped() as event:
                _append(
                    self._drops,
                    sequence=entry.sequence,
                    at=entry.at,
                    round=event.round,
                    arm=event.arm,
                    because=event.because,
                )
            case _:
                self._note(entry)
        self._moved_to(entry)

    def view(self) -> RunView:
        """The whole run."""
        return RunView(
            row=self.row(),
            settings=_settings(self.standings.opened),
            problem=problem_text(self.standings.opened.setup),
            arm_names=list(self.spec.arms),
            agents=self._agents(),
            caveats=list(self.standings.caveats),
            result=self.result(),
            timeline=self._since(0),
        )

    def delta(self, after: int) -> RunDelta:
        """What happened after entry `after`."""
        return RunDelta(
            after=after,
            row=self.row(),
            agents=self._agents(),
            caveats=list(self.standings.caveats),
            result=self.result(),
            timeline=self._since(after),
        )

    def result(self) -> RunResult | None:
        """How the run ended, if it did."""
        return None if self.standings.ending is None else result_of(self.standings)

    def row(self) -> RunRow:
        """The run at a glance; of an ended run it needs the opening and the ending only."""
        standings, ending = self.standings, self.standings.ending
        spec = self.spec
        leader = standings.leader
        samples = ending.samples - standings.spared if ending else standings.samples
        best = None if ending is None else ending.best_arm
        return RunRow(
            run=self.run,
            fingerprint=f"{standings.opened.setup.fingerprint:08x}",
            state="open" if ending is None else "ended",
            outcome=None if ending is None else ending.outcome.value,
            best_arm=best,
            best_arm_name=None if best is None else spec.arms[best],
            guarantee=None if ending is None else ending.guarantee,
            guarantee_reason=None if ending is None else ending.guarantee_reason,
            assumptions=[] if ending is None else list(ending.assumptions),
            arms=len(spec.arms),
            contenders=sum(arm.active for arm in standings.arms) if ending is None else None,
            leader=None if ending is not None or leader is None else spec.arms[leader],
            rounds=ending.rounds if ending else standings.round,
            samples=samples,
            samples_at_most=standings.samples_at_most,
            payload_bits=ending.payload_bits if ending else standings.payload_bits,
            raw_bits=8 * RAW_REWARD_BYTES * samples,
            delta=standings.opened.setup.terms.delta,
            quantizer=spec.quantizer.name,
            bits=values_of(spec.quantizer).get("bits"),
            policy=standings.opened.setup.policy.name,
            opened_at=self._opened_at,
            ended_at=self._ended_at,
            last_at=self._last_at,
            entries=self.entries,
        )

    def messages(self, entry: Entry) -> tuple[Message, ...]:
        """The messages of an entry's event, sent or received, in order."""
        if isinstance(entry.event, RoundOpened):
            return entry.event.requests
        return self._said.get(entry.sequence, ())

    def _agents(self) -> list[str]:
        return list(self.standings.fleet.agents) if self.standings.fleet else []

    def _report(self, entry: Entry, event: ReportAccepted) -> None:
        _append(
            self._reports,
            sequence=entry.sequence,
            at=entry.at,
            round=event.round,
            arm=event.arm,
            message=event.message,
            pulls=event.pulls,
            mean=self.standings.within_bounds(event.mean),
            error=event.error,
            radius=event.radius if math.isfinite(event.radius) else None,
            beaten_by=event.beaten_by,
            nbits=event.symbol.nbits,
            outermost=self._outermost(event),
        )

    def _outermost(self, event: ReportAccepted) -> bool | None:
        """Whether a symbol names an end bin of an interval: there, or beyond it, lay the mean.

        None where bins cover all that can be, where the code has no bins, and where there are only
        two, each of which is an end.
        """
        request = self.standings.arms[event.arm].request
        code = None if request is None else request.question.code
        if self.spec.quantizer.certain or not isinstance(code, Bins):
            return None
        last = code.bins - 1
        return event.symbol.value in (0, last) if last > 1 else None

    def _note(self, entry: Entry) -> None:
        _append(
            self._notes,
            sequence=entry.sequence,
            at=entry.at,
            name=entry.event.name,
            arms=_arms_of(entry.event, self.standings),
            round=getattr(entry.event, "round", None),
            counts=list(entry.event.pulls) if isinstance(entry.event, PullsCounted) else None,
            restarts=getattr(entry.event, "restarts", None),
            times=getattr(entry.event, "times", None),
            text=sentence_of(entry.event, self.standings.opened.setup),
        )

    def _moved_to(self, entry: Entry) -> None:
        self.entries, self._last_at = entry.sequence, entry.at
        if self.standings.ending is not None and self._ended_at is None:
            self._ended_at = entry.at

    def _since(self, after: int) -> Timeline:
        return Timeline(
            rounds=_later(self._rounds, after),
            reports=_later(self._reports, after),
            drops=_later(self._drops, after),
            notes=_later(self._notes, after),
        )


def _arms_of(event: LearnerEvent, standings: Standings) -> list[int]:
    """The arms that an event speaks of, by number or by the name of their agent."""
    numbers: list[int | None] = [getattr(event, "arm", None), *getattr(event, "arms", ())]
    agent = getattr(event, "agent", None)
    if agent is not None:
        numbers += [number for number, arm in enumerate(standings.arms) if arm.agent == agent]
    return [number for number in numbers if number is not None]


def _settings(opened: RunOpened) -> dict[str, Any]:
    """By which rules a run goes: every word that was set, under its own name."""
    words = {**opened.setup.words, "seed": opened.setup.spec.seed}
    if not opened.setup.spec.sampling.needs_sigma:
        del words["sigma"]
    return words


def _empty(kind: type[Columns]) -> Columns:
    return kind(**{column.name: [] for column in fields(kind)})


def _append(columns: Columns, **values: Any) -> None:
    for name, value in values.items():
        getattr(columns, name).append(value)


def _later(columns: Columns, after: int) -> Columns:
    """The rows above entry `after`."""
    start = bisect_right(columns.sequence, after)
    names = [column.name for column in fields(columns)]
    return type(columns)(**{name: getattr(columns, name)[start:] for name in names})
