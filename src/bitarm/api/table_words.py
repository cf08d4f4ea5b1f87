"""The words of a problem file that belong to no scheme and to no kind of source.

Those of [network], those that every [[arm]] has, and what a file says beside the words of a run.
"""

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, final

from bitarm.core.events import FleetAssigned, LostRule
from bitarm.core.words import Word
from bitarm.links.profiles import LINKS

_FLEET: dict[str, Any] = {field.name: field.default for field in fields(FleetAssigned)}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkWords:
    """How agents are reached over a broker, and what becomes of a run that loses one."""

    lost: Annotated[
        str,
        Word(
            "If an agent is lost: wait, drop (its arms) or stop",
            table="network",
            choices=tuple(rule.value for rule in LostRule),
        ),
    ] = _FLEET["lost"].value
    lost_after: Annotated[
        float, Word("Seconds that an agent may be away (drop, stop)", table="network", above=0)
    ] = _FLEET["lost_after"]
    join_within: Annotated[
        float,
        Word("Seconds until every agent must have come (drop, stop)", table="network", above=0),
    ] = _FLEET["join_within"]
    link: Annotated[
        str | None,
        Word(
            "Refuse what does not fit a link, and tell its cost there",
            table="network",
            choices=tuple(LINKS),
        ),
    ] = None
    via: Annotated[
        Literal["mqtt", "chirpstack"],
        Word("How agents are reached: mqtt, or chirpstack (experimental)", table="network"),
    ] = "mqtt"
    application: Annotated[
        str | None, Word("ChirpStack's id of the devices' application", table="network")
    ] = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmWords:
    """What an [[arm]] table may say whatever its source is."""

    name: Annotated[
        str | None, Word("What it is called; by default arm-0, arm-1 and so on", table="arm")
    ] = None
    source: Annotated[str, Word("Where its rewards come from", table="arm")]
    agent: Annotated[
        str | None,
        Word("Who serves it; by default the arm's name, made safe for a topic", table="arm"),
    ] = None
    device: Annotated[
        str | None, Word("devEui of the agent, where that is a LoRaWAN device", table="arm")
    ] = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FileWords:
    """What [problem] may say that is no setting of a run: how rewards are read."""

    clip: Annotated[
        bool,
        Word(
            "Move rewards beyond the bounds to the bounds, which voids the guarantee",
            table="problem",
        ),
    ] = False
