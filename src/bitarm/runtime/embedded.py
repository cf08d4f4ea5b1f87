"""A whole run in one process: the same machines and frames as over a network, without one."""

from collections import deque
from collections.abc import Sequence
from typing import final

from bitarm import wire
from bitarm.core.agent import Agent
from bitarm.core.bounds import Bounds
from bitarm.core.events import LearnerEvent, PullsCounted, RunOpened, TrafficMeasured
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput, LearnerPhase
from bitarm.core.messages import Answer, Dismiss, Message, Position, Report, Request
from bitarm.core.outcome import Outcome
from bitarm.core.rewards import CLIPPED, PULLED_AT_ONCE, Batch, RewardSource, collect, pull_from
from bitarm.errors import NoMoreRewardsError, RewardError, StoreError
from bitarm.runtime.signals import held_interrupts


@final
class MemoryChannel:
    """Two queues of bytes, and a meter on each.

    What goes in is encoded, what comes out was decoded: nothing but frames passes through.
    """

    def __init__(self) -> None:
        self._up: deque[bytes] = deque()
        self._down: deque[bytes] = deque()
        self._payload_bytes = 0
        self._up_bytes = 0
        self._down_bytes = 0

    def send_down(self, message: Request | Dismiss) -> None:
        """Learner to agent."""
        frame = wire.encode(message)
        self._down_bytes += len(frame)
        self._down.append(frame)

    def send_up(self, answer: Answer) -> None:
        """Agent to learner."""
        frame = wire.encode(answer)
        self._up_bytes += len(frame)
        self._payload_bytes += wire.payload_bytes((answer,))
        self._up.append(frame)

    def receive_down(self) -> tuple[Message, ...]:
        """What the next frame says to an agent; nothing if none is on its way."""
        return wire.decode(self._down.popleft()) if self._down else ()

    def receive_up(self) -> tuple[Message, ...]:
        """What the next frame says to the learner; nothing if none is on its way."""
        return wire.decode(self._up.popleft()) if self._up else ()

    def measured(self) -> TrafficMeasured:
        """What has passed so far."""
        return TrafficMeasured(
            payload_bytes=self._payload_bytes,
            wire_bytes_up=self._up_bytes,
            wire_bytes_down=self._down_bytes,
        )


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
        most_bits: int | None = None,
    ) -> None:
        """`most_bits` is what the agents' link would carry of an answer."""
        self._learner = learner
        self._agents = [
            Agent(learner.run, arm, most_bits=most_bits) for arm in range(len(learner.spec.arms))
        ]
        self._sources = sources
        self._journal = journal
        self._clip = clip
        self._watch = watch
        self._channel = MemoryChannel()
        self._run = 0
        self._unkept: list[LearnerEvent] = []  # put out by the learner, not yet in the journal
        self._untold: list[LearnerEvent] = []  # in the journal, and not yet shown to the watcher
        self._unsent: list[Request | Dismiss] = []

    def run(self, caveats: Sequence[str] = ()) -> int:
        """Run to the end; returns the run's number in the journal.

        `caveats` are known before the start: each voids the guarantee. On Ctrl-C the run ends
        with the outcome `interrupted`, and where recorded rewards end, with `data_exhausted`. An
        unusable reward ends it too, and is raised.
        """
        started = self._learner.start()
        opened, *rest = started.events
        assert isinstance(opened, RunOpened)  # a learner's first event
        self._unsent.extend(started.messages)
        try:
            with held_interrupts():
                self._run = self._journal.open_run(opened, rest)
                self._untold.extend(started.events)
            self._carry_out()
            for caveat in caveats:
                if self._learner.phase is LearnerPhase.RUNNING:  # else a limit left it no round
                    self._take(self._learner.note(caveat))
                    self._carry_out()
            while self._learner.phase is LearnerPhase.RUNNING:
                self._exchange()
        except KeyboardInterrupt:
            if not self._run:
                raise  # there is no run that could be said to have ended
            self._cut_short()
        except NoMoreRewardsError as error:  # an outcome: what is known by then stays known
            self._cut_short(Outcome.DATA_EXHAUSTED, str(error))
        except StoreError:
            raise  # the journal itself failed: it cannot be told
        except BaseException:
            if self._run:  # it was opened
                self._cut_short()
            raise
        self._deliver_down()  # the last dismissals
        self._unkept += [*self._counted(), self._channel.measured()]
        self._carry_out()
        return self._run

    def _counted(self) -> list[PullsCounted]:
        """What the learner cannot know: after how many pulls arms stopped by themselves."""
        gave_up = [
            agent
            for agent, record in zip(self._agents, self._learner.arms, strict=True)
            if record.beaten_by is not None
        ]
        if not gave_up:
            return []
        pulls = tuple(agent.state.pulls for agent in gave_up)
        return [PullsCounted(arms=tuple(agent.arm for agent in gave_up), pulls=pulls)]

    def _cut_short(self, outcome: Outcome = Outcome.INTERRUPTED, why: str = "") -> None:
        if self._learner.phase is LearnerPhase.RUNNING:
            self._take(self._learner.interrupt(outcome, why))
        self._carry_out()

    def _exchange(self) -> None:
        """One broadcast, and the reports that it brings: kept together, then acted on."""
        self._deliver_down()
        while messages := self._channel.receive_up():
            for message in messages:
                assert isinstance(message, Report | Position)  # agents send nothing else
                self._take(self._learner.receive(message))
        self._carry_out()

    def _deliver_down(self) -> None:
        while messages := self._channel.receive_down():
            for message in messages:
                assert isinstance(message, Request | Dismiss)  # nor do learners
                is_over = self._learner.phase is LearnerPhase.ENDED
                if isinstance(message, Dismiss) or not is_over:  # nobody waits for rewards now
                    self._serve(self._agents[message.arm], message)

    def _serve(self, agent: Agent, message: Request | Dismiss) -> None:
        """Hand a message to an agent, and fetch the rewards that it then wants."""
        reports = list(agent.receive(message))
        source, spec = self._sources[agent.arm], self._learner.spec
        while agent.wanted or agent.is_looking:
            if agent.is_looking:  # one process: what it holds is lost with the run, or not at all
                reports.extend(agent.look())
                continue
            try:
                batch = self._pull(source, min(agent.wanted, PULLED_AT_ONCE), spec.bounds)
                made = agent.observe(batch.count, batch.total, batch.rewards)
            except NoMoreRewardsError:
                raise  # it names its arm itself
            except RewardError as error:
                raise RewardError(f"{spec.label(agent.arm)}: {error}") from error
            if batch.clipped:
                self._take(self._learner.note(CLIPPED))
                self._carry_out()
            reports.extend(made)
        for report in reports:
            self._channel.send_up(report)

    def _pull(self, source: RewardSource, count: int, bounds: Bounds | None) -> Batch:
        return collect(pull_from(source, count), bounds, clip=self._clip)

    def _take(self, output: LearnerOutput) -> None:
        """Note what the learner put out: if Ctrl-C comes now, it is still kept with the ending."""
        self._unkept.extend(output.events)
        self._unsent.extend(output.messages)

    def _carry_out(self) -> None:
        """Keep the events and show them, then send the messages.

        If Ctrl-C comes while they are kept, they are shown with the ending: who watches a run hears
        of all that is in its journal, the opening first.
        """
        if self._unkept:
            with held_interrupts():
                self._journal.append(self._run, tuple(self._unkept))
                self._untold.extend(self._unkept)
                self._unkept.clear()
        untold, self._untold = tuple(self._untold), []
        if untold:
            self._watch(untold)
        for message in self._unsent:
            self._channel.send_down(message)
        self._unsent.clear()
