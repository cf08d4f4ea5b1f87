"""An agent's part in a run that it has joined: its machines, their rewards, and what it remembers.

Knows no topics and no time. What it answers may leave once `save` has returned.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from bitarm import wire
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.epochs import run_of_opening
from bitarm.core.messages import Answer, Cause, Report
from bitarm.core.rewards import PULLED_AT_ONCE, collect
from bitarm.errors import ConfigError, LocalProtocolError, RefusedRewardError, RewardError
from bitarm.rewards.feeds import RewardFeed
from bitarm.runtime.agent.memory import AgentMemory, Keeper, latest_epoch
from bitarm.wire.announcement import Announcement
from bitarm.wire.frames.short import most_symbol_bits
from bitarm.wire.status import Start

Supply = Callable[[str, int, int], RewardFeed]
"""The feed of an arm, given its name, its number and the run's seed; ConfigError if there is none
here."""


@final
class Part:
    """Serves the arms that a run's announcement assigns to an agent."""

    def __init__(
        self,
        announced: Announcement,
        memory: AgentMemory,
        keeper: Keeper,
        *,
        supply: Supply,
        boot: str,
        most_pulls: int,
    ) -> None:
        """Go on from a memory, as the process `boot`; sources are wound forward to where it is."""
        self.announced = announced
        self.run = run_of_opening(announced.opening)
        self.machines: dict[int, Agent] = {}
        self.feeds: dict[int, RewardFeed] = {}
        self.answers: dict[int, Answer] = {}  # made, not yet published
        self._keeper = keeper
        for arm, name in announced.arms.items():
            self.feeds[arm] = feed = supply(name, arm, announced.seed)
            machine = Agent(
                self.run,
                arm,
                memory.arms.get(arm),
                most_pulls=most_pulls,
                most_bits=most_symbol_bits(announced.report_bytes),
            )
            is_at_work = machine.wanted or machine.is_looking  # it may have pulled on after a look
            if is_at_work and feed.live and not memory.stopped:
                memory = replace(memory, discarded=memory.discarded + 1)
            feed.skip(machine.state.pulls)
            self.machines[arm] = machine
        self.memory = memory.gone_on_by(Start(boot=boot, pulls=self._live_pulls()))
        for machine in self.machines.values():
            machine.enter(announced.epoch)
        self.save()

    # -- how it stands -----------------------------------------------------------------------

    @property
    def epoch(self) -> int | None:
        """The latest epoch that any of its arms has heard of."""
        return latest_epoch(machine.state for machine in self.machines.values())

    @property
    def answered(self) -> int:
        """The highest number of a question that was taken in that epoch, answered or at hand."""
        epoch = self.epoch
        states = [machine.state for machine in self.machines.values()]
        return max((state.message for state in states if state.epoch == epoch), default=0)

    @property
    def is_dismissed(self) -> bool:
        """Whether none of its arms is wanted any more."""
        return all(
            machine.state.phase is AgentPhase.DISMISSED for machine in self.machines.values()
        )

    @property
    def is_live(self) -> bool:
        """Whether any of its rewards cannot be had again."""
        return any(feed.live for feed in self.feeds.values())

    def at_work(self) -> list[int]:
        """The arms that owe an answer: they pull, or weigh next what they have pulled."""
        return [*self.pulling(), *self.looking()]

    def pulling(self) -> list[int]:
        """The arms that have been asked for more pulls than they have made."""
        return [arm for arm, machine in self.machines.items() if machine.wanted]

    def looking(self) -> list[int]:
        """The arms that weigh their rewards next."""
        return [arm for arm, machine in self.machines.items() if machine.is_looking]

    def wanting(self, feeds: Mapping[str, Iterable[RewardFeed]]) -> dict[str, str]:
        """The names of the feeds whose rewards are wanted, each with its arm's name."""
        pulling = {id(self.feeds[arm]): self.label(arm) for arm in self.pulling()}
        return {
            name: pulling[id(feed)]
            for name, alike in feeds.items()
            for feed in alike
            if id(feed) in pulling
        }

    def label(self, arm: int) -> str:
        """The name of an arm."""
        return self.announced.arms[arm]

    def causes_by_name(self) -> dict[str, Cause]:
        """Why each arm was dismissed, for those that were."""
        causes = {self.label(arm): machine.state.cause for arm, machine in self.machines.items()}
        return {name: cause for name, cause in causes.items() if cause is not None}

    # -- what happens to it ------------------------------------------------------------------

    def save(self, *, stopped: bool = False) -> None:
        """Make durable all that was observed and answered."""
        states = {arm: machine.state for arm, machine in self.machines.items()}
        self.memory = replace(self.memory, arms=states, stopped=stopped)
        self._keeper.save(self.memory)

    def enter(self, epoch: int) -> bool:
        """Take a later epoch over, with all arms at once; whether it was later."""
        entered = [machine.enter(epoch) for machine in self.machines.values()]
        if not any(entered):
            return False
        self.answers = {}  # to questions of an epoch that is over
        self.save()
        return True

    def go_on_as(self, boot: str) -> None:
        """Note that process `boot` serves the arms from now on, with what is remembered here."""
        self.memory = self.memory.gone_on_by(Start(boot=boot, pulls=self._live_pulls()))
        self.save()

    def _live_pulls(self) -> dict[int, int]:
        return {
            arm: machine.state.pulls
            for arm, machine in self.machines.items()
            if self.feeds[arm].live
        }

    def pull(self, *, clip: bool) -> tuple[bool, int]:
        """Take what rewards are there: whether there were any, and how many were clipped."""
        observed, clipped = False, 0
        for arm in self.pulling():
            if self.machines[arm].is_looking:  # since before a restart
                continue
            count = self._fetch(arm, clip=clip)
            if count is not None:
                observed, clipped = True, clipped + count
        if clipped:
            self.memory = replace(self.memory, clipped=self.memory.clipped + clipped)
        return observed, clipped

    def _fetch(self, arm: int, *, clip: bool) -> int | None:
        """Rewards that were clipped among those of one arm; None if there were no rewards."""
        machine, feed = self.machines[arm], self.feeds[arm]
        rewards: Sequence[float] = ()
        try:
            rewards = feed.take(min(machine.wanted, PULLED_AT_ONCE))
            if not rewards:
                return None
            batch = collect(rewards, self.announced.bounds, clip=clip)
            answers = machine.observe(batch.count, batch.total, batch.rewards)
        except RewardError as error:
            # What came and was not taken is missing when another process goes on from here.
            if feed.live and (rewards or isinstance(error, RefusedRewardError)):
                self._note_refusal()
            raise type(error)(f"{self.label(arm)} (arm {arm}): {error}") from error
        self._answered(arm, answers)
        return batch.clipped

    def _note_refusal(self) -> None:
        """Make durable that live rewards were refused: whoever goes on from here must tell."""
        self.memory = replace(self.memory, refused=self.memory.refused + 1)
        self.save()

    def look(self) -> None:
        """Let the arms that are to weigh their rewards do so, after live ones are durable.

        A crash must not undo a look: an arm that saw itself not beaten, forgot these rewards and
        pulled others would look twice where the evidence allows one look. Rewards that can be had
        again come back as they were, and so does what was seen in them.
        """
        looking = self.looking()
        if any(self.feeds[arm].live for arm in looking):
            self.save()
        for arm in looking:
            try:
                answers = self.machines[arm].look()
            except RewardError as error:
                raise RewardError(f"{self.label(arm)} (arm {arm}): {error}") from error
            self._answered(arm, answers)

    def _answered(self, arm: int, answers: Iterable[Answer]) -> None:
        machine = self.machines[arm]
        if not (machine.wanted or machine.is_looking):
            self.feeds[arm].rest()
        self.answers.update((answer.arm, answer) for answer in answers)

    def dismiss(self, arm: int) -> None:
        """Stop the rewards of an arm that is no longer wanted, and forget its answer."""
        self.feeds[arm].rest()
        self.answers.pop(arm, None)

    def end(self) -> None:
        """Dismiss all arms: the run is over."""
        for arm, machine in self.machines.items():
            state = replace(machine.state, phase=AgentPhase.DISMISSED, cause=Cause.ENDED)
            machine.state = state
            self.dismiss(arm)

    def frames(self) -> list[bytes]:
        """All answers, packed, as the run's link carries them; they count as published."""
        reports = [answer for answer in self.answers.values() if isinstance(answer, Report)]
        others = [answer for answer in self.answers.values() if not isinstance(answer, Report)]
        try:
            frames = [
                frame
                for batch in (reports, others)
                if batch
                for frame in wire.pack_all(batch, limit=self.announced.report_bytes)
            ]
        except LocalProtocolError as error:
            ahead = (
                ": this agent has made more pulls than it was asked for, and cannot say so there; "
                "the journal was restored from an older copy, so begin a new run"
            )
            more = ahead if others else ""
            raise ConfigError(f"the run's link does not carry an answer{more}: {error}") from None
        self.answers = {}
        return frames
