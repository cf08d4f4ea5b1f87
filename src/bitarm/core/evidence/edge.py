"""The edge of a leader: the highest mean that its evidence certifies, found and told in a few bits.

Evidence at a rung is a line in m with the slope −λt. At three neighbouring rungs k the line
λ_k·t·(edge − m) − cost_k·t lies below it, where cost_k is a formula of the edge and of the spread
(`account.cost`). So one number and the spread tell three lines; what they are rounded by only ever
weakens them.
"""

import math

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes.nearest import Nearest
from bitarm.core.codes.prefix import read_golomb, write_golomb
from bitarm.core.evidence.account import Account, cost
from bitarm.core.evidence.bets import DRIFT
from bitarm.core.evidence.least import Row
from bitarm.core.evidence.spread import MOST_SPREAD, grown_spread
from bitarm.core.evidence.tasks import BAND, ROUNDING, Edge
from bitarm.errors import PeerProtocolError

_PATIENCE = 8  # steps down, after which strides double
_LOWEST = -(2**36)  # steps from a centre, further than any code reaches


def write_edge(task: Edge, code: Nearest, account: Account, most_bits: int | None = None) -> Symbol:
    """A leader's answer: how much the spread has grown, and the highest edge certified with it.

    Where that takes more than `most_bits`, the spread grows by less: the edge is then lower, and as
    certain.
    """
    scale, rungs = account.scale, slice(task.first, task.first + BAND)
    rates = scale.rates[rungs]
    evidence = tuple(account.above(rung) for rung in range(task.first, task.first + BAND))
    mean, pulls = scale.inward(account.mean), account.pulls
    spread = grown_spread(task.spread, mean, pulls, rates[1], evidence[1])
    while True:
        steps = certified(
            code.steps_to(account.mean),
            code.centre,
            code.step,
            spread,
            pulls,
            scale.low,
            scale.unit,
            rates,
            evidence,
        )
        symbol = concat(write_golomb(spread - task.spread, 1), code.write_steps(steps))
        if most_bits is None or symbol.nbits <= most_bits or spread == task.spread:
            return symbol
        spread -= 1


def read_edge(task: Edge, code: Nearest, reader: BitReader) -> tuple[float, int]:
    """The middle of the cell whose lower end is the edge, and the spread's exponent."""
    spread = task.spread + read_golomb(reader, 1)
    if spread > MOST_SPREAD:
        raise PeerProtocolError(f"symbol tells a spread of 2^{spread}, which no agent tells")
    return code.read_from(reader), spread


def certified(
    steps: int,
    centre: float,
    step: float,
    spread: int,
    pulls: int,
    low: float,
    unit: float,
    rates: Row,
    evidence: Row,
) -> int:
    """Steps from the centre to the highest cell, at or below `steps`, at which evidence lies above
    the lines that its lower end and the spread stand for; out of every code's reach if none within
    it is.

    `rates` and `evidence` are those of three rungs, the latter as `Account.above` has it. Of
    numbers alone, since the simulator compiles this very function.
    """
    tries, factor = 0, math.ldexp(1.0, spread)
    while True:
        middle = centre + steps * step
        edge = (middle - step / 2.0 - low) / unit
        holds = True
        for place in range(BAND):
            rate = rates[place]
            lost = cost(True, rate, (middle - low) / unit, factor, pulls, 1.0)
            told = pulls * (rate * edge - lost)
            rounded = (ROUNDING + DRIFT * pulls) * (pulls * rate)
            if evidence[place] < told + ROUNDING * abs(told) + rounded:
                holds = False
        if holds or steps < _LOWEST:
            return steps
        steps -= 1 << tries // _PATIENCE
        tries += 1
