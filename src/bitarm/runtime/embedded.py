"""A whole run in one process: the same machines and frames as over a network, without one."""

from collections.abc import Callable, Sequence
from typing import final

from bitarm.core.agent import Agent
from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Journal
from bitarm.core.learner import Learner, LearnerOutput, LearnerPhase
from bitarm.core.messages import Dismiss, Report, Request
from bitarm.core.rewards import RewardSource, collect
from bitarm.errors import RewardError
from bitarm.runtime.channel import MemoryChannel

Watcher = Callable[[Sequence[LearnerEvent]], None]
"""Told of events after they are kept."""

_PULLED_AT_ONCE = 1 << 16  # bounds memory; a batch may be as large as 10^12


@final
class EmbeddedRun:
    """Drives one learner and its agents over a memory channel until the run ends.

    Events are kept in the journal before their messages are sent. Whatever stops the run, what
    happened until then is in the journal, with an ending.
    """

    def __init__(
        self,
        learner: Learner,
        sources: Sequence[RewardSource],
        journal: Journal,
        *,
        clip: bool,
        watch: Watcher,
    ) -> None:
        self._learner = learner
        self._agents = [Agent(learner.spec, arm) for arm in range(len(learner.spec.arms))]
        self._sources = sources
        self._journal = journal
        self._clip = clip
        self._watch = watch
        self._channel = MemoryChannel()
        self._run = 0

    def run(self, caveats: Sequence[str] = ()) -> int:
        """Run to the end; returns the run's number in the journal.

        `caveats` are known before the start: each voids the guarantee. On Ctrl-C the run ends
        with the outcome `interrupted`; an unusable reward ends it likewise, and is raised.
        """
        self._begin(self._learner.start())
        try:
            for caveat in caveats:
                self._carry_out(self._learner.note(caveat))
            while self._learner.phase is LearnerPhase.RUNNING:
                self._exchange()
        except KeyboardInterrupt:
            self._cut_short()
        except RewardError:
            self._cut_short()
            raise
        self._deliver_down()  # the last dismissals
        self._keep((self._channel.measured(),))
        return self._run

    def _begin(self, output: LearnerOutput) -> None:
        opened, *rest = output.events
        assert isinstance(opened, RunOpened)  # a learner's first event
        self._run = self._journal.open_run(opened)
        self._watch((opened,))
        self._carry_out(LearnerOutput(events=tuple(rest), messages=output.messages))

    def _cut_short(self) -> None:
        if self._learner.phase is LearnerPhase.RUNNING:
            self._carry_out(self._learner.interrupt())

    def _exchange(self) -> None:
        """One broadcast, and the reports that it brings: kept together, then acted on."""
        self._deliver_down()
        events: list[LearnerEvent] = []
        answers: list[Request | Dismiss] = []
        while messages := self._channel.receive_up():
            for message in messages:
                assert isinstance(message, Report)  # agents send nothing else
                output = self._learner.receive(message)
                events.extend(output.events)
                answers.extend(output.messages)
        self._carry_out(LearnerOutput(events=tuple(events), messages=tuple(answers)))

    def _deliver_down(self) -> None:
        while messages := self._channel.receive_down():
            for message in messages:
                assert isinstance(message, Request | Dismiss)  # nor do learners
                self._serve(self._agents[message.arm], message)

    def _serve(self, agent: Agent, message: Request | Dismiss) -> None:
        """Hand a message to an agent, and fetch the rewards that it then wants."""
        reports = list(agent.receive(message).messages)
        source, spec = self._sources[agent.arm], agent.spec
        while agent.wanted:
            try:
                rewards = source.pull(min(agent.wanted, _PULLED_AT_ONCE))
                batch = collect(rewards, spec.bounds, clip=self._clip)
            except RewardError as error:
                raise RewardError(f"{spec.label(agent.arm)}: {error}") from error
            if batch.clipped:
                caveat = "rewards outside the bounds were clipped, which moves the means"
                self._carry_out(self._learner.note(caveat))
            reports.extend(agent.observe(batch.count, batch.total).messages)
        for report in reports:
            self._channel.send_up(report)

    def _carry_out(self, output: LearnerOutput) -> None:
        self._keep(output.events)
        for message in output.messages:
            self._channel.send_down(message)

    def _keep(self, events: Sequence[LearnerEvent]) -> None:
        if events:
            self._journal.append(self._run, events)
            self._watch(events)
