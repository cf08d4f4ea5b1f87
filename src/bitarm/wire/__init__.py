"""What passes between a learner and its agents, as bytes: pure formats, without a socket.

    frames/         requests, reports, positions and dismissals: a few bytes each
    topics          where on a broker each is published
    announcement    JSON that tells an agent of a run and of its arms
    status          JSON in which a process says whether it is there, and what it remembers
    chirpstack      JSON of a ChirpStack server, whose devices may be agents

The functions for frames are here too: `wire.encode(message)`, `wire.decode(frame)`.
"""

from bitarm.wire.frames import (
    MAX_BYTES,
    Field,
    decode,
    describe,
    encode,
    pack,
    pack_all,
    payload_bytes,
)

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
