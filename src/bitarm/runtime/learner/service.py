"""The learner as a service: it announces a run, asks, listens, and tells everyone the end.

Without a socket. In each step it takes in what came (`hearing`), writes down what follows from it
(`transactions`), and only then speaks: what the broker retains (`retained`), questions and
dismissals (`outbox`), and the end (`farewell`).
"""

from collections.abc import Callable, Iterable
from typing import final

from bitarm.errors import BitarmError, FrameError, ProtocolError
from bitarm.links.cost import LinkLedger
from bitarm.runtime.learner.hearing import Received, take_in
from bitarm.runtime.learner.ongoing import OngoingRun
from bitarm.runtime.learner.rivals import RETAINED_WITHIN
from bitarm.runtime.learner.waiting import LearnerWaiting
from bitarm.runtime.refusals import Refusals
from bitarm.runtime.service import Endpoint, Publication
from bitarm.wire.status import Presence
from bitarm.wire.topics import LEARNER, Subject

_IDLE = 3600.0  # seconds between two steps while there is no connection


@final
class LearnerService:
    """Drives one run, opened or rebuilt (`begin`), to its end; `failure` says why it gave up."""

    def __init__(self, run: OngoingRun, *, now: float) -> None:
        self._run = run
        topics, fleet = run.topics, run.fleet
        # Whether another learner has ended the run or taken over is read before all else: what
        # agents then say may be of its epoch.
        self._first = {topics.of(LEARNER, Subject.END): 0, topics.of(LEARNER, Subject.STATUS): 1}
        self._inbox: list[Received] = []
        self._is_connected = False
        self._was_connected = False
        self._speaks_at = now
        self._look_at = now  # for agents that are late
        self._waiting = LearnerWaiting(fleet.fleet)
        self.finished = False
        self.endpoint = Endpoint(
            # A name of its own: one that was taken for dead must not push its successor off.
            client_id=f"bitarm-{fleet.fleet}-{LEARNER}-{run.boot}",
            subscriptions=(
                *self._first,  # a broker tells what it keeps in this order
                topics.of("+", Subject.STATUS),
                topics.of("+", Subject.REPORT),
                topics.of(LEARNER, Subject.REQUEST),
            ),
            will=run.retained.status(Presence.OFFLINE),
        )

    @property
    def opening(self) -> str:
        """What names the run among all others."""
        return self._run.learner.opening

    @property
    def ledger(self) -> LinkLedger | None:
        """What the run has cost on its link, if it has one."""
        return self._run.ledger

    @property
    def refusals(self) -> Refusals:
        """Who sent what they must not send."""
        return self._run.refusals

    @property
    def failure(self) -> BitarmError | None:
        """Why this learner does not go on, if it does not."""
        return self._run.failure

    def count_present(self) -> int:
        """How many agents are connected and have joined this run."""
        return sum(member.is_present for member in self._run.roster.members.values())

    def leave_out(self, waits: Callable[[str, bytes], bool]) -> None:
        """Send no frame to an agent that waits for it already, as `waits` says."""
        self._run.outbox.leave_out(waits)

    # -- what the wire and its user say ------------------------------------------------------

    def connected(self, now: float) -> None:
        """Announce the run again: the broker may have forgotten it.

        Not before it had the time to tell what it keeps, if we were cut off: another learner may
        have taken over meanwhile, and what that one has the broker keep must stay. Whoever begins
        has looked around before.
        """
        self._is_connected = True
        self._speaks_at = now + (RETAINED_WITHIN if self._was_connected else 0.0)
        self._was_connected = True
        self._run.bids.clear()
        self._run.retained.say_all()
        self._run.farewell.connected(now)
        self._run.roster.reconnected(now)

    def disconnected(self, now: float) -> None:
        """Wait; every agent is asked again when it is seen again."""
        self._is_connected = False
        self._inbox.clear()

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Remember a message until the next step."""
        self._inbox.append(Received(topic=topic, payload=payload, retained=retained))

    def note(self, caveat: str) -> None:
        """Take in a fact that voids the guarantee."""
        self._run.note(caveat)

    def interrupt(self) -> None:
        """End the run without an answer, and tell the agents."""
        if self._run.is_running:
            self._run.take(self._run.learner.interrupt())

    def leave(self) -> Iterable[Publication]:
        """Stop in order and leave the run to be resumed: all that happened is in the journal."""
        self._run.transactions.flush()
        self.finished = True
        return (self._run.retained.status(Presence.OFFLINE),)

    # -- a step ------------------------------------------------------------------------------

    def step(self, now: float) -> Iterable[Publication]:
        """Take in what came, decide, write it down, then speak."""
        run = self._run
        self._take_in_all(now)
        if self.failure is not None:
            return ()  # another learner has taken over: not one more word
        if self._is_connected and now >= run.bids.due_at:
            epochs = run.bids.take(run.roster.members, run.learner.epoch)
            if epochs:
                run.outbid(epochs)
        is_looking = self._is_connected and now >= self._look_at
        if is_looking:
            run.roster.looked(now - self._look_at, now)
            self._look_at = now + run.roster.every
            run.give_up_lost(now)
            self._waiting.look(run.busy() if run.is_running else (), now)
        run.commit(now)
        if self._is_connected and now < self._speaks_at:
            return ()
        again = run.roster.to_repeat(run.busy(), now) if is_looking else []
        if not self._is_connected:
            run.outbox.forget_news()
            self._say_farewell(now)
            return ()
        return [
            *run.retained.news(now, is_running=run.is_running),
            *run.outbox.letters(again, now),
            *self._say_farewell(now),
        ]

    def wake_at(self, now: float) -> float:
        """When a request may be due again, an event to be written, or the wait at the end over."""
        run = self._run
        ends_at = run.farewell.wake_at(now) if run.has_ended else None
        if ends_at is not None:
            return ends_at
        if self._is_connected and now < self._speaks_at:
            return min(self._speaks_at, run.transactions.due_at)
        due_at = min(self._look_at, run.bids.due_at) if self._is_connected else now + _IDLE
        return min(due_at, run.transactions.due_at)

    def _take_in_all(self, now: float) -> None:
        inbox, self._inbox = self._inbox, []
        inbox.sort(key=lambda message: self._first.get(message.topic, len(self._first)))
        for message in inbox:
            try:
                take_in(self._run, message, now)
            except (FrameError, ProtocolError) as error:
                self.refusals.note(message.topic, str(error))
            if self.failure is not None:
                self.finished = True
                return

    def _say_farewell(self, now: float) -> list[Publication]:
        run = self._run
        if not run.has_ended or self.finished:
            return []
        said = run.farewell.step(now, is_connected=self._is_connected)
        if run.farewell.is_over:
            self.finished = True
            run.transactions.add([run.meter.measured(by_arm=True)])
            run.commit(now)
        return said
