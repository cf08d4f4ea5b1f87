"""Questions that a device cannot serve are refused, and leave it as it was."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from devices.benches import Bench, FileBench, PythonBench, process_bench

from bitarm import wire
from bitarm.core.codes import Above, Bins, Levels, Nearest, Raw
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot
from bitarm.core.messages import Report, Request
from bitarm.core.question import BEYOND, Question
from bitarm.wire.frames.envelope import seal

FIRST = Question(until=3, code=Nearest(centre=0.5, step=0.125, divisor=2))


def frame(question: Question, number: int, run: int = 1) -> str:
    return wire.encode(
        Request(run=run_field(run, 1), arm=0, message=number, question=question)
    ).hex()


def answered(bench: Bench, most_pulls: int = 1 << 30) -> bytes:
    """An agent that has answered its first question."""
    bench.ask(f"0 new 16 0 65536 {most_pulls}")
    assert bench.ask(f"0 hear {frame(FIRST, 1)}").wanted == 3
    reply = bench.ask("0 give 1000 2000 65536")
    assert reply.frame is not None
    return reply.frame


def require_refused(bench: Bench, question: Question, most_pulls: int = 1 << 30) -> None:
    said = answered(bench, most_pulls)
    reply = bench.ask(f"0 hear {frame(question, 2)}")
    assert (reply.kind, reply.frame, reply.wanted, reply.count) == ("refused", None, 0, 3)
    assert bench.ask(f"0 hear {frame(FIRST, 1)}").frame == said
    assert bench.ask("0 cut").frame == said


@pytest.fixture
def in_c(programs: dict[str, Path]) -> Iterator[Bench]:
    with process_bench([str(programs["c"])]) as bench:
        yield bench


def test_more_pulls_than_a_device_makes(bench: Bench) -> None:
    many = Question(until=104, code=Nearest(centre=0.5, step=0.125, divisor=2))
    require_refused(bench, many, most_pulls=100)
    answered(bench, 101)
    assert bench.ask(f"0 hear {frame(many, 2)}").wanted == 101


def test_bets_that_were_not_kept(bench: Bench) -> None:
    scale = Scale(bounded=True, low=0.0, unit=1.0)
    require_refused(bench, Question(until=9, code=FIRST.code, scale=scale))


def test_steps_that_short_floats_do_not_hold_on_their_scale(bench: Bench) -> None:
    fine = Nearest(centre=0.0, step=2.0**-70, divisor=2)
    question = Question(until=9, code=fine, scale=Scale(bounded=False, low=0.0, unit=1.0))
    if isinstance(bench, PythonBench):  # the core's floats are long
        answered(bench)
        assert bench.ask(f"0 hear {frame(question, 2)}").wanted == 6
    else:
        require_refused(bench, question)


def test_codes_that_only_other_schemes_use(bench: Bench) -> None:
    for code in (
        Bins(low=0.0, step=0.25, bins=4),
        Levels(step=0.25, centre=0, dither=0.5),
        Raw(),
    ):
        require_refused(bench, Question(until=9, code=code))


def test_frames_of_another_run_another_arm_and_many_arms(bench: Bench) -> None:
    said = answered(bench)
    more = Question(until=9, code=FIRST.code)
    requests = [Request(run=run_field(1, 1), arm=arm, message=2, question=more) for arm in (0, 1)]
    for strange in (
        frame(more, 2, run=2),
        wire.encode(requests[1]).hex(),
        wire.pack(requests).hex(),
    ):
        reply = bench.ask(f"0 hear {strange}")
        assert (reply.kind, reply.frame, reply.wanted, reply.count) == ("refused", None, 0, 3)
    assert bench.ask("0 cut").frame == said
    assert bench.ask(f"0 hear {frame(more, 2)}").wanted == 6


def test_a_frame_that_says_it_is_longer(bench: Bench) -> None:
    said = answered(bench)
    whole = bytes.fromhex(frame(Question(until=9, code=FIRST.code), 2))
    for more in (0x03, 0x41, 0x60):  # 256 bytes and more; parity stays
        longer = seal(whole[:2] + bytes((whole[2] ^ more,)) + whole[3:-2])
        reply = bench.ask(f"0 hear {longer.hex()}")
        assert (reply.frame, reply.wanted, reply.count) == (None, 0, 3)
        assert reply.kind in ("refused", "truncated")
    assert bench.ask("0 cut").frame == said


def test_steps_that_have_no_room_in_64_bits(in_c: Bench) -> None:
    for fine in (
        Nearest(centre=0.0, step=2.0**-60, divisor=2),
        Nearest(centre=0.0, step=2.0**-34, divisor=2),
        Nearest(centre=2.0**40, step=2.0**20 + 2.0**-30, divisor=2),
    ):
        require_refused(in_c, Question(until=9, code=fine))


def test_bounds_that_are_no_whole_numbers_of_a_devices_units(in_c: Bench) -> None:
    for scale in (
        Scale(bounded=True, low=0.0, unit=0.1),
        Scale(bounded=True, low=0.0, unit=1 + 2.0**-17),
        Scale(bounded=True, low=-(2.0**14), unit=1.0),
    ):
        question = Question(until=9, code=FIRST.code, scale=scale)
        in_c.ask("0 new 16 0 65536 1000")
        assert in_c.ask(f"0 hear {frame(question, 1)}").kind == "refused"
        python = FileBench()
        python.ask("0 new 16 0 65536 1000")
        assert python.ask(f"0 hear {frame(question, 1)}").wanted == 9


def test_rewards_outside_the_bounds_are_not_counted(bench: Bench) -> None:
    narrow = Question(until=5, code=FIRST.code, scale=Scale(bounded=True, low=0.25, unit=0.5))
    bench.ask("0 new 16 0 65536 1000")
    bench.ask(f"0 hear {frame(narrow, 1)}")
    assert bench.ask("0 give 16384 49152").count == 2
    for outside in (16383, 49153, -1, 65537):
        reply = bench.ask(f"0 give {outside}")
        assert (reply.kind, reply.wanted, reply.count) == ("reward", 3, 2)


def test_what_a_broken_sensor_says_is_not_counted(bench: Bench) -> None:
    """The least and the largest whole numbers, where bounds lie above and below 0."""
    for low in (-8.0, 8.0):
        bench.ask("0 new 16 -600000 2700000 1000")
        scale = Scale(bounded=True, low=low, unit=32.0)
        bench.ask(f"0 hear {frame(Question(until=5, code=FIRST.code, scale=scale), 1)}")
        for broken in (-(2**31), -(2**31) + 1, 2**31 - 1):
            assert bench.ask(f"0 give {broken}").kind == "reward"
        assert bench.ask(f"0 give {9 << 16}").count == 1


def test_the_longest_words(bench: Bench) -> None:
    """Of 2^33 steps up or down: 20 ones, and Elias' code of 69 bits."""
    question = Question(until=1, code=Nearest(centre=0.0, step=2.0**-6, divisor=1))
    for reward in (1 << 27, -(1 << 27)):
        frames = []
        for one in (bench, PythonBench()):
            one.ask(f"0 new 0 {-(1 << 27)} {1 << 27} 1000")
            one.ask(f"0 hear {frame(question, 1)}")
            frames.append(one.ask(f"0 give {reward}").frame)
        assert frames[0] is not None
        assert frames[0] == frames[1]


def test_answers_that_a_link_does_not_carry(bench: Bench) -> None:
    """They are a single 1, kept as every answer is; one bit less, and they are told."""
    near = Nearest(centre=0.0, step=2.0**-6, divisor=1)
    unit = Scale(bounded=True, low=0.0, unit=1.0)
    challenged = Challenge(edge=0.015625, first=2, hurdles=(200, 255, 200))
    for question in (
        Question(until=1, code=near),
        Question(until=1, code=near, scale=unit, task=Pilot()),
        Question(until=1, code=near, scale=unit, task=Edge(first=2, spread=2)),
        Question(until=1, code=Above(low=0.0, step=2.0**-6), scale=unit, task=challenged),
    ):
        whole = wire.decode(_answer(PythonBench(), question, "192"))[0]
        assert isinstance(whole, Report)
        for bits in (whole.symbol.nbits, whole.symbol.nbits - 1):
            said = _answer(bench, question, str(bits))
            assert said == _answer(PythonBench(), question, str(bits))
            assert bench.ask("0 cut").frame == said
        short = wire.decode(said)[0]
        assert isinstance(short, Report)
        assert short.symbol == BEYOND


def _answer(bench: Bench, question: Question, bits: str) -> bytes:
    bench.ask(f"0 new 16 0 65536 1000 {bits}")
    bench.ask(f"0 hear {frame(question, 1)}")
    said = bench.ask("0 give 60000").frame
    assert said is not None
    return said


def test_questions_of_all_sizes_never_break_an_agent(bench: Bench) -> None:
    """Lengths near every limit: answered or refused, and the next question is served."""
    draw = random.Random(3)
    steps = [2.0**power * draw.randint(1, 255) for power in range(-70, 70, 9)]
    for step, scale in itertools.product(
        steps, (None, Scale(bounded=False, low=0.0, unit=2.0 ** draw.randint(-60, 60)))
    ):
        centre = step * draw.randint(-1000, 1000) / 4
        code = Nearest(centre=centre, step=step, divisor=draw.randint(1, 9))
        answered(bench)
        reply = bench.ask(f"0 hear {frame(Question(until=5, code=code, scale=scale), 2)}")
        assert reply.kind in ("refused", "quiet")
        if reply.wanted:
            told = bench.ask("0 give 3000 60000")
            assert told.kind in ("say", "reward")
