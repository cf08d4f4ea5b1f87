"""What things cost: a price each for bits, messages, pulls, rounds, and for frames on a link.

A price is a field here, with its part of a run's cost and its word; a parameter of `plan`, which a
caller names; and a flag of the command line (`cli/flags/plan.py`).
"""

import math
from dataclasses import dataclass, field
from typing import Any, final

from bitarm.core.words import number, whole_number
from bitarm.errors import ConfigError
from bitarm.links.profiles import Link, find_link
from bitarm.links.pull_cost import PullCost, pull_units
from bitarm.sim.kernels.arrays import Floats
from bitarm.sim.trials import Trials


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices in any one currency; at least one is above 0."""

    per_bit: float = 0.0  # of payload, uplink
    per_message: float = 0.0  # a report of one arm
    per_downlink: float = 0.0  # a question or a dismissal
    per_pull: float = 0.0
    per_round: float = 0.0
    link: Link | None = None
    per_frame_unit: float = 0.0  # see `link_costs.py`: a second of air time, or a byte
    pull_cost: PullCost = field(default_factory=PullCost)  # what a pull takes

    def __post_init__(self) -> None:
        for name, price in {**self._each, "per_frame_unit": self.per_frame_unit}.items():
            if not (math.isfinite(price) and price >= 0):
                raise ConfigError(f"{name} must be a finite price of 0 or more, got {price}")
            object.__setattr__(self, name, float(price))
        if not any(self._each.values()) and not (self.link and self.per_frame_unit):
            raise ConfigError(
                "every price is 0, so any setting would do: give a price per bit, per message, "
                "per downlink, per pull or per round, or a link whose frames have one"
            )

    @property
    def _each(self) -> dict[str, float]:
        """The prices that do not depend on a link, by their names."""
        return {
            "per_bit": self.per_bit,
            "per_message": self.per_message,
            "per_downlink": self.per_downlink,
            "per_pull": self.per_pull,
            "per_round": self.per_round,
        }

    def cost(self, trials: Trials, *, dismissals: int) -> Floats:
        """The price of each simulated run, all but that of its frames on a link (`link_costs.py`).

        Every message is asked for: the questions and the dismissals are the downlinks.
        """
        cost: Floats = (
            self.per_bit * trials.payload_bits
            + self.per_message * trials.messages
            + self.per_downlink * (trials.messages + dismissals)
            + (self.per_pull + self.per_frame_unit * self.units_a_pull) * trials.samples
            + self.per_round * trials.rounds
        )
        return cost

    def in_words(self) -> list[str]:
        """Each price above 0 that does not depend on a link: `0.01 a pull`."""
        return [
            f"{price:g} a {name.removeprefix('per_')}"
            for name, price in self._each.items()
            if price
        ]

    def to_json(self) -> dict[str, Any]:
        """Every price under the name of the parameter of `plan` that gave it."""
        return {
            **self._each,
            "per_frame_unit": self.per_frame_unit,
            "link": None if self.link is None else self.link.name,
            "frame_unit": None if self.link is None else unit_of(self.link),
            "pull_packets": self.pull_cost.packets,
            "pull_seconds": self.pull_cost.seconds,
        }

    @property
    def units_a_pull(self) -> float:
        """Units of the link's frames that the packets of a pull take."""
        return 0.0 if self.link is None else pull_units(self.link, self.pull_cost.packets)


def unit_of(link: Link) -> str:
    """What `per_frame_unit` is the price of, in words."""
    return "byte of frames" if link.up.rate is None else "second of air time"


def prices_of(
    *,
    per_bit: float = 0.0,
    per_message: float = 0.0,
    per_downlink: float = 0.0,
    per_pull: float = 0.0,
    per_round: float = 0.0,
    link: str | None = None,
    per_frame_unit: float | None = None,
    pull_packets: int | None = None,
    pull_seconds: float | None = None,
) -> Prices:
    """The prices that a call names; frames of a link cost 1 a unit unless it says otherwise."""
    if link is None and per_frame_unit is not None:
        raise ConfigError("per_frame_unit is the price of frames on a link: name the link")
    if link is None and pull_packets is not None:
        raise ConfigError("pull_packets are sent over a link: name it")
    profile = None if link is None else find_link(link)
    charged = 0.0 if link is None else 1.0 if per_frame_unit is None else per_frame_unit
    return Prices(
        per_bit=number("per_bit", per_bit),
        per_message=number("per_message", per_message),
        per_downlink=number("per_downlink", per_downlink),
        per_pull=number("per_pull", per_pull),
        per_round=number("per_round", per_round),
        link=profile,
        per_frame_unit=number("per_frame_unit", charged),
        pull_cost=PullCost(
            packets=whole_number("pull_packets", pull_packets or 0),
            seconds=number("pull_seconds", pull_seconds or 0.0),
        ),
    )
