"""Fed-SEL (Mitra, Hassani, Pappas 2021): [a, b] in cells of width U', the mean to its cell.

The bits of a message grow as log2((b − a)/U'), round by round. Needs bounded rewards.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion, Quantizer, require_no_prior
from bitarm.core.question import Question
from bitarm.errors import ConfigError


@final
@dataclass(frozen=True, slots=True)
class FedSel(Quantizer):
    """Fed-SEL with the width that its cells allow: half a cell of error, a radius of 1.5·U'.

    All means lie on one lattice of step U', so two of them are often exactly the separation
    3·U' apart; whether such a tie counts is then a matter of the last rounding.
    """

    name: ClassVar[str] = "fed-sel"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = (Bins.name,)
    has_intervals: ClassVar[bool] = True

    @property
    def has_fixed_length(self) -> bool:
        """True: every word is the number of a cell."""
        return True

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Nothing but the bounds is known before the first message."""
        require_no_prior(self.name, prior)
        require_bounds(self.name, bounds)
        return NOTHING_KNOWN

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """Half a cell."""
        return occasion.u_prime / 2

    def least_bits(self, occasion: Occasion) -> int:
        """⌈log2 n⌉ for n cells: every word of a message has this length, 0 if there is one cell."""
        return (cells(occasion) - 1).bit_length()

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The number of the mean's cell."""
        a, _ = require_bounds(self.name, occasion.bounds)
        return Question(
            until=occasion.pulls, code=Bins(low=a, step=occasion.u_prime, bins=cells(occasion))
        )

    def objection(self) -> str | None:
        """None: half a cell, always."""
        return None


def require_bounds(scheme: str, bounds: Bounds | None) -> Bounds:
    """Refuse unbounded rewards."""
    if bounds is None:
        raise ConfigError(f"{scheme} needs bounded rewards: give bounds")
    return bounds


def cells(occasion: Occasion) -> int:
    """n = ⌈(b − a)/U'⌉ cells."""
    a, b = require_bounds(FedSel.name, occasion.bounds)
    return math.ceil((b - a) / occasion.u_prime)
