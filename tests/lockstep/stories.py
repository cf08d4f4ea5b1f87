"""What a trial says, told twice: by the machines' events and by a kernel's trace.

A story holds every symbol, decoded mean, drop and the ending. Two stories are compared with `==`:
there is no tolerance anywhere. A kernel makes no words: it puts down the number that a word says
and how long the word is, and here the codes' tables make the word of these. So a symbol of a
kernel's story owes nothing to the machines, nor to the mean beside it.
"""

import math
import struct
from dataclasses import dataclass

import numpy as np

from bitarm.core.bits import Symbol, concat
from bitarm.core.codes.above import ABOVE_ESCAPE
from bitarm.core.codes.prefix import ESCAPE, write_golomb, zigzag
from bitarm.core.events import ArmDropped, LearnerEvent, ReportAccepted
from bitarm.core.outcome import Outcome
from bitarm.core.quantizers.dicq import FIRST_ESCAPE
from bitarm.core.quantizers.dyadic import NEAR_ESCAPE
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine, Trace
from bitarm.sim.environment import Environment
from bitarm.sim.kernels import quantize
from bitarm.sim.machines import run_trial
from bitarm.sim.tables import Table
from bitarm.sim.tape import Tape
from bitarm.sim.trials import OUTCOMES, Trials


@dataclass(frozen=True, kw_only=True)
class Story:
    """Everything that two runs of one trial must agree on."""

    reports: dict[tuple[int, int], tuple[float, Symbol]]  # (arm, message): mean, symbol
    drops: dict[int, int]  # arm: round
    outcome: Outcome
    best_arm: int | None
    rounds: int
    samples: int
    payload_bits: int
    messages: int


# -- by the machines ------------------------------------------------------------------------------


def told_by_machines(
    one: Setup, tape: Tape, environment: Environment, rng: np.random.Generator
) -> list[Story]:
    """Every trial through a learner and its agents."""
    stories = []
    for trial in range(tape.trials):
        events: list[LearnerEvent] = []
        learner, pulls = run_trial(one, tape, environment, rng, trial, events.extend)
        ending = learner.ending
        assert ending is not None
        accepted = [event for event in events if isinstance(event, ReportAccepted)]
        stories.append(
            Story(
                reports={
                    (report.arm, report.message): (report.mean, report.symbol)
                    for report in accepted
                },
                drops={event.arm: event.round for event in events if isinstance(event, ArmDropped)},
                outcome=ending.outcome,
                best_arm=ending.best_arm,
                rounds=ending.rounds,
                samples=pulls,
                payload_bits=ending.payload_bits,
                messages=len(accepted),
            )
        )
    return stories


# -- by the kernels -------------------------------------------------------------------------------


def told_by_kernels(engine: Engine, tape: Tape, rng: np.random.Generator) -> list[list[Story]]:
    """Every trial of every scheme through its kernel."""
    stories = []
    for table, (trials, trace) in zip(engine._tables, engine.run_tape(tape, rng), strict=True):
        assert table is not None  # or run_tape would have refused
        stories.append([_traced(table, tape, trials, trace, trial) for trial in range(tape.trials)])
    return stories


def _traced(table: Table, tape: Tape, trials: Trials, trace: Trace, trial: int) -> Story:
    best_arm = int(trials.best_arm[trial])
    return Story(
        reports={
            (arm, message): report
            for arm in range(tape.arms)
            for message, report in _reports(table, trace, trial, arm)
        },
        drops={arm: int(n) for arm, n in enumerate(trace.dropped[trial].tolist()) if n},
        outcome=OUTCOMES[int(trials.outcome[trial])],
        best_arm=None if best_arm < 0 else best_arm,
        rounds=int(trials.rounds[trial]),
        samples=int(trials.samples[trial]),
        payload_bits=int(trials.payload_bits[trial]),
        messages=int(trials.messages[trial]),
    )


def _reports(
    table: Table, trace: Trace, trial: int, arm: int
) -> list[tuple[int, tuple[float, Symbol]]]:
    """Means as the kernel put them down, and the words for its numbers."""
    reports = []
    for n, mean in enumerate(trace.mean[trial, :, arm].tolist()):
        if math.isnan(mean):
            break
        number, nbits = float(trace.number[trial, n, arm]), int(trace.nbits[trial, n, arm])
        if table.challenge is not None:
            word = _judged_word(number, float(trace.divisor[trial, n, arm]), n)
            assert word.nbits == nbits
        else:
            word = _word(table, n, number, nbits)
        reports.append((n + 1, (mean, word)))
    assert np.all(np.isnan(trace.mean[trial, len(reports) :, arm]))
    return reports


def _word(table: Table, n: int, number: float, nbits: int) -> Symbol:
    """The word of `nbits` bits that says `number` in an arm's message n, counted from 0."""
    match table.rest if n else table.first:
        case quantize.EXACT:
            return Symbol(int.from_bytes(struct.pack(">d", number)), nbits)
        case quantize.QUBAN:
            return _quban_word(int(number), nbits)
        case quantize.DICQ:
            word = _dicq_word(int(number), int(table.k1[n]))
            assert word.nbits == nbits
            return word
    return Symbol(int(number), nbits)  # of bins


def _judged_word(number: float, detail: float, n: int) -> Symbol:
    """Of elimination by challenge: what `kernels/challenge.py` says of message n, from 0."""
    if math.isnan(number):
        return Symbol(0, 1)  # it gave up
    if detail < 0:
        return concat(Symbol(1, 1), write_golomb(int(number), 1, ABOVE_ESCAPE))
    told, divisor = divmod(int(detail), 1024)
    first = FIRST_ESCAPE if told else NEAR_ESCAPE  # only a pilot tells its spread at once
    word = write_golomb(zigzag(int(number)), divisor, ESCAPE if n else first)
    if not told:
        return word
    spread = told - 64
    if n == 0:  # a pilot: so many quarterings
        return concat(word, Symbol((1 << 1 - spread // 2) - 2, 1 - spread // 2))
    return concat(write_golomb(spread, 1), word)  # an edge: by how much the spread has grown


def _quban_word(level: int, nbits: int) -> Symbol:
    """QuBan's codeword of `nbits` bits for a level, from the table in the notes on the paper."""
    if nbits == 3:
        return Symbol(level + 2, 3)
    escape, beyond = (0b111, level - 4) if level >= 4 else (0b110, -3 - level)
    if nbits == 4:
        assert beyond == 0
        return Symbol(escape << 1, 4)
    index = {6: 1, 7: 2}.get(nbits, (nbits - 3) // 2)
    low = 0 if index == 1 else 1 << (index - 2)
    return concat(
        Symbol(escape << 1 | 1, 4), Symbol(1, index), Symbol(beyond - low, nbits - 4 - index)
    )


def _dicq_word(steps: int, divisor: int) -> Symbol:
    """D-ICQ's codeword; divisor 0 is the code of the first message."""
    if divisor == 0:
        return write_golomb(zigzag(steps), 1, FIRST_ESCAPE)
    return write_golomb(zigzag(steps), divisor)
