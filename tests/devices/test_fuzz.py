"""Frames changed under a right check sum, and extreme numbers: all agents do as the core does."""

import random
from collections import Counter
from fractions import Fraction

from devices.benches import Bench, PythonBench
from devices.exact import Fight, is_beaten
from devices.vectors import recorded

from bitarm.core.codes import Above, Nearest
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.spread import LEAST_SPREAD, MOST_SPREAD
from bitarm.core.evidence.tasks import BAND, NO_HURDLE, Challenge, Edge
from bitarm.core.messages import Report, Request
from bitarm.core.question import Question
from bitarm.wire import decode, encode
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


# -- numbers at the ends of what a frame can tell -------------------------------------------------

_SCALES = (
    Scale(bounded=True, low=0.0, unit=1.0),
    Scale(bounded=True, low=-1.0, unit=3.0),
    Scale(bounded=False, low=0.0, unit=0.25),
)
_QUESTIONS = 200


def extreme(draw: random.Random) -> Question:
    """A challenge or an edge whose numbers are their least and largest."""
    scale, until = draw.choice(_SCALES), draw.choice((1, 2, 64, 100))
    first, step = draw.choice((0, 1, 30, RUNGS - BAND)), 2.0 ** draw.choice((-14, -3, 0))
    if draw.random() < 0.8 or not scale.bounded:
        one, two, three = draw.choices((0, 1, 127, 128, NO_HURDLE - 1, NO_HURDLE), k=3)
        edge = draw.choice((-16, -1, 0, 0.5, 1, 2, 16)) * scale.unit
        return Question(
            until=until,
            code=Above(low=edge - draw.choice((0, 15)) * step, step=step),
            scale=scale,
            task=Challenge(edge=edge, first=first, hurdles=(one, two, three)),
        )
    spread = draw.choice((LEAST_SPREAD, 0, MOST_SPREAD))
    return Question(
        until=until,
        code=Nearest(centre=0.5, step=step, divisor=draw.choice((1, 1000))),
        scale=scale,
        task=Edge(first=first, spread=spread),
    )


def told(bench: Bench, question: Question, rewards: tuple[int, ...]) -> tuple[str, int]:
    """What an agent says in the end, and after how many pulls."""
    bench.ask("0 new 16 0 65536 1000000")
    request = Request(run=0x01000001, arm=0, message=1, question=question)
    reply = bench.ask(f"0 hear {encode(request).hex()}")
    for place in range(question.until):
        if reply.kind != "quiet":
            break
        reply = bench.ask(f"0 give {rewards[place % len(rewards)]}")
    assert reply.kind != "quiet"  # it came to an end
    if reply.frame is None:
        return reply.kind, reply.count
    (report,) = decode(reply.frame)
    assert isinstance(report, Report)
    return str(report.symbol), reply.count


def is_rightly_beaten(question: Question, rewards: tuple[int, ...], pulls: int) -> bool:
    """By the exact test: a hurdle of 0 is passed by 10^-13, which the core's floats do not see."""
    scale, task = question.scale, question.task
    assert scale is not None
    assert isinstance(task, Challenge)
    fight = Fight(
        rewards=[Fraction(rewards[place % len(rewards)], 1 << 16) for place in range(pulls)],
        scale=scale,
        until=question.until,
        first=task.first,
        hurdles=task.hurdles,
    )
    return scale.bounded and is_beaten(fight, Fraction(task.edge))


def test_numbers_at_their_extremes_stop_no_agent_and_beat_none_that_should_be_kept(
    bench: Bench,
) -> None:
    draw, core, found = random.Random(9), PythonBench(), Counter[bool]()
    for _ in range(_QUESTIONS):
        question, rewards = extreme(draw), draw.choice(((0,), (65536,), (0, 65536), (32768,)))
        expected, count = told(core, question, rewards)
        said, pulls = told(bench, question, rewards)
        if isinstance(question.task, Challenge):
            found[said == "0"] += 1
            if said == "0":  # a device may be slower to give up; quicker only where that is right
                is_as_core = expected == "0" and pulls >= count
                assert is_as_core or is_rightly_beaten(question, rewards, pulls), question
    assert min(found[True], found[False]) > _QUESTIONS // 10
