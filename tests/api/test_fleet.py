"""The agents that a problem names, the way to them, and the rules for lost ones."""

from pathlib import Path

import pytest

from bitarm.api.fleet import fleet_of
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import FleetAssigned, LostRule
from bitarm.errors import ConfigError


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


_VIA = 'via = "chirpstack"\napplication = "7"'
_NORTH, _SOUTH = 'device = "01-02-03-04-05-06-07-08"', 'device = "a1b2c3d4e5f60718"'


def test_devices_behind_chirpstack() -> None:
    fleet = fleet_of(_problem(_VIA, _NORTH, _SOUTH), "lab")
    assert fleet.application == "7"
    assert fleet.devices == ("0102030405060708", "a1b2c3d4e5f60718")
    gateway = 'agent = "gw"\n' + _NORTH
    assert fleet_of(_problem(_VIA, gateway, gateway), "lab").devices == ("0102030405060708",) * 2


def test_a_device_matters_only_behind_chirpstack() -> None:
    fleet = fleet_of(_problem(first=_NORTH), "lab")
    assert (fleet.application, fleet.devices) == (None, ())


@pytest.mark.parametrize(
    ("network", "first", "second", "why"),
    [
        ('via = "chirp"', "", "", "via must be one of mqtt, chirpstack, got 'chirp'"),
        ('application = "7"', "", "", "application is ChirpStack's"),
        ('via = "chirpstack"', _NORTH, _SOUTH, "needs the application's id"),
        (_VIA.replace("7", "7/+"), _NORTH, _SOUTH, "an application is ChirpStack's id for it"),
        (_VIA, _NORTH, "", "arm 'b': via chirpstack every arm names its device"),
        (_VIA, _NORTH, _NORTH, "arm 'b': device 0102030405060708 is agent 'a' already"),
        (
            _VIA,
            'agent = "gw"\n' + _NORTH,
            'agent = "gw"\n' + _SOUTH,
            "arm 'b': agent 'gw' has another device already",
        ),
        ("", 'device = "0102"', "", "arm 'a': a devEui has 16 hexadecimal digits"),
        ('link = "lora"', "", "", "link must be one of lorawan-eu868-dr0"),
    ],
)
def test_ways_that_lead_nowhere(network: str, first: str, second: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        fleet_of(_problem(network, first, second), "lab")
