"""Bets on rewards in [0, 1]: fair to nobody, the same in any portions, and never below V's form."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitarm.core.evidence import bets as betting
from bitarm.core.evidence.bets import BETTORS, DRIFT, FOLD, Bets
from bitarm.core.evidence.bounded import MIDDLE
from bitarm.core.evidence.ladder import RUNGS, log_weights, rate

unit = st.floats(0, 1)
sequences = st.lists(unit, max_size=60)
rungs = st.integers(0, BETTORS + 3)


def lines(bets: Bets, rung: int) -> tuple[float, float]:
    """ln e⁺(m) + λnm and ln e⁻(m) − λnm."""
    numbers = (bets.total, bets.predicted, bets.squares, bets.fortunes, bets.logs)
    return betting.above(rung, *numbers), betting.below(rung, *numbers)


def log_bet(rewards: list[float], rung: int) -> tuple[float, float]:
    """The same by the formula of docs/evidence.md, for any rung."""
    step, total, high, low = rate(rung), 0.0, 0.0, 0.0
    for n, reward in enumerate(rewards):
        guess = (0.5 + total) / (1.0 + n)
        high += math.log(1 + step * (reward - guess)) + step * guess
        low += math.log(1 - step * (reward - guess)) - step * guess
        total += reward
    return high, low


def evidence(rewards: tuple[float, ...], rung: int, m: float, side: int) -> float:
    value = lines(Bets().after(rewards, 0), rung)[side]
    return math.exp(value + (-1 if side == 0 else 1) * rate(rung) * len(rewards) * m)


@pytest.mark.parametrize("side", [0, 1], ids=["above", "below"])
@pytest.mark.parametrize("rung", [0, 1, 4, BETTORS - 1, BETTORS, BETTORS + 4])
@pytest.mark.parametrize(
    ("low", "high", "chance"), [(0.0, 1.0, 0.5), (0.0, 1.0, 0.02), (0.2, 0.9, 0.7), (0.4, 0.4, 0.5)]
)
def test_no_factor_has_a_mean_above_1_if_the_arm_is_not_better_than_m(
    rung: int, low: float, high: float, chance: float, side: int
) -> None:
    # Exactly, over all sequences of a two-point law: the mean given any past, then over all pasts.
    mu = low + chance * (high - low)
    for off in (0.0, 0.1, 0.4):
        m = mu + off if side == 0 else mu - off
        for past in itertools.product((low, high), repeat=4):
            before = evidence(past, rung, m, side)
            after = sum(
                weight * evidence((*past, reward), rung, m, side)
                for reward, weight in ((low, 1 - chance), (high, chance))
            )
            assert after <= before * (1 + 1e-12)


@pytest.mark.parametrize("side", [0, 1], ids=["above", "below"])
def test_and_it_has_one_if_the_arm_is_better(side: int) -> None:
    # The negative control: a bet on the right side is worth making.
    m = 0.3 if side == 0 else 0.7
    after = sum(0.5 * evidence((reward,), 1, m, side) for reward in (0.0, 1.0))
    assert after > 1.01


@settings(max_examples=200)
@given(rewards=sequences, rung=rungs)
def test_they_are_what_the_formula_says(rewards: list[float], rung: int) -> None:
    if rung >= BETTORS:
        return
    got, expected = lines(Bets().after(rewards, 0), rung), log_bet(rewards, rung)
    assert got == pytest.approx(expected, abs=1e-10)


@settings(max_examples=200)
@given(rewards=sequences, rung=st.integers(0, 20))
def test_what_serves_without_bettors_is_never_above_them(rewards: list[float], rung: int) -> None:
    # Fan's inequality: ±λ(S − nm) − ψ(λ)V ≤ the logarithm of the bets at the same rate.
    step, total, squares = rate(rung), 0.0, 0.0
    for n, reward in enumerate(rewards):
        squares += (reward - (0.5 + total) / (1.0 + n)) ** 2
        total += reward
    psi = -math.log1p(-step) - step
    for side, bound in zip((1, -1), log_bet(rewards, rung), strict=True):
        assert side * step * total - psi * squares <= bound + 1e-10


@given(rewards=sequences, rung=st.integers(BETTORS, RUNGS - 1))
def test_low_rungs_are_of_count_sum_and_squares_alone(rewards: list[float], rung: int) -> None:
    bets = Bets().after(rewards, 0)
    stripped = Bets(total=bets.total, squares=bets.squares)
    assert lines(bets, rung) == lines(stripped, rung)


@given(before=sequences, rewards=sequences, rung=rungs)
def test_a_reward_is_evidence_that_the_mean_is_below_m_of_at_most_its_distance_times_the_rate(
    before: list[float], rewards: list[float], rung: int
) -> None:
    # What a look may be spared by: kernels/challenge_bets.py. A line's slope in m is the same.
    past = Bets().after(before, 0)
    risen = lines(past.after(rewards, len(before)), rung)[1] - lines(past, rung)[1]
    assert risen <= -rate(rung) * math.fsum(rewards) + 1e-12


@given(rewards=sequences, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_rewards_in_portions_are_the_same_to_the_last_bit(
    rewards: list[float], cuts: list[int]
) -> None:
    bets, done = Bets(), 0
    for cut in [*sorted(cuts), len(rewards)]:
        portion = rewards[done:cut]
        bets, done = bets.after(portion, done), done + len(portion)
    assert bets == Bets().after(rewards, 0)


def test_folding_changes_nothing_but_the_last_bits() -> None:
    draw = random.Random(3)
    rewards = [draw.random() ** 3 for _ in range(10 * FOLD + 7)]
    bets = Bets().after(rewards, 0)
    for rung in range(BETTORS):
        assert lines(bets, rung) == pytest.approx(log_bet(rewards, rung), rel=1e-12, abs=1e-12)
    assert any(bets.logs)


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_the_worst_rewards_leave_no_fortune_of_zero(reward: float) -> None:
    other = 1.0 - reward
    bets = Bets().after([reward] * 1000 + [other] * 1000, 0)
    assert all(0.0 < fortune < math.inf for fortune in bets.fortunes)
    assert all(math.isfinite(log) for log in bets.logs)


@pytest.mark.parametrize("reward", [0.1, 0.3, 0.7, 0.9999, 1 / 3])
def test_no_line_is_off_by_more_than_is_taken_off_for_it(reward: float) -> None:
    """Rewards that never change are the worst: each addition rounds the same way."""
    count = 1 << 20
    totals = np.cumsum(np.full(count, reward))
    before = np.concatenate([[0.0], totals[:-1]])
    guesses = (0.5 + before) / (1.0 + np.arange(count))
    predicted = float(np.cumsum(guesses)[-1])
    off_total = abs(Fraction(float(totals[-1])) - count * Fraction(reward))
    off_predicted = abs(predicted - math.fsum(guesses))
    assert max(float(off_total), off_predicted) < DRIFT / 2 * count**2
    assert float(off_total) > DRIFT / 200 * count**2  # nor by so much less that nobody need care


@pytest.mark.parametrize("law", ["coin", "tenth"])
def test_roundings_are_nothing_beside_the_weight_that_is_left_unspent(law: str) -> None:
    """Sums of bets are not compensated: what rounding adds, the law has kept back."""
    draw, count = random.Random(8), 64_000
    rewards = [0.1 if law == "tenth" else float(draw.random() < 0.3) for _ in range(count)]
    totals = np.cumsum([0.0, *rewards[:-1]])  # as they are added up, one by one
    guesses = (0.5 + totals) / (1.0 + np.arange(count))
    predicted, bets = math.fsum(guesses), Bets().after(rewards, 0)
    kept_back = -math.log(math.fsum(map(math.exp, log_weights(MIDDLE))))
    for rung in range(BETTORS):
        stakes = rate(rung) * (np.array(rewards) - guesses)
        high = math.fsum(np.log1p(stakes)) + rate(rung) * predicted
        low = math.fsum(np.log1p(-stakes)) - rate(rung) * predicted
        for got, exact in zip(lines(bets, rung), (high, low), strict=True):
            assert abs(got - exact) < 1e-6 * kept_back
