"""Sources that were made for agents, in one process."""

from pathlib import Path

import pytest
from loopback import eventually

from bitarm.api.identify import run_problem
from bitarm.api.network.agent import _supply
from bitarm.api.problem import Problem, parse_problem
from bitarm.errors import ConfigError, RewardError
from bitarm.rewards.feeds import ThreadFeed


def _with_commands(low: str, high: str) -> Problem:
    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "command"\ncommand = ["sh", "-c", "{command}"]\n'
        for name, command in (("low", low), ("high", high))
    )
    return parse_problem(f"[problem]\nbounds = [0, 1]\n{arms}", Path())


def test_commands_are_sources_without_a_network_too() -> None:
    problem = _with_commands("while :; do echo 0.1; done", "while :; do echo 0.9; done")
    assert run_problem(problem, seed=1)[1].best_arm_name == "high"


def test_a_command_that_fails_ends_the_run_with_its_error() -> None:
    problem = _with_commands("while :; do echo 0.1; done", "echo 0.9; exit 7")
    with pytest.raises(RewardError, match=r"high \(arm 1\): the command of high .* ended \(7\)"):
        run_problem(problem, seed=1)


def test_a_topic_is_for_agents_only() -> None:
    arms = '[[arm]]\nname = "a"\nsource = "topic"\ntopic = "t"\n' + (
        '[[arm]]\nname = "b"\nsource = "bernoulli"\nmean = 0.2\n'
    )
    problem = parse_problem(f"[problem]\nbounds = [0, 1]\n{arms}", Path())
    with pytest.raises(ConfigError, match="listens to a topic: only `bitarm agent` can"):
        run_problem(problem, seed=1)


def test_an_agent_that_joins_another_run_ends_the_commands_of_the_run_before() -> None:
    problem = _with_commands("while :; do echo 0.1; done", "echo 0.9")
    feeds: dict[str, ThreadFeed] = {}
    supply = _supply(problem.for_agents(), problem.arms[0].agent, {}, feeds)
    name = problem.arms[0].name
    before = supply(name, 0, 1)
    eventually(lambda: len(before.take(1)) == 1, "a reward")
    worker = feeds[name]._thread
    assert worker is not None
    after = supply(name, 0, 1)
    worker.join(10.0)
    assert not worker.is_alive()
    eventually(lambda: len(after.take(1)) == 1, "a reward of the next run")
    feeds[name].close()
