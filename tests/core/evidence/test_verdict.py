"""Verdicts: a challenged arm never gives up where the evidence of the pair does not say so."""

import math
import random
from dataclasses import replace

import pytest
from core.evidence.accounts import GRID, UNIT, accounts, kept
from hypothesis import given, settings
from hypothesis import strategies as st

from bitarm.core.bits import BitReader
from bitarm.core.codes import Nearest
from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.bets import BETTORS, DRIFT, Bets
from bitarm.core.evidence.edge import certified, read_edge, write_edge
from bitarm.core.evidence.ladder import FOLLOWING, log_weights
from bitarm.core.evidence.tasks import BAND, NO_HURDLE, Challenge, Edge, hurdle_byte
from bitarm.core.evidence.verdict import challenge, is_beaten


def of_pair(leader: Account, first: int, level: float, loser: Account, middle: int) -> float:
    """The least evidence of the pair over a fine grid, with all that the leader really has."""
    weights, n, t = log_weights(middle), loser.pulls, leader.pulls
    rates = leader.scale.rates
    least = math.inf
    for m in GRID:
        terms = []
        for winner in range(first, first + BAND):
            for climb, share in enumerate(FOLLOWING):
                rung = max(winner - climb, 0)
                terms.append(
                    weights[winner]
                    + math.log(share)
                    + leader.above(winner)
                    - rates[winner] * t * m
                    + loser.below(rung)
                    + rates[rung] * n * m
                )
        top = max(terms)
        least = min(least, top + math.log(sum(math.exp(term - top) for term in terms)))
    return least - level


def challenged(
    leader: Account, first: int, level: float, middle: int, higher: int = 0
) -> Challenge:
    """What the learner makes of the leader's edge; `higher` by so many steps is a mistake."""
    step = 5 / 1024
    code = Nearest(centre=0.5, step=step, divisor=1)
    told, spread = read_edge(
        Edge(first=first, spread=0),
        code,
        BitReader(write_edge(Edge(first=first, spread=0), code, leader)),
    )
    told += higher * step
    return challenge(
        scale=leader.scale,
        edge=told - step / 2,
        middle=told,
        spread=spread,
        first=first,
        pulls=leader.pulls,
        level=level,
        log_weights=log_weights(middle),
    )


@settings(max_examples=300)
@given(
    leader=accounts(least=30),
    data=st.data(),
    first=st.integers(0, 6),
    level=st.floats(0.5, 6),
)
def test_nobody_gives_up_where_the_pairs_evidence_is_below_its_level(
    leader: Account, data: st.DataObject, first: int, level: float
) -> None:
    loser = data.draw(accounts(most=leader.pulls))
    if is_beaten(challenged(leader, first, level, 2), leader.pulls, loser):
        assert of_pair(leader, first, level, loser, 2) >= -1e-9


def pairs(seed: int, count: int) -> list[tuple[Account, Account, float]]:
    """Leaders and losers, and a level that their evidence just misses."""
    chance = random.Random(seed)
    found: list[tuple[Account, Account, float]] = []
    while len(found) < count:
        t = chance.randint(50, 300)
        leader = kept([float(chance.random() < 0.85) for _ in range(t)])
        loser = kept([float(chance.random() < 0.5) for _ in range(t // 2)])
        reached = of_pair(leader, 1, 0.0, loser, 2)
        if reached > 2.0:
            found.append((leader, loser, reached + 1e-6))
    return found


def test_a_level_that_is_just_missed_is_missed() -> None:
    for leader, loser, level in pairs(7, 60):
        assert not is_beaten(challenged(leader, 1, level, 2), leader.pulls, loser)


def test_an_edge_one_step_higher_and_hurdles_rounded_down_are_caught() -> None:
    high = low = 0
    for leader, loser, level in pairs(7, 60):
        high += is_beaten(challenged(leader, 1, level, 2, higher=1), leader.pulls, loser)
        task = challenged(leader, 1, level, 2)
        one, two, three = (max(byte - 1, 0) for byte in task.hurdles)
        rounded = replace(task, hurdles=(one, two, three))
        low += is_beaten(rounded, leader.pulls, loser)
    assert high > 0
    assert low > 0


def _account(pulls: int, mean: float) -> Account:
    """After so many rewards of which each was the mean, but for what rounding added up to."""
    logs = (0.0,) * (2 * BETTORS)
    bets = Bets(total=pulls * mean, predicted=pulls * mean, squares=0.0, logs=logs)
    return Account(UNIT, pulls, mean, bets)


@pytest.mark.parametrize("first", [0, 3, 6, BETTORS + 1])
def test_what_sums_may_be_off_by_is_taken_off_on_both_sides(first: int) -> None:
    """After 2^30 rewards: a leader tells so much less, and who is challenged needs so much more."""
    pulls = 1 << 30
    account, rate = _account(pulls, 0.5), UNIT.rates[first]
    taken = DRIFT * rate * pulls * pulls  # nats
    hurdle = 1.5
    hurdles = (hurdle_byte(hurdle), NO_HURDLE, NO_HURDLE)
    low, high = 0.0, 1.0  # leads: the last that does not beat, and the first that does
    while low < (middle := (low + high) / 2) < high:
        task = Challenge(edge=0.5 + middle, first=first, hurdles=hurdles)
        low, high = (low, middle) if is_beaten(task, pulls, account) else (middle, high)
    needed = high * rate * pulls - hurdle
    assert taken < needed + 1e-3 < taken + math.log(2) + 1e-2

    evidence = [account.above(first + place) for place in range(BAND)]
    rates = UNIT.rates[first : first + BAND]
    step = 2.0**-34
    steps = certified(0, 0.5, step, -40, pulls, 0.0, 1.0, rates, evidence)
    assert steps * step - step / 2 <= -DRIFT * pulls


def test_a_leader_that_is_far_better_beats_and_a_worse_one_does_not() -> None:
    good, bad = kept([0.9, 1.0, 0.8, 0.95] * 25), kept([0.1, 0.0, 0.2, 0.05] * 25)
    assert is_beaten(challenged(good, 1, 3.0, 2), 100, bad)
    assert not is_beaten(challenged(bad, 1, 3.0, 2), 100, good)


def test_rungs_without_a_hurdle_count_for_nothing() -> None:
    good, bad = kept([0.9, 1.0, 0.8, 0.95] * 25), kept([0.1, 0.0, 0.2, 0.05] * 25)
    task = challenged(good, 1, 3.0, 2)
    nothing = replace(task, hurdles=(NO_HURDLE,) * 3)
    assert not is_beaten(nothing, 100, bad)
    one = replace(task, hurdles=(task.hurdles[0], NO_HURDLE, NO_HURDLE))
    assert is_beaten(one, 100, bad)


@given(
    lead=st.floats(-2, 4), pulls=st.integers(1, 60), more=st.integers(0, 60), level=st.floats(1, 9)
)
def test_with_a_sigma_the_pair_is_judged_for_every_m(
    lead: float, pulls: int, more: int, level: float
) -> None:
    scale, t = Scale(bounded=False, low=0.0, unit=1.0), pulls + more
    step = 1 / 64
    leader = Account(scale, t, lead, None)
    code = Nearest(centre=0.0, step=step, divisor=1)
    task = Edge(first=3, spread=0)
    middle, spread = read_edge(task, code, BitReader(write_edge(task, code, leader)))
    made = challenge(
        scale=scale,
        edge=middle - step / 2,
        middle=middle,
        spread=spread,
        first=3,
        pulls=t,
        level=level,
        log_weights=log_weights(4),
    )
    loser = Account(scale, pulls, 0.0, None)
    if not is_beaten(made, t, loser):
        return
    weights, rates = log_weights(4), scale.rates
    for m in [lead * share / 50 for share in range(-50, 101)]:
        terms = [
            weights[w] + math.log(share) + leader.above(w) - rates[w] * t * m
            + loser.below(w - c) + rates[w - c] * pulls * m
            for w in (3, 4, 5)
            for c, share in enumerate(FOLLOWING)
        ]  # fmt: skip
        top = max(terms)
        assert top + math.log(sum(math.exp(term - top) for term in terms)) >= level - 1e-9
