"""What things cost: a price each for bits, messages, pulls, rounds, and for frames on a link."""

import math
from dataclasses import dataclass, fields
from typing import final

from bitarm.errors import ConfigError
from bitarm.runtime.links import Link


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices in any one currency; at least one is above 0."""

    per_bit: float = 0.0  # of payload, uplink
    per_message: float = 0.0  # a report of one arm
    per_pull: float = 0.0
    per_round: float = 0.0
    link: Link | None = None
    per_frame_unit: float = 0.0  # see `frames.py`: a second of air time, or a byte

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "link":
                continue
            price = getattr(self, field.name)
            if not (math.isfinite(price) and price >= 0):
                raise ConfigError(f"{field.name} must be a finite price of 0 or more, got {price}")
            object.__setattr__(self, field.name, float(price))
        if not any((self.per_bit, self.per_message, self.per_pull, self.per_round)) and not (
            self.link and self.per_frame_unit
        ):
            raise ConfigError(
                "every price is 0, so any setting would do: give a price per bit, per message, "
                "per pull or per round, or a link whose frames have one"
            )
