"""Stores for tests: runs that ended, and runs that go on for as long as a test wants."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from drives import answered

from bitarm.api.identify import run_setup
from bitarm.api.scheme import build
from bitarm.api.words import split
from bitarm.core.agent import Agent
from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.learner import Learner
from bitarm.core.messages import Answer, Request
from bitarm.core.standings import Standings
from bitarm.rewards.draws import ModelSource
from bitarm.sim.models import Bernoulli
from bitarm.store import SqliteJournal

MEANS = {"north": 0.9, "south": 0.5, "tower": 0.7, "depot": 0.2}
PAPER: dict[str, Any] = {"quantizer": "icq", "width": "paper"}
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def identify_into(path: Path, *, seed: int, means: dict[str, float] = MEANS, **words: Any) -> int:
    """Run to the end into the journal at `path`; returns the run's number."""
    given = {"bounds": (0.0, 1.0), "delta": 0.05} | words
    problem, scheme, limits = split(
        {word: given[word] for word in given if given[word] is not None}
    )
    setup = build(tuple(means), seed=seed, problem=problem, scheme=scheme, limits=limits)
    sources = [
        ModelSource(Bernoulli(mean=mean), seed=seed, arm=arm)
        for arm, mean in enumerate(means.values())
    ]
    with closing(SqliteJournal.open(path)) as journal:
        return run_setup(setup, sources, clip=False, journal=journal, watch=None)[0]


class SlowRun:
    """A run whose rounds a test plays one by one: agents that always see the true mean."""

    def __init__(self, path: Path, means: dict[str, float] = MEANS, **words: Any) -> None:
        problem, scheme, limits = split({"bounds": (0.0, 1.0)} | words)
        setup = build(tuple(means), seed=7, problem=problem, scheme=scheme, limits=limits)
        self._means = list(means.values())
        self._journal = SqliteJournal.open(path)
        self._learner = Learner(setup)
        self._agents = [Agent(self._learner.run, arm) for arm in range(len(means))]
        started = self._learner.start()
        opened, *rest = started.events
        assert isinstance(opened, RunOpened)
        self.run = self._journal.open_run(opened, rest)
        self._messages = list(started.messages)

    @property
    def ended(self) -> bool:
        return self._learner.ending is not None

    def play_round(self) -> None:
        """One broadcast, the reports that it brings, and what the learner makes of them."""
        events: list[LearnerEvent] = []
        due, self._messages = self._messages, []
        for message in due:
            for report in self._serve(message):
                output = self._learner.receive(report)
                events += output.events
                self._messages += output.messages
        self._journal.append(self.run, events)

    def go_on(self, epoch: int, *, ahead: int = 0) -> None:
        """A learner takes over where this one is, perhaps from an older journal than the agents."""
        for arm, agent in enumerate(self._agents):
            if agent.state.pulls and ahead:
                agent.state = replace(
                    agent.state, pulls=ahead, total=ahead * self._means[arm], question=None
                )
        output = self._learner.begin(epoch)
        self._messages = list(output.messages)
        self._journal.append(self.run, output.events)

    def note(self, *events: LearnerEvent) -> None:
        """Keep what happened beside the learner."""
        self._journal.append(self.run, events)

    def standings(self) -> Standings:
        """Where the run stands by its journal."""
        return Standings.of(entry.event for entry in self._journal.read(self.run))

    def close(self) -> None:
        self._journal.close()

    def _serve(self, message: Any) -> Iterator[Answer]:
        agent = self._agents[message.arm]
        if isinstance(message, Request):
            mean = self._means[message.arm]
            yield from answered(agent, message, lambda arm, done, count: count * mean)
        else:
            yield from agent.receive(message)


def open_run_in(path: Path, *, rounds: int) -> int:
    """A run that was cut off after some rounds."""
    slow = SlowRun(path, **PAPER)
    for _ in range(rounds):
        slow.play_round()
    slow.close()
    return slow.run


def standings_in(path: Path, run: int) -> Standings:
    """Where a run stands by the journal at `path`."""
    with closing(SqliteJournal.open_read_only(path)) as journal:
        return Standings.of(entry.event for entry in journal.read(run))
