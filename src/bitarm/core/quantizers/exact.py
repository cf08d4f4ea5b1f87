"""No quantization: the mean itself, as the 64 bits of a float."""

import math
import struct
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
from bitarm.errors import PeerProtocolError

_NBITS = 64


@final
@dataclass(frozen=True, slots=True)
class Exact:
    """The paper's unquantized setting, at the price that a real channel charges for it."""

    name: ClassVar[str] = "exact"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = False

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Nothing is known before the first message."""
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, step: Step) -> float:
        """None: U = U'."""
        return 0.0

    def least_bits(self, step: Step) -> int:
        """Always 64."""
        return _NBITS

    def encode(self, mu_hat: float, held: Estimate, step: Step, dither: float) -> Symbol:
        """IEEE 754 binary64, big-endian."""
        return Symbol(int.from_bytes(struct.pack(">d", mu_hat)), _NBITS)

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """The float back, if it is one that a mean can have."""
        require_length(symbol, _NBITS)
        (mean,) = struct.unpack(">d", symbol.value.to_bytes(8))
        if not math.isfinite(mean):
            raise PeerProtocolError(f"a mean must be finite, got {mean}")
        return Estimate.after(step, mean=mean, error=self.error(held, step))
