"""What passes between a learner and its agents, as bytes: pure formats, without a socket.

    frames/         requests, reports, positions and dismissals: a few bytes each
    topics          where on a broker each is published
    announcement    JSON that tells an agent of a run and of its arms
    status          JSON in which a process says whether it is there, and what it remembers
    chirpstack      JSON of a ChirpStack server, whose devices may be agents
    peer_json       how JSON from a peer is taken in without trust

The functions for frames are here too:

    encode, pack, pack_all    messages to frames
    decode                    a frame to messages
    describe                  a frame, bit by bit
    payload_bytes             what the symbols of a frame fill
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
