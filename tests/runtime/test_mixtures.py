"""Everything that may happen to memories, journals, learners and links, in an order that a seed
draws: the run ends or says for whom it waits, what it reads is true, and it claims what it may.

All in one process, with the real services; rewards are live.
"""

import random

import pytest
from runtime.memories import (
    PROBLEMS,
    assert_sound,
    events_of,
    journal_of,
    keeper_of,
    run_attended,
    world_of,
)
from tapes import Problem
from wires.weather import InFlight

from bitarm.core.events import LivesBegan, RunEnded
from bitarm.runtime.service import Publication
from bitarm.wire.topics import LEARNER, Subject

pytestmark = pytest.mark.slow

_NAMES = ("gw-0", "gw-1", "gw-2")


class Trouble:
    """A run, and what may happen to it."""

    def __init__(self, problem: Problem, rng: random.Random) -> None:
        self.world = world_of(problem)
        self._rng = rng
        self._thawed = 0
        self._sent: list[Publication] = []
        self._kept: dict[str, bytes] = {}  # by the broker, when it last wrote to its disk
        self._publish = self.world.publish
        self.world.publish = self._remember  # type: ignore[method-assign]

    def _remember(self, publication: Publication) -> None:
        if publication.topic.endswith(Subject.REPORT.value):
            self._sent.append(publication)
        self._publish(publication)

    def kill_an_agent(self) -> None:
        self.world.kill(self._rng.choice(_NAMES), away=self._rng.choice((0.5, 5.0)))

    def put_an_agent_back(self) -> None:
        """Its file is an older one, or gone."""
        name = self._rng.choice(_NAMES)
        keeper = keeper_of(self.world, name)
        self.world.kill(name)
        keeper.put_back(self._rng.randint(0, len(keeper.history)))

    def kill_the_learner(self) -> None:
        self.world.kill(LEARNER)

    def put_the_journal_back(self) -> None:
        """But not to before a loss that it has noted: see test_a_loss_that_is_forgotten."""
        journal = journal_of(self.world)
        noted = [
            number
            for number, events in enumerate(journal.transactions, start=1)
            if number == 1 or any(isinstance(event, LivesBegan) for event in events)
        ]
        if noted:
            self.world.kill(LEARNER)
            back = self._rng.randint(noted[-1], len(journal.transactions))
            self.world.journal = journal.prefix(back)

    def freeze_the_learner(self) -> None:
        """Another one goes on from the journal; the old one has a copy of it."""
        node, journal = self.world.nodes[LEARNER], journal_of(self.world)
        if node.service is None or node.service.finished or self._thawed:
            return
        self._thawed += 1
        self.world.freeze_learner("thawed")
        self.world.journal = journal.prefix(len(journal.transactions))

    def thaw_it(self) -> None:
        node = self.world.nodes.get("thawed")
        if node is None or not node.frozen:
            return
        ended = any(isinstance(event, RunEnded) for event in events_of(self.world))
        if self._rng.random() < 0.5 or ended:
            self.world.thaw("thawed")
        else:
            self.world.cut("thawed")
            node.frozen, node.backlog = False, []
            self.world.connect("thawed")

    def cut_a_link(self) -> None:
        name = self._rng.choice((LEARNER, *_NAMES))
        node = self.world.nodes[name]
        if node.service is not None and node.connected and not node.service.finished:
            self.world.cut(name)
            for _ in range(self._rng.randint(0, 5)):
                self.world.tick()
            if node.service is not None and not node.connected:
                self.world.connect(name)

    def restart_the_broker(self) -> None:
        """It may forget what it kept, or go back in time; but it must know that the run is over:
        nobody is left to say it."""
        learner = self.world.nodes[LEARNER].service
        ended = learner is not None and learner.finished
        kept = self._rng.choice((None, {}, dict(self._kept)))
        self._kept = dict(self.world.retained)
        self.world.restart_broker(kept=None if ended else kept)

    def deliver_late_reports(self) -> None:
        """Of any epoch and question, hours after they were sent."""
        if self._sent:
            for publication in self._rng.choices(self._sent, k=3):
                late = InFlight(self.world.now, LEARNER, publication.topic, publication.payload)
                self.world.in_flight.append(late)

    def happen(self) -> None:
        what = self._rng.choice(
            (
                self.kill_an_agent,
                self.put_an_agent_back,
                self.kill_the_learner,
                self.put_the_journal_back,
                self.freeze_the_learner,
                self.thaw_it,
                self.cut_a_link,
                self.restart_the_broker,
                self.deliver_late_reports,
            )
        )
        what()
        for _ in range(self._rng.randint(0, 8)):
            self.world.tick()


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_whatever_happens_the_run_ends_and_claims_what_it_may(problem: Problem, seed: int) -> None:
    rng = random.Random(seed)
    trouble = Trouble(problem, rng)
    for _ in range(rng.randint(4, 14)):
        trouble.happen()
    trouble.thaw_it()
    run_attended(trouble.world, most_passes=6000)
    assert_sound(trouble.world)
