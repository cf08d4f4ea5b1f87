"""How long does a LoRaWAN frame occupy the air?

Semtech's formula (AN1200.13, and section 4.1.1.7 of the SX1276 data sheet) for an explicit header
and coding rate 4/5, which is what LoRaWAN uses on every data rate here.
"""

import math
from dataclasses import dataclass
from typing import final

LORAWAN_BYTES = 13  # MHDR 1, FHDR 7, FPort 1, MIC 4: around every application payload
_PREAMBLE_SYMBOLS = 8 + 4.25
_SLOW_SYMBOL = 0.016  # seconds; from here on the low data rate optimisation is mandatory


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LoRa:
    """A data rate of LoRa."""

    spreading_factor: int  # SF
    bandwidth: int  # Hz

    @property
    def symbol_seconds(self) -> float:
        """T_sym = 2^SF / BW."""
        return (1 << self.spreading_factor) / self.bandwidth


def air_seconds(rate: LoRa, payload_bytes: int, *, up: bool) -> float:
    """Time on air of an application payload in a LoRaWAN data frame without options.

    Uplinks carry a check sum behind the payload; downlinks do not.
    """
    return radio_seconds(rate, payload_bytes + LORAWAN_BYTES, crc=up)


def radio_seconds(rate: LoRa, radio_bytes: int, *, crc: bool) -> float:
    """T_packet = T_preamble + T_payload for a whole radio payload."""
    sf, t_sym = rate.spreading_factor, rate.symbol_seconds
    slow = 1 if t_sym > _SLOW_SYMBOL else 0  # DE
    bits = 8 * radio_bytes - 4 * sf + 28 + (16 if crc else 0)
    symbols = 8 + max(math.ceil(bits / (4 * (sf - 2 * slow))), 0) * 5
    return (_PREAMBLE_SYMBOLS + symbols) * t_sym
