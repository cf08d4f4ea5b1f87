"""Who serves which arm of a problem, by which way, and what if one is lost?"""

from typing import Any

from bitarm.api.arm_tables import Arm
from bitarm.api.problem import Problem
from bitarm.api.table_words import NetworkWords
from bitarm.core.events import FleetAssigned, LostRule
from bitarm.core.words import words_of
from bitarm.errors import ConfigError
from bitarm.links.profiles import find_link
from bitarm.wire.chirpstack import check_application
from bitarm.wire.topics import check_name

_NETWORK = words_of(NetworkWords)


def fleet_of(problem: Problem, name: str) -> FleetAssigned:
    """Which agent serves which arm of a problem in the run `name`, and how it is reached.

    Raises ConfigError if two arms would share an agent that nobody named, if a word of [network]
    makes no sense, or if ChirpStack needs an application or devices that are missing.
    """
    check_name("the name of a run", name)
    by_agent: dict[str, Arm] = {}
    for arm in problem.arms:
        other = by_agent.setdefault(arm.agent, arm)
        if other is not arm and not (other.named_agent and arm.named_agent):
            raise ConfigError(
                f"arms {other.name!r} and {arm.name!r} would both be served by an agent called "
                f"{arm.agent!r}: give them an agent by name"
            )
    words = dict(problem.network)
    if "lost" in words:
        _NETWORK["lost"].check(words["lost"])
        words["lost"] = LostRule(words["lost"])
    for word in ("lost_after", "join_within"):
        if not words.get(word, 1.0) > 0:
            raise ConfigError(f"{word} must be above 0 seconds, got {words[word]}")
    if "link" in words:
        find_link(words["link"])
    words |= _way(
        problem, words.pop("via", _NETWORK["via"].default), words.pop("application", None)
    )
    return FleetAssigned(fleet=name, agents=tuple(arm.agent for arm in problem.arms), **words)


def _way(problem: Problem, via: str, application: str | None) -> dict[str, Any]:
    """What the way to the agents adds: for ChirpStack its application and a device for each."""
    _NETWORK["via"].check(via)
    if via == "mqtt":
        if application is not None:
            raise ConfigError("application is ChirpStack's: it goes with via = chirpstack")
        return {}
    if application is None:
        raise ConfigError("via chirpstack needs the application's id (--application)")
    check_application(application)
    agents: dict[str, str] = {}  # by device
    devices: dict[str, str] = {}  # by agent
    for arm in problem.arms:
        if arm.device is None:
            raise ConfigError(f"arm {arm.name!r}: via chirpstack every arm names its device")
        if devices.setdefault(arm.agent, arm.device) != arm.device:
            raise ConfigError(f"arm {arm.name!r}: agent {arm.agent!r} has another device already")
        if agents.setdefault(arm.device, arm.agent) != arm.agent:
            raise ConfigError(
                f"arm {arm.name!r}: device {arm.device} is agent {agents[arm.device]!r} already: "
                "give arms of one device the same agent"
            )
    return {
        "application": application,
        "devices": tuple(devices[arm.agent] for arm in problem.arms),
    }
