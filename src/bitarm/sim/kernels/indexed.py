"""Policies that advance one or two arms a round: twins of lucb, top-two, lil-ucb, lil-ucb-count.

The arms with the highest mean and the highest index are found in tournament trees, so that a round
costs O(log K) however many arms there are. Where a width judges pairs, the strongest challenger
may fall before others do; then, and in every round of top-two, it is O(K).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from bitarm.core.policies.lil_ucb import BETA
from bitarm.core.policies.top_two import transport_cost
from bitarm.sim.kernels.arrays import (
    EnvironmentArrays,
    Floats,
    Integers,
    OutputArrays,
    PairArrays,
    SchemeArrays,
    TapeArrays,
)
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, kernel
from bitarm.sim.kernels.pairs import separation
from bitarm.sim.kernels.report import add_cells, encode_and_decode, starves
from bitarm.sim.kernels.status import (
    BEST,
    BITS,
    DECIDED,
    MESSAGES,
    OUTCOME,
    ROUNDS,
    RUNNING,
    SAMPLE_LIMIT,
    SAMPLES,
    STARVED,
    TOO_FAR,
    limit_passed,
)

LUCB, LIL_UCB, LIL_UCB_COUNT, TOP_TWO = range(4)


_transport_cost = njit(inline="always")(transport_cost)
"""The core's own function, compiled."""


class Race(NamedTuple):
    """One trial: what is known of every arm, and who advances.

    A seat is an arm, or one of those beyond the last arm that make their number a power of two.
    """

    total: Floats  # [arm] sum of all rewards
    rest: Floats  # [arm] what rounding left out of it
    messages: Integers  # [arm] n, reports received
    mean: Floats  # [seat] μ̃, the decoded mean; −∞ where there is no arm
    score: Floats  # [seat] the index by which a policy samples; −∞ where there is no arm
    by_mean: Integers  # [node] tournament by mean: seat that won at the node; node 1 is the final
    by_score: Integers  # [node] tournament by score
    advancing: Integers  # [place] arms that report in the next round, then old entries


def blank_race(arms: int) -> Race:
    """Room for one trial at a time of so many arms: a kernel allocates nothing."""
    seats = 1
    while seats < arms:
        seats *= 2
    return Race(
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.int64),
        np.full(seats, -np.inf),  # seats without an arm lose against every arm
        np.full(seats, -np.inf),
        np.empty(2 * seats, np.int64),
        np.empty(2 * seats, np.int64),
        np.empty(max(arms, 2), np.int64),
    )


@lru_cache(maxsize=4)
def compiled(*, gaussian: bool, stored: bool) -> Callable[..., None]:
    """A kernel compiled for one kind of tape; see `elimination.py` for the constants."""

    sources = SOURCES_NUMBER

    @kernel
    def run_trials(
        rng: np.random.Generator,
        todo: Integers,
        environment: EnvironmentArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        pairs: PairArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        policy = scheme.policy
        paired = pairs.margin.size > 0  # a width judges pairs, and not by an interval an arm
        shown = stored and output.mean.size > 0
        for x in range(todo.size):
            trial = todo[x]
            going = _begin(race, scheme, trial)
            rounds = samples = bits = 0
            most = 0  # the arm with most pulls
            best_arm = -1
            while True:
                ended, due, least = _due(race, going, scheme)
                if ended:
                    outcome = SAMPLE_LIMIT
                    break
                outcome = limit_passed(scheme.limits, rounds + 1, samples + due, bits + least)
                if outcome != RUNNING:
                    break
                if environment.sampled and _starves(race, going, tape, scheme, trial):
                    outcome = STARVED
                    break

                rounds += 1
                samples += due
                coded = True
                for a in range(going):
                    arm = race.advancing[a]
                    n = race.messages[arm]
                    done = scheme.cell_of[n - 1] + 1 if n > 0 else 0
                    total, left = add_cells(
                        race.total[arm], race.rest[arm], rng, environment, tape, trial, arm,
                        done, scheme.cell_of[n], gaussian, stored,
                    )  # fmt: skip
                    race.total[arm], race.rest[arm] = total, left
                    mean, nbits, number, codes = encode_and_decode(
                        (total + left) / float(scheme.pulls[n]), race.mean[arm], rng, tape, scheme,
                        trial, n, arm, scheme.first if n == 0 else scheme.rest, stored,
                    )  # fmt: skip
                    race.mean[arm] = mean
                    race.messages[arm] = n + 1
                    reach = 1.0 if policy == LUCB else 1.0 + BETA
                    race.score[arm] = mean + reach * scheme.radius[n]
                    bits += nbits
                    if not codes:
                        coded = False
                    if shown:
                        output.mean[trial, n, arm] = mean
                        output.nbits[trial, n, arm] = nbits
                        output.number[trial, n, arm] = number
                    most = _with_more(race.messages, most, arm)
                    if rounds > 1:
                        _play(race.by_mean, race.mean, arm)
                        _play(race.by_score, race.score, arm)
                if not coded:
                    outcome = TOO_FAR
                    break
                if rounds == 1:
                    _play_all(race.by_mean, race.mean)
                    _play_all(race.by_score, race.score)

                if policy == LUCB:
                    best_arm, going = _lucb(race, scheme, pairs, paired)
                elif policy == LIL_UCB:
                    best_arm, going = _lil_ucb(race, scheme, pairs, paired)
                elif policy == TOP_TWO:
                    best_arm, going = _top_two(race, scheme, pairs, paired)
                else:
                    best_arm, going = _lil_ucb_count(race, scheme, most, samples)
                if best_arm >= 0:
                    outcome = DECIDED
                    break
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS] = rounds, samples, bits
            row[BEST], row[OUTCOME], row[MESSAGES] = best_arm, outcome, race.messages.sum()

    return run_trials


# -- a round --------------------------------------------------------------------------------------


@njit(inline="always")
def _begin(race: Race, scheme: SchemeArrays, trial: int) -> int:
    """Every arm holds its prior, and all of them advance; returns how many they are."""
    prior = trial if scheme.start.shape[0] > 1 else 0
    for arm in range(race.total.size):
        race.total[arm] = race.rest[arm] = 0.0
        race.messages[arm] = 0
        race.mean[arm] = scheme.start[prior, arm]
        race.advancing[arm] = arm
    return race.total.size


@njit(inline="always")
def _due(race: Race, going: int, scheme: SchemeArrays) -> tuple[bool, int, int]:
    """Whether the grid ends before an advancing arm; pulls and fewest bits of the next round."""
    ended = False
    samples = bits = 0
    for a in range(going):
        n = race.messages[race.advancing[a]]
        if n == scheme.pulls.size:
            ended = True
        else:
            samples += scheme.pulls[n] - (scheme.pulls[n - 1] if n > 0 else 0)
            bits += scheme.least[n]
    return ended, samples, bits


@njit(inline="always")
def _starves(race: Race, going: int, tape: TapeArrays, scheme: SchemeArrays, trial: int) -> bool:
    """Whether some advancing arm lacks rewards for its message; every one of them is asked."""
    starved = False
    for a in range(going):
        arm = race.advancing[a]
        lacks = starves(tape, trial, arm, scheme.cell_of[race.messages[arm]])
        starved = starved or lacks
    return starved


@njit(inline="always")
def _with_more(messages: Integers, most: int, arm: int) -> int:
    """Of two arms the one with more messages, and so more pulls; the lower one of a tie."""
    if messages[arm] > messages[most] or (messages[arm] == messages[most] and arm < most):
        return arm
    return most


# -- the policies: each returns the answer, or −1 and how many arms advance -----------------------


@njit(inline="always")
def _lucb(race: Race, scheme: SchemeArrays, pairs: PairArrays, paired: bool) -> tuple[int, int]:
    """The leader and its strongest challenger advance, or the one of them that lags behind."""
    leader, challenger = race.by_mean[1], _challenger(race)
    if _beats(race, leader, challenger, scheme, pairs, paired):
        challenger = _unbeaten(race, leader, scheme, pairs, paired)
        if challenger < 0:
            return leader, 0
    going = 0
    if race.messages[leader] <= race.messages[challenger]:
        race.advancing[going] = leader
        going += 1
    if race.messages[challenger] <= race.messages[leader]:
        race.advancing[going] = challenger
        going += 1
    return -1, going


@njit(inline="always")
def _lil_ucb(race: Race, scheme: SchemeArrays, pairs: PairArrays, paired: bool) -> tuple[int, int]:
    """The arm with the highest index advances, until the leader beats all others."""
    leader, challenger = race.by_mean[1], _challenger(race)
    # the strongest is asked first: mostly that settles it, and no other has to be
    if _beats(race, leader, challenger, scheme, pairs, paired) and _beats_all(
        race, leader, scheme, pairs, paired
    ):
        return leader, 0
    race.advancing[0] = race.by_score[1]
    return -1, 1


@njit(inline="always")
def _top_two(race: Race, scheme: SchemeArrays, pairs: PairArrays, paired: bool) -> tuple[int, int]:
    """The leader advances, or of those that it does not beat the least separated from it."""
    leader = race.by_mean[1]
    own = race.messages[leader] - 1
    challenger, least, others = -1, np.inf, 0.0
    for arm in range(race.total.size):
        if arm == leader:
            continue
        other = race.messages[arm] - 1
        t = float(scheme.pulls[other])
        others += t * t
        lead = race.mean[leader] - race.mean[arm]
        needed = _separation(scheme, pairs, paired, other, own)
        if lead >= needed - scheme.epsilon:
            continue
        cost = _transport_cost(lead, needed, scheme.level, t)
        if challenger < 0 or cost < least:
            challenger, least = arm, cost
    if challenger < 0:
        return leader, 0
    t_leader = float(scheme.pulls[own])
    race.advancing[0] = leader if t_leader * t_leader < others else challenger
    return -1, 1


@njit(inline="always")
def _lil_ucb_count(race: Race, scheme: SchemeArrays, most: int, samples: int) -> tuple[int, int]:
    """The arm with the highest index advances, until one has nearly all pulls."""
    pulled = scheme.pulls[race.messages[most] - 1]
    if pulled >= 1 + scheme.ratio * (samples - pulled):
        return most, 0
    race.advancing[0] = race.by_score[1]
    return -1, 1


@njit(inline="always")
def _challenger(race: Race) -> int:
    """The arm with the highest index of all but the leader: that one sits out for a moment."""
    leader, challenger = race.by_mean[1], race.by_score[1]
    if challenger == leader:
        kept = race.score[leader]
        race.score[leader] = -np.inf
        _play(race.by_score, race.score, leader)
        challenger = race.by_score[1]
        race.score[leader] = kept
        _play(race.by_score, race.score, leader)
    return challenger


@njit(inline="always")
def _beats_all(
    race: Race, leader: int, scheme: SchemeArrays, pairs: PairArrays, paired: bool
) -> bool:
    """Whether the leader beats all others; the first that it does not beat is enough to know."""
    for arm in range(race.total.size):
        if arm != leader and not _beats(race, leader, arm, scheme, pairs, paired):
            return False
    return True


@njit(inline="always")
def _unbeaten(
    race: Race, leader: int, scheme: SchemeArrays, pairs: PairArrays, paired: bool
) -> int:
    """The arm with the highest index of those that the leader does not beat; −1 if it beats all."""
    found = -1
    for arm in range(race.total.size):
        if (
            arm != leader
            and (found < 0 or race.score[arm] > race.score[found])
            and not _beats(race, leader, arm, scheme, pairs, paired)
        ):
            found = arm
    return found


@njit(inline="always")
def _beats(
    race: Race, winner: int, loser: int, scheme: SchemeArrays, pairs: PairArrays, paired: bool
) -> bool:
    """LCB ≥ UCB − ε, or the same for a pair, as `core/policy.py` has it."""
    own, other = race.messages[winner] - 1, race.messages[loser] - 1
    needed = _separation(scheme, pairs, paired, other, own)
    return race.mean[winner] - race.mean[loser] >= needed - scheme.epsilon


@njit(inline="always")
def _separation(
    scheme: SchemeArrays, pairs: PairArrays, paired: bool, loser: int, winner: int
) -> float:
    """What separates two arms with these messages: of the pair, or of an interval each."""
    if paired:
        return separation(pairs, scheme.pulls, loser, winner)
    return scheme.radius[loser] + scheme.radius[winner]


# -- tournaments ----------------------------------------------------------------------------------


@njit(cache=True)
def _play(tree: Integers, score: Floats, arm: int) -> None:
    """Let an arm with a new score play its way up; the lower arm wins a tie."""
    node = (score.size + arm) // 2
    while node >= 1:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right
        node //= 2


@njit(cache=True)
def _play_all(tree: Integers, score: Floats) -> None:
    """A whole tournament, every arm from its own seat."""
    for seat in range(score.size):
        tree[score.size + seat] = seat
    for node in range(score.size - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right
