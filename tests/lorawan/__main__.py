"""`python -m tests.lorawan`: what runs take on a simulated LoRaWAN, as in docs/lorawan.md.

And what they take where answers may have so many bits and no more, and where few questions are
asked.
"""

import logging
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from core.test_beyond import run_in
from lorawan.region import EU868, US915, Region
from lorawan.server import Air
from lorawan.world import Course, World, coins

from bitarm.api.simulate import setup_of
from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.evidence.tasks import Challenge, Edge, Task
from bitarm.core.result import result_of
from bitarm.core.standings import Standings
from bitarm.links.dismissals import expected_dismissals
from bitarm.links.profiles import find_link
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Bernoulli

_MEANS = (0.95, 0.9, 0.88, 0.85, 0.8)
_RUNS = 20
_INSTANCES = 100
_TRIALS = 1000

_QUESTIONS = ("first words", "edges", "places", "challenges, unbeaten", "challenges, beaten")
_PLAN = {
    "start": 783,
    "cap": 1.5,
    "patience": 0.8,
    "aim": 0.85,
    "kappa": 0.15,
    "kappa_first": 1.6,
    "kappa_cut": 4.0,
}
"""What `bitarm plan` of docs/lorawan.md finds for this instance."""
_WORDS: dict[str, dict[str, float]] = {
    "the default": {},
    **{f"`--start {start}`": {"start": start} for start in (50, 100, 200, 400, 800)},
    "the plan": _PLAN,
}

_ROWS: list[tuple[str, Region, Air, bool, float]] = [
    ("EU868, nothing lost", EU868, Air(), True, 0.05),
    ("the same, the learner takes 5 s", EU868, Air(), True, 5.0),
    ("one frame in ten lost", EU868, Air(lost_up=0.1, lost_down=0.1), True, 0.05),
    ("three in ten", EU868, Air(lost_up=0.3, lost_down=0.3), True, 0.05),
    ("the same, who waits sends empty frames", EU868, Air(lost_up=0.3, lost_down=0.3), False, 0.05),
    (
        "three in ten, two events in ten, two in ten twice",
        EU868,
        Air(lost_up=0.3, lost_down=0.3, lost_events=0.2, repeated_events=0.2),
        True,
        0.05,
    ),
    ("US915, nothing lost", US915, Air(), True, 0.05),
    ("US915, three in ten", US915, Air(lost_up=0.3, lost_down=0.3), True, 0.05),
]


def main() -> None:
    """Averages of some runs a row."""
    logging.disable(logging.WARNING)
    _on_the_air()
    _in_few_bits()
    _with_few_downlinks()


def _with_few_downlinks() -> None:
    """Simulated runs on the same instance, with the dismissals that `plan` counts; and what devices
    heard, and how long it took, where runs of those words went over the air.
    """
    print("| words | questions | downlinks | a device | samples | wrong ", end="")
    print("| on the air: downlinks | most of a device | days |")
    print("|---|---|---|---|---|---|---|---|---|")
    models = [Bernoulli(mean=mean) for mean in _MEANS]
    told = expected_dismissals(find_link(EU868.link), arms=len(models), is_judged=True)
    default = {"quantizer": "dyadic", "policy": "challenge", "bounds": (0, 1), "delta": 0.1}
    kinds: list[tuple[str, Counter[str]]] = []
    for name, words in _WORDS.items():
        setup = setup_of(models, {**default, **words})
        rng = np.random.Generator(np.random.SFC64(1))
        trials = Engine([setup], environment_of(models)).run(rng, _TRIALS)[0]
        questions, wrong = trials.messages.mean(), np.count_nonzero(trials.best_arm != 0)
        downlinks = questions + told
        courses = _courses(words)
        kinds.append((name, sum(map(_asked, courses), Counter[str]())))
        print(
            f"| {name} | {questions:.1f} | {downlinks:.1f} | {downlinks / len(models):.1f} "
            f"| {trials.samples.mean():,.0f} | {wrong} of {_TRIALS} "
            f"| {sum(course.server.downlinks for course in courses) / _RUNS:.1f} "
            f"| {max(device.heard for course in courses for device in course.devices)} "
            f"| {sum(course.days for course in courses) / _RUNS:.1f} |",
            flush=True,
        )
    print(f"| words | {' | '.join(_QUESTIONS)} |")
    print(f"|---|{'---|' * len(_QUESTIONS)}")
    for name, asked in kinds:
        print(f"| {name} | {' | '.join(f'{asked[kind] / _RUNS:.1f}' for kind in _QUESTIONS)} |")


def _courses(words: Mapping[str, float]) -> list[Course]:
    """Runs over the air, nothing lost; all of them name the best arm."""
    scheme = "[scheme]\n" + "".join(f"{name} = {value}\n" for name, value in words.items())
    problem = coins(_MEANS, EU868, network=scheme)
    courses = [World(problem, EU868, seed=seed).run() for seed in range(_RUNS)]
    assert all(course.result.best_arm == 0 for course in courses)
    return courses


def _asked(course: Course) -> Counter[str]:
    """How many questions of each kind were answered."""
    tasks: dict[int, Task | None] = {}
    found, heard = Counter[str](), set[int]()
    for event in (entry.event for entry in course.journal.read(1)):
        if isinstance(event, RoundOpened):
            tasks.update((request.arm, request.question.task) for request in event.requests)
        if isinstance(event, ReportAccepted):
            found[_kind(event, tasks[event.arm], is_first=event.arm not in heard)] += 1
            heard.add(event.arm)
    return found


def _kind(event: ReportAccepted, task: Task | None, *, is_first: bool) -> str:
    if is_first:
        return "first words"
    if isinstance(task, Challenge):
        return "challenges, unbeaten" if event.beaten_by is None else "challenges, beaten"
    return "edges" if isinstance(task, Edge) else "places"


def _in_few_bits() -> None:
    print("| bits of an answer, at most | longest | answers | beyond | samples | right |")
    print("|---|---|---|---|---|---|")
    for most_bits in (None, 16, 8, 5):
        longest = answers = beyond = samples = right = 0
        for seed in range(_INSTANCES):
            events, end, most, missed = run_in(most_bits, seed, "challenge")
            longest, beyond = max(longest, most), beyond + missed
            answers += sum(isinstance(event, ReportAccepted) for event in events)
            samples += result_of(Standings.of(events)).samples
            right += end.best_arm == 0
        limit = "no limit" if most_bits is None else most_bits
        figures = f"{longest} | {answers} | {beyond} | {samples:,}"
        print(f"| {limit} | {figures} | {right} of {_INSTANCES} |", flush=True)


def _on_the_air() -> None:
    print("| | reports | uplinks | downlinks | air time up, s | days | right |")
    print("|---|---|---|---|---|---|---|")
    for name, region, air, repeats, latency in _ROWS:
        totals = [0.0] * 6
        for seed in range(_RUNS):
            world = World(
                coins(_MEANS, region), region, seed=seed, air=air, repeats=repeats, latency=latency
            )
            course = world.run()
            events = (entry.event for entry in course.journal.read(1))
            sizes = [size for device in course.devices for size in device.uplinks]
            figures = (
                sum(isinstance(event, ReportAccepted) for event in events),
                len(sizes),
                course.server.downlinks,
                sum(map(region.up_seconds, sizes)),
                course.days,
                course.result.best_arm == 0,
            )
            totals = [total + figure for total, figure in zip(totals, figures, strict=True)]
        shown = [f"{total / _RUNS:.1f}" for total in totals[:-1]]
        print(f"| {name} | {' | '.join(shown)} | {totals[-1]:.0f} of {_RUNS} |", flush=True)


if __name__ == "__main__":
    main()
