"""Frames: pure bytes to messages and back, with nothing but the bytes.

    encode, pack, pack_all    messages to frames
    decode                    a frame to messages
    describe                  a frame, bit by bit
    payload_bytes             what the symbols of a frame fill

The format is told in docs/wire.md. No module here knows a run's settings or a quantizer: a
symbol is carried, never understood.
"""

from bitarm.wire.frames.cursor import Field
from bitarm.wire.frames.envelope import MAX_BYTES
from bitarm.wire.frames.frame import decode, describe, encode, pack, pack_all
from bitarm.wire.frames.symbols import payload_bytes

__all__ = [
    "MAX_BYTES",
    "Field",
    "decode",
    "describe",
    "encode",
    "pack",
    "pack_all",
    "payload_bytes",
]
