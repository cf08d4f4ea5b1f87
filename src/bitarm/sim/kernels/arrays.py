"""What a kernel is given and what it fills in: a few named tuples of arrays.

The one place that says which arrays there are and what their axes mean. Arrays have float64 or
int64 entries and are contiguous: a kernel is compiled for that, once. An axis is named after what
it counts: trial (of a block), arm, cell (of the tape's grid), message (of one arm, from 0) or
checkpoint (of the schedule, from 0).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bitarm.core.evidence.ladder import RUNGS

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

GAUSSIAN, BERNOULLI, POISSON, EXPONENTIAL, BETA, SAMPLED = range(6)
"""Reward families by number: what a kernel knows of a model beside its two parameters.

SAMPLED is a user's own sampler: its sums are drawn by Python, outside the kernels.
"""


class EnvironmentArrays(NamedTuple):
    """What rewards are drawn from."""

    family: Integers  # [arm] a reward family, see above
    p: Floats  # [arm] the family's first parameter
    q: Floats  # [arm] its second
    cell_mean: Floats  # [cell, arm] mean of a cell's sum; one row of no meaning unless all are
    cell_sd: Floats  # [cell, arm] Gaussian; and the sum's deviation, under the same condition
    sampled: bool  # whether Python draws them, by a user's own sampler; kernels must not


class TapeArrays(NamedTuple):
    """A block's sums and dithers, see `sim/tape.py`.

    With one scheme nothing is read twice, so nothing is kept: then only `grid` has a meaning, and
    the others are of one trial that nobody looks at.
    """

    grid: Integers  # [cell] pulls at the cell's end, strictly increasing
    cells: Floats  # [trial, cell, arm] sums of rewards
    filled: Integers  # [trial, arm] how many cells are drawn
    wanted: Integers  # [trial, arm] how many cells a starved trial needs
    dithers: Floats  # [trial, message, arm] in [0, 1)
    dithered: Integers  # [trial, arm] how many dithers are drawn


class SchemeArrays(NamedTuple):
    """A scheme's numbers, the same in every trial, see `sim/tables.py`.

    Where an arm visits every checkpoint in turn, message n is at checkpoint n.
    """

    start: Floats  # [trial, arm] the mean held before message 1; or one row for all trials
    pulls: Integers  # [checkpoint] t
    cell_of: Integers  # [checkpoint] the cell that ends there
    first: int  # the quantizer of message 1, one of those that `kernels/quantize.py` numbers
    rest: int  # that of the others
    radius: Floats  # [message] U; where arms advance together, half of what separates two arms
    k0: Floats  # [message] first constant of the quantizer, see `kernels/quantize.py`
    k1: Floats  # [message] its second
    last: Floats  # [message] number of the last bin
    nbits: Integers  # [message] length of a word, where all have the same
    least: Integers  # [message] length of the shortest word
    limits: Integers  # [3] most rounds, samples and bits
    policy: int  # one of those that `kernels/indexed.py` numbers; −1 for any other
    epsilon: float  # ε, the tolerance
    ratio: float  # λ of lil-ucb-count
    level: float  # ln((K − 1)/δ), by which top-two weighs leads
    keep: Integers  # [message] arms that it leaves in the race, where a budget decides; else empty
    right: Integers  # [arm] 1 where it is a right answer, for the score alone


class PairArrays(NamedTuple):
    """What separates two arms with different pulls, where a width judges pairs; else empty.

    `margin` is filled in by the kernels, by the core's own function, when it is first asked for.
    """

    margin: Floats  # [loser's message, winner's message] the lead in μ̂; not a number until needed
    error: Floats  # [message] the quantizer's
    rates: Floats  # [rung] constants of `core/evidence/sub_gaussian.py`
    weights: Floats
    shares: Floats
    room: Floats  # [3, pair of rungs] to compute a margin in
    level: float  # what evidence must reach
    sigma: float


class ChallengeRules(Protocol):
    """Numbers of elimination by challenge, the same in every trial: a record."""

    bounded: bool  # whether rewards are bet on; else σ is known
    level: float  # L
    low: float  # where units are counted from
    unit: float
    widest: float  # the widest step, infinite without bounds
    cap: float  # parameters of the policy
    patience: float
    behind: float
    aim: float
    epsilon: float
    checkpoint: int  # of the first words
    kappa: Floats  # [what is asked for] κ, see `kernels/challenge_race.py`
    rates: Floats  # [rung] λ, per unit
    weights: Floats  # [rung] logarithm of a winner's weight


_RULES = np.dtype(
    [
        *(
            (name, np.float64)
            for name in (
                "level", "low", "unit", "widest", "cap", "patience", "behind", "aim", "epsilon",
            )
        ),
        ("checkpoint", np.int64),
        ("kappa", np.float64, (5,)),
        ("rates", np.float64, (RUNGS,)),
        ("weights", np.float64, (RUNGS,)),
        ("bounded", np.bool_),
    ],
    align=True,
)  # fmt: skip


def challenge_rules(**numbers: Any) -> ChallengeRules:
    """The record of these numbers: all of them, by name."""
    assert set(_RULES.names or ()) == set(numbers)
    record = np.zeros(1, _RULES)
    for name, value in numbers.items():
        record[name] = value
    rules: ChallengeRules = record[0]
    return rules


class ChallengeArrays(NamedTuple):
    """What elimination by challenge needs beside."""

    rules: ChallengeRules
    pulls: Integers  # [checkpoint] t
    stakes: Floats  # [rung] λ of bettors
    told_leads: Floats  # [loser's checkpoint, winner's] see `kernels/challenge_leads.py`; σ known
    beaten_leads: Floats  # [leader's checkpoint, loser's] the same of a challenge
    leads_of: Integers  # [leader's checkpoint, 4] the first rung and the hurdles that these are of


class OutputArrays(NamedTuple):
    """What a kernel fills in; the trace is empty unless it is asked for."""

    table: Integers  # [trial, column] see `kernels/status.py`
    mean: Floats  # [trial, message, arm] trace: decoded means
    nbits: Integers  # [trial, message, arm] trace: lengths of words
    number: Floats  # [trial, message, arm] trace: what the word says, see `Trace`
    divisor: Floats  # [trial, message, arm] trace: Golomb's, where no table has it
    dropped: Integers  # [trial, arm] trace: the round in which the arm fell, 0 if it did not
