"""`python -m tests.lorawan`: what runs take on a simulated LoRaWAN, as in docs/lorawan.md.

And what they take where answers may have so many bits and no more, and where arms begin later.
"""

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from core.test_beyond import run_in
from lorawan.region import EU868, US915, Region
from lorawan.server import Air
from lorawan.world import World, coins

from bitarm.api.simulate import setup_of
from bitarm.core.events import ReportAccepted
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
    _with_a_late_start()


def _with_a_late_start() -> None:
    """Simulated runs on the same instance, with the dismissals that `plan` counts."""
    print("| pulls before the first report | questions | downlinks | samples | wrong |")
    print("|---|---|---|---|---|")
    models = [Bernoulli(mean=mean) for mean in _MEANS]
    told = expected_dismissals(find_link(EU868.link), arms=len(models), is_judged=True)
    words = {"quantizer": "dyadic", "policy": "challenge", "bounds": (0, 1), "delta": 0.1}
    for start in (None, 50, 100, 200, 400, 800):
        setup = setup_of(models, words if start is None else {**words, "start": start})
        rng = np.random.Generator(np.random.SFC64(1))
        trials = Engine([setup], environment_of(models)).run(rng, _TRIALS)[0]
        questions, wrong = trials.messages.mean(), np.count_nonzero(trials.best_arm != 0)
        first = start or "the default"
        downlinks = f"{questions:.1f} | {questions + told:.1f}"
        print(f"| {first} | {downlinks} | {trials.samples.mean():,.0f} | {wrong} of {_TRIALS} |")


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
