"""Writes tests/golden/agent.json: what an agent says to what it hears, for agents of any language.

    python scripts/make_agent_vectors.py

tests/devices/vectors.py says what the file holds. Answers are those of `bitarm.core.agent`.
"""

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from devices.benches import PythonBench
from devices.exact import least_edge
from devices.heard import NEAREST, ask, dismiss, rewards
from devices.refused_frames import refusals
from devices.runs import FRACTION, WORLDS, normal, run
from devices.test_exact import TICK, fights
from devices.vectors import PATH, VERSION, Case, Event, plain, play

from bitarm import wire
from bitarm.core.codes import Above, Nearest
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot, Task
from bitarm.core.messages import Cause, Report
from bitarm.core.question import Question

UNIT = Scale(bounded=True, low=0.0, unit=1.0)
SIGMA = Scale(bounded=False, low=0.0, unit=0.25)


# -- whole runs ------------------------------------------------------------------------------------


def runs() -> Iterator[Case]:
    """Every arm of some runs; of each one again, with power cuts."""
    for world in WORLDS:
        went = run(world, [PythonBench()] * len(world.means))
        for arm, heard in enumerate(went.heard):
            limits = {} if world.law is not normal else {"low": -(1 << 27), "high": 1 << 27}
            if world.low:
                limits = {
                    "low": round(world.low) << 16,
                    "high": round(world.low + world.span) << 16,
                }
            tape = world.tape(arm).read(0, went.counts[arm])
            name = f"{world.name}, arm {arm}"
            events = tuple(Event(hear=frame) for frame in heard)
            yield Case(name=name, events=events, rewards=tape, **limits)
            if arm == 1:
                draw = random.Random(name)
                cut = tuple(Event(hear=frame, cut_after=draw.randrange(9)) for frame in heard)
                yield Case(name=f"{name}, power cuts", events=cut, rewards=tape, **limits)


# -- words -----------------------------------------------------------------------------------------


def words() -> Iterator[Case]:
    """Nearest steps in Golomb's code, cells above a low, edges and spreads."""
    tape = rewards(1, 40)
    for scale, divisor in product((None, SIGMA, UNIT), (1, 2, 3, 5, 64)):
        events = tuple(
            ask(
                Question(
                    until=1 + number,
                    code=Nearest(centre=centre, step=step, divisor=divisor, escape=escape),
                    scale=scale,
                ),
                number,
            )
            for number, (centre, step, escape) in enumerate(
                product((0.0, 0.5, -3.0), (0.75, 2.0**-6, 5 * 2.0**-12), (3, 20)), start=1
            )
        )
        name = f"nearest, divisor {divisor}, scale {scale}"
        yield Case(name=name, events=events, rewards=tape)
    for scale in (SIGMA, UNIT):
        challenges = tuple(
            ask(
                Question(
                    until=number,
                    code=Above(low=0.25 - below * step, step=step),
                    scale=scale,
                    task=Challenge(edge=0.25, first=first, hurdles=(200, 255, 140)),
                ),
                number,
            )
            for number, (below, step, first) in enumerate(
                product((0, 3, 15), (0.5, 7 * 2.0**-6, 2.0**-12), (0, 2, 61)), start=1
            )
        )
        yield Case(name=f"above, scale {scale}", events=challenges, rewards=tape)
        if not scale.bounded:
            continue
        pilots = tuple(
            ask(Question(until=2 * number, code=NEAREST, scale=scale, task=Pilot()), number)
            for number in range(1, 6)
        )
        yield Case(name="pilots", events=pilots, rewards=tape)
        tasks: tuple[Task, ...] = (Pilot(), Edge(first=1, spread=-3))
        for name, reward in (("least", 0), ("largest", 1 << FRACTION)):
            many = tuple(
                ask(
                    Question(until=pulls, code=NEAREST, scale=scale, task=task),
                    number,
                )
                for number, (pulls, task) in enumerate(product((2, 5, 12, 40), tasks), start=1)
            )
            yield Case(name=f"every reward is the {name}", events=many, rewards=[reward] * 40)
        edges = tuple(
            ask(
                Question(
                    until=2 + number,
                    code=Nearest(centre=0.5, step=step, divisor=2),
                    scale=scale,
                    task=Edge(first=first, spread=spread),
                ),
                number,
            )
            for number, (step, first, spread) in enumerate(
                product((0.25, 0.03125), (0, 3, 7, 12, 61), (-6, 0, 2)), start=1
            )
        )
        yield Case(name="edges", events=edges, rewards=tape)
        skewed = tuple(
            ask(
                Question(
                    until=100 + number,
                    code=Nearest(centre=0.5, step=2.0**-7, divisor=8),
                    scale=scale,
                    task=Edge(first=first, spread=spread),
                ),
                number,
            )
            for number, (first, spread) in enumerate(product((0, 1, 2, 4), (-3, -1, 0, 1)), start=1)
        )
        for mean in (0.06, 0.94):  # of coins: there the cost depends on the side
            draw = random.Random(8)
            coins = [int(draw.random() < mean) << FRACTION for _ in range(150)]
            yield Case(name=f"edges, coins of {mean}", events=skewed, rewards=coins)
        level = [1 << 15] * 8  # every mean is 1/2, the lower end of a cell
        exact = Question(
            until=8,
            code=Nearest(centre=0.625, step=0.25, divisor=1),
            scale=scale,
            task=Edge(first=2, spread=0),
        )
        yield Case(name="a mean at an edge", events=(ask(exact),), rewards=level)


def reports() -> Iterator[Case]:
    """Answers with long frames: many bits, high numbers of messages and arms."""
    far = Question(until=2, code=Nearest(centre=0.0, step=2.0**-16, divisor=1))
    near = Question(until=3, code=NEAREST)
    tape = rewards(2, 4)
    yield Case(name="an answer of many bits", events=(ask(far),), rewards=tape)
    for number in (57, 58, 200, 1 << 40):
        event = ask(near, number)
        yield Case(name=f"the answer to question {number}", events=(event,), rewards=tape)
    for arm in (0, 127, 128, 65535, 65536, 2**63 - 1):
        yield Case(name=f"arm {arm}", events=(ask(near, arm=arm),), rewards=tape)


def long_answers() -> Iterator[Case]:
    """Answers that a link carries, and the same if it carries a bit less; and the next question."""
    near = Nearest(centre=0.0, step=2.0**-6, divisor=1)
    wide = Nearest(centre=4.0, step=0.25, divisor=1)
    fought = Challenge(edge=0.015625, first=2, hurdles=(200, 255, 200))
    for name, question in (
        ("nearest", Question(until=1, code=near)),
        ("pilot", Question(until=1, code=near, scale=UNIT, task=Pilot())),
        ("edge", Question(until=1, code=near, scale=UNIT, task=Edge(first=2, spread=2))),
        (
            "an edge with a spread",
            Question(until=1, code=wide, scale=UNIT, task=Edge(first=2, spread=-4)),
        ),
        ("above", Question(until=1, code=Above(low=0.0, step=2.0**-6), scale=UNIT, task=fought)),
    ):
        case = Case(name=f"{name}, as long as it is", events=(ask(question),), rewards=[60000] * 2)
        (whole,) = play(case, PythonBench())
        assert whole.say is not None
        (report,) = wire.decode(whole.say)
        assert isinstance(report, Report)
        again = ask(Question(until=2, code=NEAREST), 2)
        for bits in (report.symbol.nbits, report.symbol.nbits - 1):
            yield replace(
                case,
                name=f"{name}, {report.symbol.nbits} bits, {bits} are carried",
                events=(ask(question), ask(question), again),
                most_bits=bits,
            )


def limits() -> Iterator[Case]:
    """The least and the largest numbers that a question may have."""
    tape = rewards(7, 8)
    extremes = (
        Nearest(centre=(2.0**53 - 1) * 2.0**-48, step=2.0**-3, divisor=64),
        Nearest(centre=0.0, step=2.0**-8, divisor=3, escape=1),
        Nearest(centre=0.0, step=2.0**-8, divisor=1, escape=64),
        Nearest(centre=0.0, step=2.0**-8, divisor=1 << 40),
    )
    events = [ask(Question(until=1 + n, code=code), 1 + n) for n, code in enumerate(extremes)]
    yield Case(
        name="digits, escapes and divisors at their limits", events=tuple(events), rewards=tape
    )
    narrow = Question(
        until=8,
        code=Nearest(centre=0.5, step=2.0**-6, divisor=2),
        scale=UNIT,
        task=Edge(first=2, spread=-40),
    )
    yield Case(name="an edge with the least spread", events=(ask(narrow),), rewards=tape)
    for low, unit in ((0.0, 4.0), (0.25, 1.0)):
        scale = Scale(bounded=True, low=low, unit=unit)
        pilot = Question(until=6, code=NEAREST, scale=scale, task=Pilot())
        yield Case(
            name=f"bounds from {low} to {low + unit}", events=(ask(pilot),), rewards=[40000] * 6
        )


# -- evidence --------------------------------------------------------------------------------------

_HAIR, _NATS = Fraction(1, 10**6), Fraction(1, 5)
_HURDLES = ((127, 128, 255), (255, 191, 255), (192, 255, 255), (255, 255, 254), (0, 1, 255))


def evidence() -> Iterator[Case]:
    """Fights just below the edge where exact evidence decides them, and a fifth of a nat above."""
    for number, (fight, units) in enumerate(fights()):
        others = _HURDLES[number % len(_HURDLES)]
        for one in (fight, replace(fight, hurdles=others)):
            edge, nat = least_edge(one)
            for name, at in (("too little", edge - _HAIR * nat), ("enough", edge + _NATS * nat)):
                told = float(at // TICK * TICK)
                code = Above(low=told - 2.0**-10, step=2.0**-10)
                task = Challenge(edge=told, first=one.first, hurdles=one.hurdles)
                near = Nearest(centre=0.5, step=0.125, divisor=2)
                yield Case(
                    name=f"fight {number}, hurdles {one.hurdles}, {name}",
                    events=(
                        ask(Question(until=len(units), code=near, scale=one.scale)),
                        ask(Question(until=one.until, code=code, scale=one.scale, task=task), 2),
                    ),
                    rewards=[*units, *[_best(one.scale)] * (one.until - len(units))],
                    low=-10_000_000,
                    high=10_000_000,
                )


def _best(scale: Scale) -> int:
    """A reward that saves an arm which is not beaten yet."""
    highest = scale.low + scale.unit if scale.bounded else 8 * scale.unit
    return round(highest * (1 << FRACTION))


# -- the machine -----------------------------------------------------------------------------------


def machine() -> Iterator[Case]:
    """Repeats, late and lost requests, epochs, dismissals, positions."""
    tape = rewards(3, 300)
    two, five = Question(until=2, code=NEAREST), Question(until=5, code=NEAREST)
    other = Question(until=6, code=NEAREST)
    fight = Question(
        until=200,
        code=Above(low=0.5, step=0.0625),
        scale=UNIT,
        task=Challenge(edge=0.75, first=2, hurdles=(70, 60, 55)),
    )
    yield Case(
        name="repeats and late requests",
        events=(ask(two), ask(two), ask(five, 2), ask(two), ask(five, 2), ask(other, 2)),
        rewards=tape,
    )
    yield Case(name="requests that were lost", events=(ask(two, 4), ask(five, 9)), rewards=tape)
    yield Case(
        name="a later epoch",
        events=(ask(five, 3), ask(two, 1, epoch=2), ask(other, 2, epoch=2), ask(five, 3)),
        rewards=tape,
    )
    yield Case(
        name="epochs half a turn away",
        events=tuple(
            ask(Question(until=n, code=NEAREST), 1, epoch=epoch)
            for n, epoch in zip(count(1), (5, 132, 4, 133, 134, 6, 200, 5), strict=False)
        ),
        rewards=tape,
    )
    yield Case(
        name="dismissals",
        events=(
            ask(two),
            dismiss(Cause.DROPPED),
            ask(two),
            ask(five, 2),
            dismiss(),
            dismiss(Cause.DROPPED),
            ask(five, 1, epoch=2),
            dismiss(epoch=1),
            ask(other, 2, epoch=2),
        ),
        rewards=tape,
    )
    yield Case(name="a dismissal comes first", events=(dismiss(), ask(two)), rewards=tape)
    yield Case(
        name="positions",
        events=(ask(five), ask(two, 2), ask(two, 2), ask(other, 3)),
        rewards=tape,
    )
    for pulls in (127, 128, 300):
        yield Case(
            name=f"a position of {pulls} pulls",
            events=(ask(Question(until=pulls, code=NEAREST)), ask(two, 2)),
            rewards=tape,
        )
    for after in (0, 1, 7, 40):
        event = Event(hear=ask(fight).hear, cut_after=after)
        yield Case(name=f"a challenge, power cut after {after}", events=(event,), rewards=tape)
    low = rewards(4, 300, mean=0.3)
    yield Case(name="a challenge that is lost", events=(ask(fight), ask(fight)), rewards=low)
    sigma = Question(until=9, code=NEAREST, scale=SIGMA)
    unit = Question(until=9, code=NEAREST, scale=UNIT)
    yield Case(
        name="scales that do not fit",
        events=(ask(two), ask(unit, 2), ask(sigma, 2), ask(unit, 3)),
        rewards=tape,
    )
    yield Case(
        name="bets on another scale",
        events=(ask(unit), ask(sigma, 2), ask(Question(until=12, code=NEAREST), 2)),
        rewards=tape,
    )
    many = Question(until=50, code=NEAREST)
    yield Case(name="many pulls", events=(ask(many), ask(two)), rewards=tape, most_pulls=49)


def document() -> str:
    """The file's text."""
    cases = [
        plain(case, play(case, PythonBench()))
        for cases in (runs, words, reports, long_answers, limits, evidence, machine, refusals)
        for case in cases()
    ]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    return f'{{"version": {VERSION}, "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    PATH.write_text(document(), "utf-8")
