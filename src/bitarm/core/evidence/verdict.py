"""What decides: whether the evidence for a pair of arms says that one is better than the other.

A challenged agent weighs its own rewards against the leader's lines (`is_beaten`):

    Σ_k Σ_j share_j·exp(λ_k·t·(edge − m) − hurdle_k + ln e⁻(m) at rung k − j)  ≥  1   for every m

A hurdle is L − ln w_k + cost_k·t, so evidence for the pair then is at least (K − 1)/δ. Where σ is
known, the learner can tell the same from two means alone (`told_enough`).
"""

import math

from bitarm.core.evidence.account import Account, Scale, cost
from bitarm.core.evidence.bets import DRIFT
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.least import Room, Row, reaches
from bitarm.core.evidence.tasks import (
    BAND,
    NO_HURDLE,
    ROUNDING,
    SHARES,
    Challenge,
    hurdle,
    hurdle_byte,
)

_HOPELESS = -math.log(BAND * len(SHARES)) - ROUNDING  # as many terms add up to less than 1
_NEGLIGIBLE = -60.0  # logarithm of a term that need not be added


def is_beaten(task: Challenge, leader_pulls: int, account: Account) -> bool:
    """Whether the pair's evidence says, for every mean in between, that the leader is better."""
    scale, lowest = account.scale, max(task.first + 1 - len(SHARES), 0)
    terms = BAND * len(SHARES)
    return weigh(
        scale.bounded,
        scale.inward(task.edge),
        scale.inward(account.mean),
        leader_pulls,
        account.pulls,
        task.first,
        task.hurdles,
        [account.below(rung) for rung in range(lowest, task.first + BAND)],
        scale.rates,
        [0.0] * terms,
        [0.0] * terms,
    )[0]


def weigh(
    bounded: bool,
    edge: float,
    mean: float,
    leader_pulls: int,
    pulls: int,
    first: int,
    hurdles: Row,
    below: Row,
    rates: Row,
    values: Room,
    slopes: Room,
) -> tuple[bool, int, float]:
    """`is_beaten` in numbers alone: the simulator compiles it.

    `below` is the arm's evidence from rung max(first − 3, 0) on; `values` and `slopes` are room.
    Returned are the answer, how many terms were put there, and, where they are not enough, a mean
    at which they are not.
    """
    lowest, count = max(first + 1 - len(SHARES), 0), 0
    low, high = (0.0, 1.0) if bounded else (-math.inf, math.inf)
    guess = min(max(0.6 * edge + 0.4 * mean, low), high)
    highest = -math.inf
    for place in range(BAND):
        if hurdles[place] == NO_HURDLE:
            continue
        winner = first + place
        gain = rates[winner] * leader_pulls
        base = gain * edge - hurdle(hurdles[place])
        for climb in range(len(SHARES)):
            loser = max(winner - climb, 0)
            loss = rates[loser] * pulls
            values[count] = SHARES[climb] + base + below[loser - lowest]
            if bounded:
                values[count] -= DRIFT * pulls * loss
            slopes[count] = loss - gain
            highest = max(highest, values[count] + slopes[count] * guess)
            count += 1
    if highest < _HOPELESS:
        return False, count, guess  # all together are below 1 there: most looks need no exp
    enough, where = reaches(values, slopes, count, 0.0, low, high, guess)
    return enough, count, where


def challenge(
    *,
    scale: Scale,
    edge: float,
    middle: float,
    spread: int,
    first: int,
    pulls: int,
    level: float,
    log_weights: Row,
) -> Challenge:
    """The challenge of a leader with this edge after so many pulls, at the level L.

    `middle` and `spread` are what the leader's costs were told by.
    """
    one, two, three = (
        challenge_byte(
            scale.bounded,
            level - log_weights[rung],
            scale.rates[rung],
            scale.inward(edge),
            scale.inward(middle),
            math.ldexp(1.0, spread),
            pulls,
        )
        for rung in range(first, first + BAND)
    )
    return Challenge(edge=edge, first=first, hurdles=(one, two, three))


def challenge_byte(
    bounded: bool,
    needed: float,
    rate: float,
    edge: float,
    middle: float,
    spread: float,
    pulls: int,
) -> int:
    """The hurdle of one rung: what is needed, what the leader's bettor lost, and a rounding as
    large as that of a mean in floats.
    """
    lost = pulls * cost(bounded, rate, middle, spread, pulls, 1.0)
    return hurdle_byte(needed + lost + ROUNDING * (lost + pulls * rate * (1.0 + abs(edge))))


def told_enough(
    lead: float,
    loser_pulls: int,
    winner_pulls: int,
    level: float,
    rates: Row,
    log_weights: Row,
    values: Room,
    slopes: Room,
) -> bool:
    """Whether a certain lead, in units of σ, is enough for evidence; the last two are room."""
    both = 1.0 / loser_pulls + 1.0 / winner_pulls
    if lead <= 0.0 or lead * lead < 2.0 * level * both:
        return False  # no law reaches the level with that
    count = 0
    for winner in range(RUNGS):
        gain = rates[winner] * winner_pulls
        for climb in range(len(SHARES)):
            rate = rates[max(winner - climb, 0)]
            loss = rate * loser_pulls
            value = (
                log_weights[winner]
                + SHARES[climb]
                + gain * (lead - rates[winner] / 2.0)
                - loss * rate / 2.0
            )
            if value > _NEGLIGIBLE:
                values[count] = value
                slopes[count] = loss - gain
                count += 1
    return reaches(values, slopes, count, level, -math.inf, math.inf, 0.4 * lead)[0]
