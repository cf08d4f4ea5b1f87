"""An agent never concedes before the exact test would, however short its floats are."""

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from devices.benches import Bench, FileBench, Reply, process_bench
from devices.exact import Fight, is_certified, least_edge
from devices.runs import AT_ONCE
from devices.short_floats import Short, ShortBench

from bitarm import wire
from bitarm.core.bits import BitReader, Symbol
from bitarm.core.codes import Above, Nearest
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.edge import read_edge
from bitarm.core.evidence.tasks import Challenge, Edge
from bitarm.core.messages import Answer, Position, Report, Request
from bitarm.core.question import Question

FRACTION = 16
TICK = Fraction(1, 1 << 40)
"""Edges are told so finely: some 10^-10 nats."""
SCALES = (
    Scale(bounded=True, low=0.0, unit=1.0),
    Scale(bounded=True, low=-8.0, unit=24.0),
    Scale(bounded=False, low=0.0, unit=0.125),
)
COUNTS = (1, 7, 33, 64, 120)
"""All are looks."""


def fights() -> Iterator[tuple[Fight, list[int]]]:
    draw = random.Random(11)
    for scale in SCALES:
        for count in COUNTS:
            # Without bounds, some bets must rise with m and some fall: else nobody is ever beaten.
            first = draw.choice((0, 1, 3, 4, 6, 9) if scale.bounded else (3, 4, 6, 9))
            times = draw.choice((1, 1, 2, 5) if scale.bounded else (2, 3))
            mean = draw.uniform(0.1, 0.6)
            units = [_drawn(draw, scale, mean) for _ in range(count)]
            yield (
                Fight(
                    rewards=[Fraction(unit, 1 << FRACTION) for unit in units],
                    scale=scale,
                    until=count * times,
                    first=first,
                    hurdles=(draw.randint(5, 50), draw.choice((255, 20, 60)), 40),
                ),
                units,
            )


def _drawn(draw: random.Random, scale: Scale, mean: float) -> int:
    x = draw.betavariate(4 * mean, 4 * (1 - mean)) if scale.bounded else draw.gauss(mean, 1)
    return round((scale.low + scale.unit * x) * (1 << FRACTION))


def answer_of(bench: Bench, units: list[int], questions: tuple[Question, ...]) -> Answer | None:
    """What an arm with these rewards says at once to the last question."""
    bench.ask(f"0 new {FRACTION} -10000000 10000000 1000000")
    last: Reply | None = None
    for number, question in enumerate(questions, start=1):
        last = bench.ask(f"0 hear {frame(question, number)}")
        if number == 1:
            for start in range(0, len(units), AT_ONCE):
                given = " ".join(map(str, units[start : start + AT_ONCE]))
                last = bench.ask(f"0 give {given}")
    assert last is not None
    assert last.kind in ("say", "quiet")
    if last.frame is None:
        return None
    answer = wire.decode(last.frame)[0]
    assert isinstance(answer, Report | Position)
    return answer


def concedes(bench: Bench, fight: Fight, units: list[int], edge: Fraction) -> bool:
    """Whether an arm with these rewards says at once that a leader with this edge beats it."""
    near = Nearest(centre=0.5, step=0.125, divisor=2)
    first = Question(until=len(units), code=near, scale=fight.scale)
    step = 2.0**-10
    second = Question(
        until=fight.until,
        code=Above(low=float(edge) - step, step=step),
        scale=fight.scale,
        task=Challenge(edge=float(edge), first=fight.first, hurdles=fight.hurdles),
    )
    answer = answer_of(bench, units, (first, second))
    return isinstance(answer, Report) and answer.symbol == Symbol(0, 1)


def frame(question: Question, number: int) -> str:
    request = Request(run=run_field(1, 1), arm=0, message=number, question=question)
    return wire.encode(request).hex()


KINDS = ("file", "short floats", "c", "c with floats")
REACH = {
    "file": Fraction(1, 10**6),
    "c": Fraction(1, 10**6),
    "c with floats": Fraction(1, 20),
    "short floats": Fraction(1, 5),
}
"""How many nats more an agent may want until it concedes."""


@pytest.fixture(scope="module")
def thresholds() -> list[tuple[Fight, list[int], Fraction, Fraction]]:
    return [(fight, units, *least_edge(fight)) for fight, units in fights()]


@pytest.fixture
def agents(programs: dict[str, Path]) -> Iterator[dict[str, Bench]]:
    with (
        process_bench([str(programs["c"])]) as double,
        process_bench([str(programs["c with floats"])]) as single,
    ):
        yield {
            "file": FileBench(),
            "short floats": ShortBench(),
            "c": double,
            "c with floats": single,
        }


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_concedes_before_the_exact_test_would(
    kind: str,
    agents: dict[str, Bench],
    thresholds: list[tuple[Fight, list[int], Fraction, Fraction]],
) -> None:
    for fight, units, edge, nat in thresholds:
        below = edge // TICK * TICK
        assert not concedes(agents[kind], fight, units, below), fight
        above = -(-(edge + REACH[kind] * nat) // TICK) * TICK
        assert concedes(agents[kind], fight, units, above), fight


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_tells_an_edge_that_the_exact_evidence_does_not_certify(
    kind: str, agents: dict[str, Bench]
) -> None:
    for fight, units in fights():
        if not fight.scale.bounded:
            continue  # nothing is weighed: the mean is above the edge
        code = Nearest(centre=0.5, step=2.0**-16, divisor=64)
        task = Edge(first=fight.first, spread=-2)
        question = Question(until=len(units), code=code, scale=fight.scale, task=task)
        reply = answer_of(agents[kind], units, (question,))
        assert isinstance(reply, Report)
        middle, spread = read_edge(task, code, BitReader(reply.symbol))
        cell = (Fraction(middle), Fraction(code.step))
        assert is_certified(fight.rewards, fight.scale, fight.first, cell, spread), fight


def test_an_arm_that_pulls_on_past_its_leader_is_harder_to_beat() -> None:
    """So no challenge stands for longer than its leader has pulled."""
    coins = [Fraction(toss % 5 != 0) for toss in range(480)]  # four in five
    needed = [
        least_edge(
            Fight(
                rewards=coins[:pulls],
                scale=Scale(bounded=True, low=0.0, unit=1.0),
                until=400,
                first=3,
                hurdles=(64, 64, 64),
            )
        )[0]
        for pulls in (360, 400, 440, 480)
    ]
    assert needed[1] < needed[2] < 1 < needed[3], needed
    assert abs(needed[1] - needed[0]) < (needed[2] - needed[1]) / 5, needed


def test_short_floats_are_short() -> None:
    assert Short(1.0) + Short(2.0**-21) > 1.0
    assert Short(1.0) + Short(2.0**-22) == 1.0
    assert isinstance(Short(1.0) / 3, Short)
    assert isinstance(1 - Short(0.1), Short)
