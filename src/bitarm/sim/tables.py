"""A scheme's numbers, message by message, computed once by the core and read by the kernels.

A quantizer's error does not depend on the data (its first law), and an arm visits every checkpoint
in turn. So pulls, radii and bins of message n are the same in every trial. Only elimination by
challenge leaps; its kernel computes steps as it goes.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.core.budget import has_phases
from bitarm.core.confidence import ArmView, Confidence, Stride, level_of
from bitarm.core.evidence.bets import STAKES
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.sub_gaussian import Leads
from bitarm.core.policies import ChallengeElimination
from bitarm.core.policies.lil_ucb_count import stop_ratio
from bitarm.core.policy import tolerance_of
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import BudgetedDicq, Dicq, Dyadic, FedSel, FedSelPaper, Icq, QuBan
from bitarm.core.quantizers.dyadic import EDGE_OF_BETS, FIRST_OF_BETS, dyadic
from bitarm.core.quantizers.fed_sel import cells
from bitarm.core.quantizers.icq import FIRST_MESSAGE
from bitarm.core.setup import Setup
from bitarm.sim.kernels import quantize
from bitarm.sim.kernels.arrays import (
    ChallengeArrays,
    Floats,
    Integers,
    PairArrays,
    SchemeArrays,
    challenge_rules,
)
from bitarm.sim.kernels.pairs import NO_PAIRS, pair_arrays
from bitarm.sim.twins import INDEXED, checkpoints

MOST_LEADS = 1 << 9
"""Checkpoints of elimination by challenge whose leads are kept, up to 10^7 pulls: 4 MB."""

_NO_LIMIT = np.iinfo(np.int64).max


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a kernel needs to know of a scheme; row n − 1 is message n.

    The columns are those of `SchemeArrays`, which says what each of them is.
    """

    policy: int | None  # of the indexed kernel; None for elimination
    first: int  # quantizer of message 1
    rest: int  # quantizer of the others
    pulls: Integers
    radius: Floats
    k0: Floats
    k1: Floats
    last: Floats
    nbits: Integers
    least: Integers
    limits: Integers
    epsilon: float
    ratio: float
    level: float
    keep: Integers
    pairs: PairArrays  # of widths that judge arms with different pulls; empty for the others
    challenge: ChallengeArrays | None  # of elimination by challenge only

    def arrays(self, *, start: Floats, cell_of: Integers, right: Integers) -> SchemeArrays:
        """The table as a kernel reads it, with what it depends on beside the scheme.

        `start` are the means before message 1; `cell_of` finds the checkpoints on a tape; `right`
        marks the arms that are right answers.
        """
        return SchemeArrays(
            start=start,
            pulls=self.pulls,
            cell_of=cell_of,
            first=self.first,
            rest=self.rest,
            radius=self.radius,
            k0=self.k0,
            k1=self.k1,
            last=self.last,
            nbits=self.nbits,
            least=self.least,
            limits=self.limits,
            policy=-1 if self.policy is None else self.policy,
            epsilon=self.epsilon,
            ratio=self.ratio,
            level=self.level,
            keep=self.keep,
            right=right,
        )


def _keep(setup: Setup) -> list[int]:
    """The arms that each message leaves: those of the next phase, one after the last."""
    if not has_phases(setup.policy):
        return []
    return [phase.arms for phase in setup.policy.phases(len(setup.spec.arms))[1:]] + [1]


def table_of(setup: Setup) -> Table:
    """The table of a scheme that has a twin."""
    spec, quantizer = setup.spec, setup.spec.quantizer
    grid = checkpoints(setup)
    rows, errors = [], []
    held = spec.start(0)
    confidence = spec.sampling.confidence(setup.policy.stride)
    if (
        setup.policy.stride is Stride.JUDGED
    ):  # its numbers are those of `challenge`, not of messages
        rows = [(0.0, 0.0, 0.0, 1, 0.0)] * len(grid)
    for message, pulls in enumerate(() if rows else grid, start=1):
        occasion = spec.occasion(message, pulls)
        bins = _bins(quantizer, held, occasion)
        # the mean never enters an error or a bin's width: 0 stands in for it
        held = Estimate.after(occasion, mean=0.0, error=quantizer.error(held, occasion))
        errors.append(held.error)
        radius = _radius(setup, confidence, held, occasion)
        rows.append((*bins, quantizer.least_bits(occasion), radius))
    k0, k1, last, least, radii = zip(*rows, strict=True)
    limits = (setup.limits.rounds, setup.limits.samples, setup.limits.bits)
    first, rest = _numbers_of(quantizer)
    return Table(
        policy=INDEXED.get(type(setup.policy)),
        first=first,
        rest=rest,
        pulls=np.array(grid, dtype=np.int64),
        radius=np.array(radii, dtype=np.float64),
        k0=np.array(k0, dtype=np.float64),
        k1=np.array(k1, dtype=np.float64),
        last=np.array(last, dtype=np.float64),
        nbits=np.array(least, dtype=np.int64),
        least=np.array(least, dtype=np.int64),
        limits=np.array(
            [_NO_LIMIT if limit is None else min(limit, _NO_LIMIT) for limit in limits],
            dtype=np.int64,
        ),
        epsilon=float(tolerance_of(setup.policy)),
        ratio=stop_ratio(len(spec.arms), spec.delta),
        level=level_of(len(spec.arms), spec.delta),
        keep=np.array(_keep(setup), dtype=np.int64),
        pairs=_pairs(setup, confidence, errors),
        challenge=_challenge(setup),
    )


def _pairs(setup: Setup, confidence: Confidence, errors: list[float]) -> PairArrays:
    if setup.policy.stride is Stride.TOGETHER or not isinstance(confidence, Leads):
        return NO_PAIRS
    return pair_arrays(np.array(errors), level=confidence.evidence.level, sigma=setup.spec.sigma)


def _challenge(setup: Setup) -> ChallengeArrays | None:
    policy, spec, quantizer = setup.policy, setup.spec, setup.spec.quantizer
    evidence = spec.sampling.confidence(policy.stride)
    if not (
        isinstance(policy, ChallengeElimination)
        and isinstance(quantizer, Dyadic)
        and isinstance(evidence, Evidence)
    ):
        return None
    wanted = policy.first_pulls(evidence)
    bounds, scale = spec.bounds, evidence.scale
    grid = np.array(checkpoints(setup), dtype=np.int64)
    tabled = 0 if scale.bounded else min(grid.size, MOST_LEADS)
    return ChallengeArrays(
        rules=challenge_rules(
            bounded=scale.bounded,
            level=evidence.level,
            low=scale.low,
            unit=scale.unit,
            widest=np.inf if bounds is None else dyadic((bounds[1] - bounds[0]) / 2),
            cap=policy.cap,
            patience=policy.patience,
            behind=policy.behind,
            aim=policy.aim,
            epsilon=policy.epsilon,
            checkpoint=spec.schedule.index_at(wanted - 1),  # counted from 0
            kappa=(
                quantizer.kappa_first * (FIRST_OF_BETS if scale.bounded else 1.0),
                quantizer.kappa_pilot,
                quantizer.kappa * (EDGE_OF_BETS if scale.bounded else 1.0),
                quantizer.kappa_cut,
                quantizer.kappa_place,
            ),
            rates=scale.rates,
            weights=evidence.log_weights,
        ),
        pulls=grid,
        stakes=np.array(STAKES),
        told_leads=np.full((tabled, tabled), np.nan),
        beaten_leads=np.full((tabled, tabled), np.nan),
        leads_of=np.full((tabled, 4), -1, dtype=np.int64),
    )


def _radius(setup: Setup, confidence: Confidence, held: Estimate, occasion: Occasion) -> float:
    """An arm's radius at this message; where arms advance together, half of their separation.

    Twice that half is the separation exactly. What one arm shows need not be half of it.
    """
    view = ArmView(
        arm=0,
        mean=held.mean,
        pulls=occasion.pulls,
        messages=occasion.message,
        index=occasion.index,
        error=held.error,
    )
    if setup.policy.stride is Stride.TOGETHER:
        return confidence.separation(view, view) / 2
    return confidence.radius(view)


def _numbers_of(quantizer: Quantizer) -> tuple[int, int]:
    """Numbers of the quantizers of message 1 and of the others, in `kernels/quantize.py`."""
    match quantizer:
        case Icq(prior="quban"):
            return quantize.QUBAN, quantize.ICQ
        case Icq():
            return quantize.ICQ, quantize.ICQ
        case BudgetedDicq():  # bins around the held mean, like ICQ's: only their width is another
            return quantize.ICQ, quantize.ICQ
        case QuBan():
            return quantize.QUBAN, quantize.QUBAN
        case FedSel() | FedSelPaper():
            return quantize.FED_SEL, quantize.FED_SEL
        case Dicq():
            return quantize.DICQ, quantize.DICQ
    return quantize.EXACT, quantize.EXACT


def _bins(quantizer: Quantizer, held: Estimate, occasion: Occasion) -> tuple[float, float, float]:
    """k0, k1 and the last bin's number, as `kernels/quantize.py` reads them."""
    match quantizer:
        case Icq(prior="quban") if occasion.message == 1:
            return FIRST_MESSAGE.step_size(occasion), 0.0, 0.0
        case Icq(bits=bits):
            centred = Estimate(mean=0.0, error=held.error, radius=held.radius)
            low, bin_width = quantizer.bins(centred, occasion)
            return -low, bin_width, float((1 << bits) - 1)
        case BudgetedDicq():
            centred = Estimate(mean=0.0, error=held.error, radius=held.radius)
            low, cell = quantizer.cells(centred, occasion)
            return -low, cell, float((1 << quantizer.least_bits(occasion)) - 1)
        case QuBan():
            return quantizer.step_size(occasion), 0.0, 0.0
        case Dicq():
            divisor = quantizer.divisor(held, occasion) if held.pulls else 0
            return quantizer.step_size(occasion), float(divisor), 0.0
        case FedSel() | FedSelPaper():
            assert occasion.bounds is not None  # the spec refused it otherwise
            return occasion.bounds[0], occasion.u_prime, float(cells(occasion) - 1)
    return 0.0, 0.0, 0.0
