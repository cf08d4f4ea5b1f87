"""The words of a problem that only a network needs, and what becomes of them."""

from pathlib import Path

import pytest

from bitarm.api.identify import run_problem
from bitarm.api.network import fleet_of
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import FleetAssigned, LostRule
from bitarm.errors import ConfigError, RewardError


def _problem(network: str = "", first: str = "", second: str = "", names: str = "ab") -> Problem:
    arms = "".join(
        f'[[arm]]\nname = "{name}"\n{more}\nsource = "bernoulli"\nmean = 0.2\n'
        for name, more in zip(names, (first, second), strict=True)
    )
    return parse_problem(f"[problem]\nbounds = [0, 1]\n[network]\n{network}\n{arms}", Path())


def test_agents_are_named_or_called_after_their_arms() -> None:
    fleet = fleet_of(_problem(second='agent = "gw-1"'), "lab")
    assert fleet == FleetAssigned(fleet="lab", agents=("a", "gw-1"))
    both = fleet_of(_problem(first='agent = "gw-1"', second='agent = "gw-1"'), "lab")
    assert both.agents == ("gw-1", "gw-1")


def test_two_arms_are_not_given_to_one_agent_by_accident() -> None:
    with pytest.raises(ConfigError, match="would both be served by an agent called 'a'"):
        fleet_of(_problem(second='agent = "a"'), "lab")


def test_the_rules_for_lost_agents() -> None:
    fleet = fleet_of(_problem('lost = "drop"\nlost_after = 5\njoin_within = 60'), "lab")
    assert (fleet.lost, fleet.lost_after, fleet.join_within) == (LostRule.DROP, 5.0, 60.0)


@pytest.mark.parametrize(
    ("network", "why"),
    [
        ('lost = "dropp"', "lost must be one of wait, drop, stop, got 'dropp'; did you mean drop?"),
        ("lost_after = 0", "lost_after must be above 0 seconds"),
        ("join_within = -1", "join_within must be above 0 seconds"),
        ("lots = 1", "a word of .network. must be one of lost, lost_after, join_within"),
        ('lost_after = "long"', "lost_after must be a number"),
    ],
)
def test_rules_that_are_none(network: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        fleet_of(_problem(network), "lab")


@pytest.mark.parametrize("agent", ["a/b", "", "learner", "+"])
def test_names_that_no_agent_may_have(agent: str) -> None:
    with pytest.raises(ConfigError, match="arm 'a': "):
        _problem(first=f'agent = "{agent}"')


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
