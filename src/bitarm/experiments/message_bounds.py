"""What the messages of D-ICQ had to cost: how many there were, and what each says at least.

Under elimination on a fixed grid the law of message n is the same in every run, and only the
number of messages depends on the data: it is counted in trials of its own.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizer import Estimate
from bitarm.core.quantizers import Dicq
from bitarm.core.setup import Setup
from bitarm.experiments.results import ExperimentResult
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of
from bitarm.sim.models import RewardModel
from bitarm.sim.tape import empty_tape
from bitarm.theory import Innovation

_TRIALS = 512  # of a point, in which messages are counted
_FIRST = 1.0  # bits of a first message, which is not empty: more depends on where the means lie

Floor = Callable[[float], float | None]


def shortest_bits(result: ExperimentResult, series: str) -> Floor:
    """E[bits] if every message had the best prefix code that is fixed before it."""
    return _summed(result, series, Innovation.entropy)


def rate_bits(result: ExperimentResult, series: str) -> Floor:
    """E[bits] of any code that is as near in mean square, one arm's messages or many at once."""
    return _summed(result, series, Innovation.shannon_bits)


def message_counts(
    setup: Setup, models: tuple[RewardModel, ...], *, trials: int, seed: int
) -> tuple[float, ...]:
    """How many arms sent message 1, 2, … on average."""
    grid = union_grid([setup])
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    units = rng.random((trials, len(models)))
    tape = empty_tape(grid, trials=trials, messages=grid.size, units=units)
    Engine([setup], environment_of(models)).run_tape(tape, rng)
    longest = int(tape.filled.max())  # a cell is drawn for each message, and for nothing else
    return tuple(
        float(np.count_nonzero(tape.filled >= message) / trials)
        for message in range(1, longest + 1)
    )


def _summed(result: ExperimentResult, series: str, cost: Callable[[Innovation], float]) -> Floor:
    experiment = result.experiment
    offsets = experiment.instance.offsets

    def value(x: float) -> float | None:
        setup = result.points[series, x].setup
        quantizer = setup.spec.quantizer
        if not isinstance(quantizer, Dicq) or not isinstance(setup.policy, SuccessiveElimination):
            return None
        trials = -(-_TRIALS // len(offsets))
        total = 0.0
        for place, offset in enumerate(offsets):
            counts = _counted(setup, experiment.models(x, offset), trials, result.seed + place)
            total += counts[0] * _FIRST
            total += sum(
                count * cost(law)
                for count, law in zip(counts[1:], _laws(setup, len(counts)), strict=True)
            )
        return total / len(offsets)

    return value


@cache
def _counted(
    setup: Setup, models: tuple[RewardModel, ...], trials: int, seed: int
) -> tuple[float, ...]:
    return message_counts(setup, models, trials=trials, seed=seed)


def _laws(setup: Setup, messages: int) -> list[Innovation]:
    """The laws of messages 2 to `messages`."""
    spec, quantizer = setup.spec, setup.spec.quantizer
    assert isinstance(quantizer, Dicq)
    held, laws = spec.start(0), []
    for message in range(1, messages + 1):
        pulls = spec.schedule.pulls_at(message)
        assert pulls is not None  # it was sent
        step = spec.occasion(message, pulls)
        if held.pulls:
            laws.append(Innovation.of(quantizer, held, step))
        held = Estimate.after(step, mean=0.0, error=quantizer.error(held, step))
    return laws
