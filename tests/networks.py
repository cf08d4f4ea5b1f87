"""A network that duplicates, reorders and loses messages, and machines that restart."""

import json
import random
from dataclasses import dataclass, replace

import pytest
from drives import Run, observed, story
from tapes import Problem

from bitarm.core.agent import Agent, AgentState
from bitarm.core.codes import CODES, Code
from bitarm.core.epochs import after, split_field
from bitarm.core.events import (
    LearnerEvent,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    dump_event,
    load_event,
)
from bitarm.core.evidence.tasks import TASKS, Task
from bitarm.core.learner_state import LearnerOutput, LearnerState
from bitarm.core.messages import Answer, Dismiss, Request
from bitarm.core.plain import dumps, from_plain
from bitarm.core.quantizer import Estimate
from bitarm.core.replay import replay
from bitarm.core.spec import SPEC_FAMILIES, RunSpec
from bitarm.errors import PeerProtocolError

_STATE_FAMILIES = {**SPEC_FAMILIES, Code: CODES, Task: TASKS, RunEnded: {RunEnded.name: RunEnded}}


def learner_state_through_json(state: LearnerState) -> LearnerState:
    """The state written as JSON text and read back."""
    loaded: LearnerState = from_plain(LearnerState, json.loads(dumps(state)), _STATE_FAMILIES)
    return loaded


def agent_state_through_json(state: AgentState) -> AgentState:
    """The state written as JSON text and read back."""
    loaded: AgentState = from_plain(AgentState, json.loads(dumps(state)), _STATE_FAMILIES)
    return loaded


def is_contained(
    spec: RunSpec, before: Estimate, after: Estimate, accepted: ReportAccepted, mean: float
) -> bool:
    """Whether what the learner read is true of the mean that its agent had.

    Where the error bound holds on the interval event only (ICQ), nothing is asked for off it.
    """
    u_prime = spec.occasion(accepted.message, accepted.pulls).u_prime
    if not spec.quantizer.certain and abs(mean - before.mean) > u_prime + before.radius:
        return True
    if accepted.beaten_by is not None:
        return after == before  # nothing was said of the mean
    return after.holds(mean, accepted.pulls)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """An answer on its way, and the mean that its agent had when it gave it."""

    answer: Answer
    mean: float
    rewards: int  # of which it is the mean, each a bit in the order of their drawing


class Network:
    """Learner and agents with messages in flight; every method is one thing that may happen.

    Events are kept before messages are sent, as the machines ask of whoever drives them. Whatever
    happens, no answer of another epoch is read, and what is read is true of the agent's mean.

    With `live` rewards a reward that was drawn never comes again, even if its agent forgets it.
    """

    def __init__(self, problem: Problem, *, live: bool = False) -> None:
        self.problem = problem
        self.live = live
        self.learner = problem.learner()
        self.agents = problem.agents()
        self.epoch = self.learner.epoch  # the latest that was ever taken
        self.drawn = [0] * len(self.agents)  # rewards that each arm's source has given
        self.shared = [0] * len(self.agents)  # pulls that the present sequence began with
        self.rewards = [0] * len(self.agents)  # that each agent remembers, as in `Sent`
        self.saved = [[agent.state] for agent in self.agents]  # what each agent's file held
        self.saved_rewards = [[0] for _ in self.agents]  # and of which rewards
        self.told = [0] * len(self.agents)  # rewards of all reports in the journal
        self.kept: list[str] = []
        self.steps: list[int] = []  # events in the journal after each step of the learner
        self.told_by: list[list[int]] = []  # what was told up to then
        self.down: list[Request | Dismiss] = []
        self.up: list[Sent] = []
        self.send(self.learner.start())

    @property
    def events(self) -> list[LearnerEvent]:
        return [load_event(text) for text in self.kept]

    @property
    def over(self) -> bool:
        return self.learner.ending is not None

    # What the network may do.

    def carry_down(self, at: int, *, keep: bool) -> None:
        message = self.down[at] if keep else self.down.pop(at)
        if self.live and isinstance(message, Request):
            self._notice(message.arm)
        agent = self.agents[message.arm]
        known = agent.state
        answers = agent.receive(message)
        if agent.knows_later(message.run):
            assert (answers, agent.state) == ((), known), "an epoch that is over was heard"
        self._send_up(message.arm, answers)

    def carry_up(self, at: int, *, keep: bool) -> None:
        sent = self.up[at] if keep else self.up.pop(at)
        answer, learner = sent.answer, self.learner
        if split_field(answer.run)[1] != learner.epoch:
            self._refuse(answer)
            return
        record = learner.arms[answer.arm]
        output = learner.receive(answer)
        for event in output.events:
            if isinstance(event, ReportAccepted):
                held = learner.arms[event.arm].held
                assert is_contained(learner.spec, record.held, held, event, sent.mean)
                self.told[event.arm] |= sent.rewards
        self.send(output)

    def lose_down(self, at: int) -> None:
        del self.down[at]

    def lose_up(self, at: int) -> None:
        del self.up[at]

    def ask_again(self) -> None:
        self.down.extend(self.learner.pending)

    # What a machine's host may do.

    def pull(self, arm: int, count: int) -> None:
        agent = self.agents[arm]
        done = self.drawn[arm] if self.live else agent.state.pulls
        self.drawn[arm] += count
        self.rewards[arm] |= ((1 << count) - 1) << done
        self._send_up(arm, tuple(observed(agent, self.problem.tape.total, count, done)))

    def look(self, arm: int) -> None:
        self._send_up(arm, self.agents[arm].look())

    def restart_learner(self) -> None:
        before = self.learner.save()
        assert learner_state_through_json(before) == before
        self.learner = replay(self.events)
        assert self.learner.save() == before

    def resume_learner(self) -> None:
        """The learner is rebuilt from all of its events, and takes a new epoch."""
        self.restart_learner()
        self._begin()

    def restore_learner(self, at: int) -> None:
        """The learner is rebuilt from an older journal, its first `at` steps and the start."""
        self.steps = self.steps[: at + 1]
        self.kept = self.kept[: self.steps[-1]]
        self.told_by = self.told_by[: at + 1]
        self.told = list(self.told_by[-1])
        self.learner = replay(self.events)
        self._begin()

    def restart_agent(self, arm: int) -> None:
        before = self.agents[arm].state
        state = agent_state_through_json(before)
        assert state == before
        self.agents[arm] = Agent(self.learner.run, arm, state)

    def put_agent_back(self, arm: int, at: int) -> None:
        """An agent goes on from an older file: it forgets what came after that, for good."""
        self.saved[arm] = self.saved[arm][: at + 1]
        self.saved_rewards[arm] = self.saved_rewards[arm][: at + 1]
        self.rewards[arm] = self.saved_rewards[arm][-1]
        state = agent_state_through_json(self.saved[arm][-1])
        self.agents[arm] = Agent(self.learner.run, arm, state)
        self.shared[arm] = state.pulls
        self._notice(arm)

    # What ends it.

    def settle(self) -> None:
        """From here on nothing goes wrong."""
        turns = 0
        while not (self.over and not self.down and not self.up):
            turns += 1
            assert turns < _MOST_TURNS, "the run does not end"
            if not self.down and not self.up:
                self.ask_again()
                busy = any(agent.wanted or agent.is_looking for agent in self.agents)
                assert self.down or busy, "nobody goes on"
            self.turn()

    def turn(self) -> None:
        """All that was sent arrives, all that is wanted is pulled, and all answers arrive."""
        while self.down:
            self.carry_down(0, keep=False)
        for arm, agent in enumerate(self.agents):
            while agent.wanted or agent.is_looking:
                if agent.is_looking:
                    self.look(arm)
                else:
                    self.pull(arm, agent.wanted)
        while self.up:
            self.carry_up(0, keep=False)

    def _begin(self) -> None:
        self.epoch = after(self.epoch)
        self.send(self.learner.begin(self.epoch))

    def _notice(self, arm: int) -> None:
        """Tell the learner of an agent that has forgotten what it told."""
        sure = self.learner.arms[arm].sure
        if not self.over and self.agents[arm].state.pulls < sure:
            self.send(self.learner.renew({arm: self.shared[arm]}))

    def _refuse(self, answer: Answer) -> None:
        before = self.learner.save()
        with pytest.raises(PeerProtocolError, match="epoch"):
            self.learner.receive(answer)
        assert self.learner.save() == before

    def send(self, output: LearnerOutput) -> None:
        for event in output.events:
            for request in event.requests if isinstance(event, RoundOpened) else ():
                told = self.learner.arms[request.arm].pulls
                assert request.question.until > told, "an arm is asked for what it told before"
        self.kept.extend(map(dump_event, output.events))
        if output.events:
            self.steps.append(len(self.kept))
            self.told_by.append(list(self.told))
        self.down.extend(output.messages)

    def _send_up(self, arm: int, answers: tuple[Answer, ...]) -> None:
        state = self.agents[arm].state
        if state != self.saved[arm][-1]:
            self.saved[arm].append(state)
            self.saved_rewards[arm].append(self.rewards[arm])
        for answer in answers:
            self.up.append(Sent(answer=answer, mean=state.mean, rewards=self.rewards[arm]))


_MOST_TURNS = 20_000


def misbehave(network: Network, rng: random.Random, most_steps: int = 400) -> None:
    """Let anything happen by which nothing is forgotten, in an order that `rng` draws."""
    for _ in range(most_steps):
        if network.over:
            return
        arm = rng.randrange(len(network.agents))
        wanted = network.agents[arm].wanted
        match rng.choices(range(10), weights=(30, 30, 6, 6, 8, 30, 3, 3, 6, 2))[0]:
            case 0 if network.down:
                network.carry_down(rng.randrange(len(network.down)), keep=rng.random() < 0.3)
            case 1 if network.up:
                network.carry_up(rng.randrange(len(network.up)), keep=rng.random() < 0.3)
            case 2 if network.down:
                network.lose_down(rng.randrange(len(network.down)))
            case 3 if network.up:
                network.lose_up(rng.randrange(len(network.up)))
            case 4:
                network.ask_again()
            case 5 if network.agents[arm].is_looking:
                network.look(arm)
            case 5 if wanted:
                network.pull(arm, wanted if rng.random() < 0.6 else rng.randint(1, wanted))
            case 6 | 7:
                network.restart_learner()
            case 8:
                network.restart_agent(arm)
            case 9:
                network.resume_learner()
            case _:
                pass


def assert_same_run(network: Network, clean: Run) -> None:
    """Symbols, decoded means, drops, rounds and the ending are those of the clean run."""
    assert story(network.events) == story(clean.events)
    assert substance(network.learner.save()) == substance(clean.learner.save())
    for agent, undisturbed in zip(network.agents, clean.agents, strict=True):
        ours, theirs = agent.state, undisturbed.state
        assert agent.wanted == 0
        assert (ours.pulls, ours.total) == (theirs.pulls, theirs.total)
        if ours.epoch == theirs.epoch:  # a later one voids the last question and its answer
            assert (ours.message, ours.question, ours.symbol) == (
                theirs.message,
                theirs.question,
                theirs.symbol,
            )


def substance(state: LearnerState) -> LearnerState:
    """A learner's state without epochs, and without what holds in one epoch only: the numbers of
    questions, and the last answer, of which a repetition may come; nor what a claim takes for
    granted, since a run that was resumed takes more."""
    arms = tuple(replace(record, asked=0, symbol=None) for record in state.arms)
    ending = state.ending
    if ending is not None:
        ending = replace(ending, guarantee_reason="", assumptions=())
    incidents = replace(state.incidents, resumed=False)
    return replace(state, epoch=0, incidents=incidents, arms=arms, ending=ending)
