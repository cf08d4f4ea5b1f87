"""Tasks: what a leader certifies, and when a challenged arm gives up, both never too much."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes import Nearest
from bitarm.core.codes.prefix import write_golomb, zigzag
from bitarm.core.evidence import tasks
from bitarm.core.evidence.account import Account, Scale, cost
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.ladder import FOLLOWING, log_weights
from bitarm.core.evidence.tasks import (
    BAND,
    NO_HURDLE,
    Challenge,
    Edge,
    challenge,
    hurdle,
    hurdle_byte,
    is_beaten,
    read_edge,
    read_spread,
    write_edge,
    write_spread,
)
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

UNIT = Scale(bounded=True, low=0.0, unit=1.0)
GRID = [m / 400 for m in range(401)]


def kept(rewards: list[float], scale: Scale = UNIT) -> Account:
    scaled = [scale.inward(reward) for reward in rewards]
    n = len(rewards)
    return Account(scale, n, math.fsum(rewards) / n, Bets().after(scaled, 0))


@st.composite
def accounts(draw: st.DrawFn, least: int = 1, most: int = 400) -> Account:
    """Of Bernoulli or Beta rewards, or ones that never change."""
    n, p = draw(st.integers(least, most)), draw(st.floats(0.01, 0.99))
    chance = random.Random(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["coin", "beta", "constant"]))
    if kind == "coin":
        return kept([float(chance.random() < p) for _ in range(n)])
    if kind == "constant":
        return kept([p] * n)
    c = draw(st.sampled_from([0.3, 3.0, 60.0]))
    return kept([chance.betavariate(p * c, (1 - p) * c) for _ in range(n)])


# -- hurdles --------------------------------------------------------------------------------------


def test_hurdles_rise_strictly_and_each_byte_is_its_own() -> None:
    nats = [hurdle(byte) for byte in range(256)]
    assert all(one < other for one, other in pairwise(nats))
    assert [hurdle_byte(each) for each in nats[:-1]] == list(range(NO_HURDLE))
    assert nats[-1] == math.inf
    assert hurdle_byte(math.inf) == NO_HURDLE


@given(nats=st.floats(-10, 400) | st.floats(0, 20))
def test_a_hurdle_is_rounded_up_and_by_no_more_than_it_must(nats: float) -> None:
    byte = hurdle_byte(nats)
    assert hurdle(byte) >= nats
    assert byte == 0 or hurdle(byte - 1) < nats


# -- pilot ----------------------------------------------------------------------------------------


@given(account=accounts())
def test_a_pilot_tells_the_spread_to_a_factor_of_two(account: Account) -> None:
    told = account.mean
    symbol = write_spread(account, told)
    spread = read_spread(BitReader(symbol))
    least = 0.5 / (account.pulls + 1)
    mean = min(max(told, least), 1 - least)
    ratio = account.variance / (mean * (1 - mean))
    assert ratio >= 2.0**spread / 2 or spread == -16
    assert ratio < 2.0**spread * 2 or spread == 0


def test_a_spread_that_no_agent_tells_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="no agent tells"):
        read_spread(BitReader(Symbol((1 << 10) - 2, 10)))


# -- edge -----------------------------------------------------------------------------------------


def certified(account: Account, first: int, edge: float, middle: float, spread: int) -> bool:
    """Whether the told lines are below the arm's evidence, for every m: they are parallel."""
    scale = account.scale
    for rung in range(first, first + BAND):
        step, n = scale.rates[rung], account.pulls
        told = n * (
            step * scale.inward(edge)
            - cost(scale.bounded, step, scale.inward(middle), 2.0**spread, n, 1.0)
        )
        for m in GRID:
            if told - step * n * m > account.above(rung) - step * n * m + 1e-12 * n:
                return False
    return True


codes = st.builds(
    Nearest,
    centre=st.integers(-16, 48).map(lambda n: n / 32),
    step=st.sampled_from([1 / 4, 5 / 64, 7 / 128, 1 / 256, 3 / 1024]),
    divisor=st.integers(1, 4),
)
edges = st.builds(Edge, first=st.integers(0, 12), spread=st.integers(-12, 2))


@settings(max_examples=300)
@given(account=accounts(), task=edges, code=codes)
def test_an_edge_is_certified_at_all_three_rungs(
    account: Account, task: Edge, code: Nearest
) -> None:
    reader = BitReader(write_edge(task, code, account))
    middle, spread = read_edge(task, code, reader)
    reader.finish()
    assert certified(account, task.first, middle - code.step / 2, middle, spread)
    # it is at or below the mean's own cell, and the highest that is
    assert middle - code.step / 2 <= account.mean + 1e-9


def test_an_edge_one_step_higher_is_caught() -> None:
    chance, caught = random.Random(5), 0
    code = Nearest(centre=0.5, step=3 / 1024, divisor=1)
    for _ in range(40):
        account = kept([float(chance.random() < 0.7) for _ in range(200)])
        task = Edge(first=2, spread=0)
        middle, spread = read_edge(task, code, BitReader(write_edge(task, code, account)))
        above = middle + code.step
        caught += not certified(account, 2, above - code.step / 2, above, spread)
    assert caught >= 30  # in the others, strides or the mean's own cell left a step


@given(account=accounts(least=20), code=codes)
def test_a_spread_far_off_is_told_anew_and_the_edge_then_is_higher(
    account: Account, code: Nearest
) -> None:
    task = Edge(first=2, spread=2)
    middle, spread = read_edge(task, code, BitReader(write_edge(task, code, account)))
    as_before = tasks.certified(
        account.scale.bounded,
        code.steps_to(account.mean),
        code.centre,
        code.step,
        task.spread,
        account.pulls,
        account.scale.low,
        account.scale.unit,
        account.scale.rates[task.first :],
        [account.above(task.first + place) for place in range(BAND)],
    )
    assert middle >= code.middle(as_before)
    assert (spread == task.spread) or middle > code.middle(as_before)


@pytest.mark.parametrize("change", [-43, 3])
def test_a_spread_out_of_range_is_refused(change: int) -> None:
    task, code = Edge(first=0, spread=0), Nearest(centre=0.0, step=1.0, divisor=1)
    written = concat(Symbol(1, 1), write_golomb(zigzag(change), 1), code.write_steps(0))
    with pytest.raises(PeerProtocolError, match="which no agent tells"):
        read_edge(task, code, BitReader(written))


@pytest.mark.parametrize(
    ("first", "spread"), [(-1, 0), (62, 0), (0, 3), (0, -41)], ids=["low", "high", "wide", "narrow"]
)
def test_an_edge_out_of_range_is_refused(first: int, spread: int) -> None:
    with pytest.raises(LocalProtocolError, match="must lie in"):
        Edge(first=first, spread=spread)


def test_constant_rewards_end_the_search_for_an_edge() -> None:
    for reward in (0.0, 0.5, 1.0):
        for spread in (-40, 0, 2):
            account = kept([reward] * 50)
            task = Edge(first=0, spread=spread)
            code = Nearest(centre=0.5, step=2.0**-30, divisor=1)
            middle, told = read_edge(task, code, BitReader(write_edge(task, code, account)))
            assert certified(account, 0, middle - code.step / 2, middle, told)


@pytest.mark.parametrize("exponent", [-100, -1000, -1070])
def test_an_edge_that_no_word_reaches_is_refused(exponent: int) -> None:
    """Steps that suit no rewards: without a bound the search left the floats."""
    code = Nearest(centre=0.0, step=math.ldexp(1.0, exponent), divisor=1)
    with pytest.raises(RewardError, match="too far from 0"):
        write_edge(Edge(first=0, spread=0), code, kept([0.0] * 50))


# -- challenge ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("hurdles", [(256, 0, 0), (0, -1, 0)])
def test_a_hurdle_is_a_byte(hurdles: tuple[int, int, int]) -> None:
    with pytest.raises(LocalProtocolError, match="hurdle must lie in"):
        Challenge(edge=0.0, first=0, hurdles=hurdles)
