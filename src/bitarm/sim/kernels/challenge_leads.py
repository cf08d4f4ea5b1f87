"""Least leads: with σ known, whether evidence is enough is a question of the lead alone.

The lead is what an arm's mean is below the leader's edge, or a told cell below another, in units of
σ. For given counts of pulls evidence grows with it, so there is a least lead that is enough. It is
found once, by the core's own functions, and kept for all trials: a look becomes a comparison. What
is so near to the least lead that the two could disagree is weighed after all, so that answers are
those of the core, always.
"""

import math

from bitarm.core.evidence.tasks import BAND, SHARES
from bitarm.core.evidence.verdict import told_enough, weigh
from bitarm.sim.kernels.arrays import ChallengeArrays, Floats
from bitarm.sim.kernels.challenge_race import Race, Turn
from bitarm.sim.kernels.compilation import inlined, within

_NEAR = 1 - 2.0**-10  # of the least lead: beyond this share of it, an arm is weighed
_HOPELESS = 1e6  # units: a lead that is not enough then is taken never to be
_FAR = 2.0**20  # units from 0, from which on roundings could matter


@inlined
def is_told_enough(
    race: Race, lead: float, loser: int, winner: int, arrays: ChallengeArrays
) -> bool:
    """Whether told cells are enough, `told_enough`, at two checkpoints."""
    if lead <= 0.0:
        return False
    if max(loser, winner) < arrays.told_leads.shape[0]:
        least = arrays.told_leads[loser, winner]  # not a number: neither more nor less
        if lead >= least:
            return True
        if lead < least * _NEAR:
            return False
    return _is_told_enough_anew(race, lead, loser, winner, arrays)


@within
def _is_told_enough_anew(
    race: Race, lead: float, loser: int, winner: int, arrays: ChallengeArrays
) -> bool:
    """The same, where no least lead says so: none is kept yet, or it is too near."""
    if max(loser, winner) < arrays.told_leads.shape[0]:
        least = arrays.told_leads[loser, winner]
        if math.isnan(least):
            least = _least_told(race, loser, winner, arrays)
            arrays.told_leads[loser, winner] = least
        if lead >= least:
            return True
        if lead < least * _NEAR:
            return False
    return _told(race, lead, loser, winner, arrays)


@within
def _told(race: Race, lead: float, loser: int, winner: int, arrays: ChallengeArrays) -> bool:
    rules = arrays.rules
    return told_enough(
        lead,
        arrays.pulls[loser],
        arrays.pulls[winner],
        rules.level,
        rules.rates,
        rules.weights,
        race.terms[0],
        race.terms[1],
    )


@within
def _least_told(race: Race, loser: int, winner: int, arrays: ChallengeArrays) -> float:
    """A lead that is enough, though `_NEAR` of it is not."""
    least, enough = 0.0, 1.0
    while not _told(race, enough, loser, winner, arrays):
        least, enough = enough, 2.0 * enough
        if least > _HOPELESS:
            return math.inf
    while least < enough * _NEAR:
        lead = (least + enough) / 2.0
        if _told(race, lead, loser, winner, arrays):
            enough = lead
        else:
            least = lead
    return enough


@inlined
def are_kept(race: Race, arrays: ChallengeArrays, turn: Turn) -> bool:
    """Whether the row of the leader's checkpoint has the least leads of this challenge.

    Those of a leader's checkpoint are kept for one band of rungs and its hurdles, the first that
    occurs: with σ known they are nearly always the same.
    """
    leader = turn.checkpoint
    if leader >= arrays.leads_of.shape[0] or abs(turn.edge) >= _FAR * arrays.rules.unit:
        return False
    kept = arrays.leads_of[leader]
    if kept[0] < 0:
        kept[0] = turn.first
        for place in range(BAND):
            kept[1 + place] = race.hurdles[place]
    same = kept[0] == turn.first
    for place in range(BAND):
        same = same and kept[1 + place] == race.hurdles[place]
    return same


@within
def is_beaten_by_lead(
    race: Race,
    leads: Floats,
    edge: float,
    mean: float,
    at: int,
    arrays: ChallengeArrays,
    turn: Turn,
) -> bool:
    """Whether a challenged arm is beaten, `verdict.is_beaten`, where its lead alone does not say
    so; edge and mean are in units.
    """
    if at < leads.size:
        if math.isnan(leads[at]):
            leads[at] = _least_beaten(race, at, arrays, turn)
        if edge - mean < too_small(leads[at]):
            return False
        if edge - mean >= leads[at] / _NEAR:
            return True
    return _beaten(race, edge, mean, at, arrays, turn)


@inlined
def too_small(least: float) -> float:
    """A lead below which none is enough, surely; not a number if the least one is not known yet."""
    return least * _NEAR


@within
def _beaten(
    race: Race, edge: float, mean: float, at: int, arrays: ChallengeArrays, turn: Turn
) -> bool:
    rules = arrays.rules
    pulls, lowest = arrays.pulls[at], max(turn.first + 1 - len(SHARES), 0)
    for rung in range(lowest, turn.first + BAND):
        rate = rules.rates[rung]
        race.below[rung - lowest] = pulls * rate * (-mean - rate / 2)
    return weigh(
        False,
        edge,
        mean,
        arrays.pulls[turn.checkpoint],
        pulls,
        turn.first,
        race.hurdles,
        race.below,
        rules.rates,
        race.terms[0],
        race.terms[1],
    )[0]


@within
def _least_beaten(race: Race, at: int, arrays: ChallengeArrays, turn: Turn) -> float:
    """A lead with which an arm is beaten, though with `_NEAR` of it it is not."""
    least, enough = 0.0, 1.0
    while not _beaten(race, enough, 0.0, at, arrays, turn):
        least, enough = enough, 2.0 * enough
        if least > _HOPELESS:
            return math.inf
    while least < enough * _NEAR:
        lead = (least + enough) / 2.0
        if _beaten(race, lead, 0.0, at, arrays, turn):
            enough = lead
        else:
            least = lead
    return enough
