"""Fed-SEL (Mitra, Hassani, Pappas 2021): [a, b] in cells of width U', the mean to its cell.

The bits of a message grow as log2((b − a)/U'), round by round. Needs bounded rewards.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import (
    NOTHING_KNOWN,
    Bounds,
    Estimate,
    Step,
    require_length,
    require_no_prior,
)
from bitarm.errors import ConfigError, PeerProtocolError


@final
@dataclass(frozen=True, slots=True)
class FedSel:
    """Fed-SEL with the width that its cells allow: half a cell of error, a radius of 1.5·U'.

    All means lie on one lattice of step U', so two of them are often exactly the separation
    3·U' apart; whether such a tie counts is then a matter of the last rounding.
    """

    name: ClassVar[str] = "fed-sel"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = False

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Nothing but the bounds is known before the first message."""
        require_no_prior(self.name, prior)
        require_bounds(self.name, bounds)
        return NOTHING_KNOWN

    def error(self, held: Estimate, step: Step) -> float:
        """Half a cell."""
        return step.u_prime / 2

    def least_bits(self, step: Step) -> int:
        """⌈log2 n⌉ for n cells: every symbol of a step has this length, 0 if there is one cell."""
        return (cells(step) - 1).bit_length()

    def encode(self, mu_hat: float, held: Estimate, step: Step, dither: float) -> Symbol:
        """The number of the mean's cell."""
        a, _ = require_bounds(self.name, step.bounds)
        position = (mu_hat - a) / step.u_prime
        last = float(cells(step) - 1)
        return Symbol(math.floor(min(max(position, 0.0), last)), self.least_bits(step))

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """The middle of the cell."""
        require_length(symbol, self.least_bits(step))
        if symbol.value >= cells(step):
            raise PeerProtocolError(f"symbol names cell {symbol.value} of {cells(step)}")
        a, _ = require_bounds(self.name, step.bounds)
        mean = a + (symbol.value + 0.5) * step.u_prime
        return Estimate.after(step, mean=mean, error=self.error(held, step))


def require_bounds(scheme: str, bounds: Bounds | None) -> Bounds:
    """Refuse unbounded rewards."""
    if bounds is None:
        raise ConfigError(f"{scheme} needs bounded rewards: give bounds")
    return bounds


def cells(step: Step) -> int:
    """n = ⌈(b − a)/U'⌉ cells."""
    a, b = require_bounds(FedSel.name, step.bounds)
    return math.ceil((b - a) / step.u_prime)
