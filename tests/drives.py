"""Whole runs over a perfect network, and what of a run does not depend on how it went."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tapes import Problem, Total

from bitarm.core.agent import Agent
from bitarm.core.events import (
    EpochBegan,
    LearnerEvent,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.learner import Learner
from bitarm.core.messages import Answer, Dismiss, Report, Request


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that is over: the machines, and what the learner put down, step by step."""

    learner: Learner
    agents: list[Agent]
    transactions: list[tuple[LearnerEvent, ...]]
    dismissals: list[Dismiss]

    @property
    def events(self) -> list[LearnerEvent]:
        return [event for events in self.transactions for event in events]

    @property
    def ending(self) -> RunEnded:
        assert self.learner.ending is not None
        return self.learner.ending


def served(agent: Agent, request: Request, mean: float) -> Report:
    """The agent's answer to one request, if its new rewards have this mean."""
    agent.receive(request)
    (report,) = agent.observe(agent.wanted, mean * agent.wanted)
    assert isinstance(report, Report)
    return report


def observed(agent: Agent, total: Total, count: int, done: int | None = None) -> list[Answer]:
    """What follows from so many rewards, of which `done` came before; each is known by itself."""
    arm, done = agent.arm, agent.state.pulls if done is None else done
    bets = agent.state.bets is not None
    rewards = [total(arm, done + at, 1) for at in range(count)] if bets else []
    return list(agent.observe(count, total(arm, done, count), rewards))


def answered(agent: Agent, request: Request, total: Total) -> list[Answer]:
    """All that an agent answers, with all the rewards that it wants."""
    answers = list(agent.receive(request))
    while agent.wanted or agent.is_looking:
        answers += agent.look() if agent.is_looking else observed(agent, total, agent.wanted)
    return answers


def drive(learner: Learner, agents: list[Agent], total: Total) -> Run:
    """Join a learner and its agents by a perfect network, whole batches at a time."""
    output = learner.start()
    transactions = [output.events]
    dismissals: list[Dismiss] = []
    waiting: list[Request | Dismiss] = list(output.messages)
    at = 0
    while at < len(waiting):
        message = waiting[at]
        at += 1
        if isinstance(message, Dismiss):
            agents[message.arm].receive(message)
            dismissals.append(message)
            continue
        for report in answered(agents[message.arm], message, total):
            output = learner.receive(report)
            transactions.append(output.events)
            waiting.extend(output.messages)
    return Run(learner=learner, agents=agents, transactions=transactions, dismissals=dismissals)


def drive_problem(problem: Problem) -> Run:
    """The clean run of a problem."""
    return drive(problem.learner(), problem.agents(), problem.tape.total)


def story(events: Iterable[LearnerEvent]) -> tuple[dict[tuple[int, int], LearnerEvent], list[Any]]:
    """What a run says, whatever its name, and whatever the order of one round's reports.

    Nor does it matter how often the run was resumed: epochs, the numbers that questions have in
    them, and what a claim then takes for granted are left out.
    """
    accepted: dict[tuple[int, int], LearnerEvent] = {}
    others: list[LearnerEvent] = []
    for event in events:
        match event:
            case ReportAccepted():
                assert (event.arm, event.message) not in accepted, "a report was counted twice"
                accepted[event.arm, event.message] = event
            case RoundOpened():
                asked = tuple(replace(request, run=0, message=0) for request in event.requests)
                others.append(replace(event, requests=asked))
            case RunOpened():
                others.append(replace(event, opening=""))
            case ReportIgnored() | EpochBegan():
                pass
            case RunEnded():
                others.append(replace(event, guarantee_reason="", assumptions=()))
            case _:
                others.append(event)
    return accepted, others
