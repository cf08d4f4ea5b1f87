"""Frames that were changed under a right check sum: all agents read them as the core does."""

import random

from devices.benches import Bench, PythonBench
from devices.vectors import recorded

from bitarm.wire.frames.envelope import FrameKind, long_frame

REQUESTS = sorted(
    {
        event.hear
        for case, outcomes in recorded()
        for event, outcome in zip(case.events, outcomes, strict=True)
        if outcome.refuse is None and event.hear[:2] == b"\x80\x02"
    }
)
FRAMES = 1500


def changed(draw: random.Random) -> bytes:
    """A request with some bytes of its question changed, left out or added."""
    body = bytearray(draw.choice(REQUESTS)[4:-2])
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(5, len(body))
        match draw.randrange(3):
            case 0:
                body[place] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
            case 1:
                del body[place:]
                body += draw.randbytes(3)
            case _:
                body.insert(place, draw.randrange(256))
    return long_frame(FrameKind.REQUEST, bytes(body))


def test_changed_requests_are_read_as_the_core_reads_them(bench: Bench) -> None:
    """What a device cannot serve it may refuse; whatever else it does, the core does too."""
    draw, core = random.Random(7), PythonBench()
    kinds, served = set(), 0
    for _ in range(FRAMES):
        frame = changed(draw)
        for one in (core, bench):
            one.ask("0 new 16 0 65536 1000000")
        expected, reply = (one.ask(f"0 hear {frame.hex()}") for one in (core, bench))
        kinds.add(reply.kind)
        if reply.kind in ("refused", "corrupt"):
            assert reply.wanted == reply.count == 0, frame.hex()
            served += expected.kind == "quiet"  # lengths that are too large or too fine for it
        else:
            assert (reply.kind, reply.wanted) == (expected.kind, expected.wanted), frame.hex()
    assert {"quiet"} < kinds <= {"corrupt", "quiet", "refused"}
    assert served < FRAMES // 20
