"""What the numbers of a code must satisfy."""

import math

from bitarm.core.bits import Symbol
from bitarm.errors import LocalProtocolError, PeerProtocolError


def require_finite(name: str, value: float) -> None:
    """Refuse what is no number."""
    if not math.isfinite(value):
        raise LocalProtocolError(f"{name} must be a finite number, got {value}")


def require_step(step: float) -> None:
    """Refuse a step that divides nothing."""
    if not (math.isfinite(step) and step > 0):
        raise LocalProtocolError(f"step must be a finite number above 0, got {step}")


def require_within(name: str, number: int, low: int, high: int) -> None:
    """Refuse a whole number outside [low, high]."""
    if not low <= number <= high:
        raise LocalProtocolError(f"{name} must lie in [{low}, {high}], got {number}")


def require_length(symbol: Symbol, nbits: int) -> None:
    """Refuse a symbol of the wrong length."""
    if symbol.nbits != nbits:
        raise PeerProtocolError(f"symbol has {symbol.nbits} bits, {nbits} were expected")
