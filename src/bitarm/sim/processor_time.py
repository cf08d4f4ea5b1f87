"""The processor time that a chunk takes, beside the bare random draws that it cannot do without."""

import time
from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.sim.environment import environment_of
from bitarm.sim.kernels.redraw import redraw
from bitarm.sim.sweep import ChunkResult, Sweep, engine_of, run_chunk
from bitarm.sim.tape import Tape

_EVERY = 4  # one trial in so many is drawn again: the others cost the same on average


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorTime:
    """Processor time that one chunk took, and what its random draws alone take."""

    seconds: float  # of its simulation, compiled beforehand
    draw_seconds: float  # of the draws alone that its tape needs


def measurable(sweep: Sweep) -> bool:
    """Whether there is a tape to draw again: one scheme keeps none, a sampler draws in Python."""
    return len(sweep.setups) > 1 and not environment_of(sweep.models).sampled


def measured_chunk(sweep: Sweep, index: int) -> tuple[ChunkResult, ProcessorTime]:
    """A chunk of a measurable sweep, bit for bit as `run_chunk` makes it, and what it took."""
    environment = environment_of(sweep.models)
    other = np.random.Generator(np.random.SFC64(index))
    warm = np.zeros((1, environment.p.size), dtype=np.int64)
    engine = engine_of(sweep)
    engine.run(other, 1)  # compiles what is not compiled yet
    redraw(
        other, environment.family, environment.p, environment.q, np.ones(1, np.int64), warm, warm, 1
    )
    drawing = 0.0
    watching = 0.0

    def draw_again(tape: Tape) -> None:
        nonlocal drawing, watching
        begin = time.process_time()
        redraw(
            other,
            environment.family,
            environment.p,
            environment.q,
            tape.grid,
            tape.filled,
            tape.dithered,
            _EVERY,
        )
        spent = time.process_time() - begin
        watching += spent
        drawing += spent * tape.trials / len(range(0, tape.trials, _EVERY))

    begin = time.process_time()
    chunk = run_chunk(sweep, index, draw_again, engine)
    seconds = time.process_time() - begin - watching
    return chunk, ProcessorTime(seconds=seconds, draw_seconds=drawing)
