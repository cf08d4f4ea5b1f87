"""A run as its learner's service holds it: the machine, its agents, and what is due.

Whatever the machine puts out goes two ways from here: events into the next transaction, messages
into the outbox. What sets it off is told elsewhere: a message in `hearing`, time in `service`.
"""

import logging
from collections.abc import Iterable
from typing import final

from bitarm.core.epochs import after
from bitarm.core.events import FleetAssigned, LostRule
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput, LearnerPhase
from bitarm.core.standings import Standings
from bitarm.errors import BitarmError
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import find_link
from bitarm.peer_log import PeerLog
from bitarm.runtime.learner.farewell import Farewell
from bitarm.runtime.learner.meter import Meter
from bitarm.runtime.learner.outbox import Outbox
from bitarm.runtime.learner.processes import Joins
from bitarm.runtime.learner.retained import Retained
from bitarm.runtime.learner.rivals import Bids
from bitarm.runtime.learner.roster import Member, Roster
from bitarm.runtime.learner.transactions import Transactions
from bitarm.runtime.refusals import Refusals
from bitarm.wire.topics import Topics

RETRY = 10.0
"""Seconds after which an unanswered request is sent again, at first."""
LINGER = 5.0
"""Seconds to wait at the end for agents to confirm that they have stopped."""

_LOGGER = logging.getLogger("bitarm.learner")


@final
class OngoingRun:
    """One learner, opened or rebuilt, whose events are in the journal as `run`.

    `fleet` says which agent serves which arm, `boot` names this process among the learners of the
    run, and `watch` is told of events once they are durable. `before` is how the run stood when it
    was resumed: the traffic until then, and the processes that spoke for each agent. A request that
    is not answered is sent again after `retry` seconds, later less often; at the end, agents have
    `linger` seconds to confirm that they stop. `ledger` counts what the run costs on its link, if
    it has one. `failure` is set once this learner must not go on.
    """

    def __init__(
        self,
        learner: Learner,
        journal: Journal,
        run: int,
        *,
        fleet: FleetAssigned,
        boot: str,
        watch: Watcher,
        now: float,
        before: Standings | None = None,
        retry: float = RETRY,
        linger: float = LINGER,
    ) -> None:
        self.learner = learner
        self.fleet = fleet
        self.boot = boot
        self.link = find_link("none" if fleet.link is None else fleet.link)
        self.ledger = (
            None if fleet.link is None else LinkLedger(self.link, resumed=before is not None)
        )
        self.topics = Topics(fleet.fleet)
        self.refusals = Refusals()
        self.joins = Joins()
        self.counted: set[int] = set()  # arms that told in the end how many pulls they made
        self.log = PeerLog("bitarm.learner", peers="agent", about={"run": fleet.fleet})
        self.failure: BitarmError | None = None
        self.meter = Meter(len(learner.spec.arms), None if before is None else before.traffic)
        self.transactions = Transactions(journal, run, watch=watch, meter=self.meter, now=now)
        self.roster = Roster(fleet, learner.opening, retry=retry, now=now)
        for agent, processes in ({} if before is None else before.joined).items():
            member = self.roster.members[agent]
            named = [process for process in processes if not process.is_silent]
            member.is_silent = len(named) < len(processes)
            if named:
                member.boot, member.life = named[-1].boot, named[-1].life
                member.earlier_boots = {process.boot for process in named} - {member.boot}
        self.retained = Retained(
            learner,
            self.roster,
            topics=self.topics,
            boot=boot,
            report_bytes=self.link.up.max_bytes,
            now=now,
        )
        self.outbox = Outbox(
            learner,
            fleet,
            self.roster,
            topics=self.topics,
            link=self.link,
            meter=self.meter,
            ledger=self.ledger,
        )
        self.bids = Bids()
        self.farewell = Farewell(self.retained, self.roster, self.bids, linger=linger, now=now)

    @property
    def is_running(self) -> bool:
        """Whether the run has not ended yet."""
        return self.learner.phase is LearnerPhase.RUNNING

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing left but to say so."""
        return self.learner.phase is LearnerPhase.ENDED

    def take(self, output: LearnerOutput) -> None:
        """Write down and send what the machine put out, in the next step."""
        self.transactions.add(output.events)
        self.outbox.take(output.messages)

    def note(self, caveat: str) -> None:
        """Take in a fact that voids the guarantee."""
        if self.is_running:
            self.take(self.learner.note(caveat))

    def outbid(self, epochs: Iterable[int]) -> None:
        """Take an epoch after those that somebody knows of: what was said in them is not ours."""
        if not self.is_running:
            return
        self.take(self.learner.begin(after(self.learner.epoch, epochs)))
        self.outbox.begin_again()
        self.roster.renumber()
        self.retained.say_all()
        _LOGGER.warning("the run goes on in epoch %d", self.learner.epoch)

    def give_up_lost(self, now: float) -> None:
        """Lose the arms of agents that were away for longer than the fleet's rule allows."""
        if not self.is_running or self.fleet.lost is LostRule.WAIT:
            return
        self.roster.excuse(self.outbox.debtors(), now)
        for member in self.roster.lost(self.outbox.in_race(), now):
            self.log.warning(
                "agent %s is lost: nothing was heard of it in time", member.name, peer=member.name
            )
            stop = self.fleet.lost is LostRule.STOP
            self.take(self.learner.lose(member.arms, stop=stop))
            if not self.is_running:
                return

    def commit(self, now: float) -> None:
        """Write down what happened: at once if anything follows from it."""
        is_urgent = self.outbox.has_news or self.retained.is_announcing
        self.transactions.commit(now, at_once=is_urgent or self.learner.ending is not None)

    def busy(self) -> list[Member]:
        """Agents that owe a report; at the end, those that may not know of it."""
        if self.has_ended:
            return [member for member in self.roster.members.values() if member.is_present]
        return self.outbox.debtors()
