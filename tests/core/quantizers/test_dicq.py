"""D-ICQ bit by bit: its words, its steps, and what hints do to them."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import Dicq
from bitarm.errors import ConfigError, PeerProtocolError, RewardError

DICQ = Dicq(kappa=2.0, kappa_first=4.0, kappa_cut=8.0)
FIRST = Occasion(message=1, pulls=4, index=1, u_prime=1.0, sigma=0.5, bounds=None)  # steps of 1
SECOND = Occasion(message=2, pulls=16, index=2, u_prime=1.0, sigma=0.5, bounds=None)  # of 1/4
HELD = Estimate(mean=10.0, error=0.5, radius=1.0, pulls=4)


def symbol(bits: str) -> Symbol:
    return Symbol(int(bits or "0", 2), len(bits))


def centre(step: Occasion, value: float) -> Occasion:
    return replace(step, hint=Hint(kind=HintKind.CENTRE, value=value))


def cut(step: Occasion, value: float) -> Occasion:
    return replace(step, hint=Hint(kind=HintKind.CUT, value=value))


# -- message 1 ------------------------------------------------------------------------------------

FIRST_WORDS = {
    0: "0",
    1: "10",
    -1: "110",
    2: "111" + "1",  # three ones and a γ code
    -2: "111" + "010",
    3: "111" + "011",
    -3: "111" + "00100",
    5: "111" + "00111",
    -5: "111" + "0001000",
    100: "111" + "0000000" + "11000101",
}


@pytest.mark.parametrize(("steps", "bits"), FIRST_WORDS.items())
def test_the_words_of_message_1(steps: int, bits: str) -> None:
    assert str(encode(DICQ, steps + 0.25, NOTHING_KNOWN, FIRST, 0.5)) == bits
    decoded = decode(DICQ, symbol(bits), NOTHING_KNOWN, FIRST)
    assert (decoded.mean, decoded.pulls) == (steps, 4)
    assert decoded.error == DICQ.error(NOTHING_KNOWN, FIRST)


def test_far_away_a_word_grows_by_two_bits_for_each_doubling() -> None:
    lengths = [encode(DICQ, 2.0**power, NOTHING_KNOWN, FIRST, 0.5).nbits for power in range(3, 34)]
    assert lengths == list(range(10, 10 + 2 * len(lengths), 2))


def test_message_1_counts_from_the_middle_of_the_bounds_or_from_the_centre() -> None:
    held = DICQ.start(None, (0.0, 40.0))
    assert held.mean == 20.0
    assert str(encode(DICQ, 21.0, held, FIRST, 0.5)) == "10"
    assert str(encode(DICQ, 21.0, held, centre(FIRST, 22.0), 0.5)) == "110"
    assert decode(DICQ, symbol("110"), held, centre(FIRST, 22.0)).mean == 21.0


@pytest.mark.parametrize("value", [MOST_STEPS, -MOST_STEPS, 1e308, -1.7e308])
def test_a_centre_out_of_reach_is_as_good_as_none(value: float) -> None:
    held = DICQ.start(None, (0.0, 40.0))
    for mu_hat in (0.0, 7.3, 40.0):
        word = encode(DICQ, mu_hat, held, FIRST, 0.5)
        assert encode(DICQ, mu_hat, held, centre(FIRST, value), 0.5) == word
        decoded = decode(DICQ, word, held, centre(FIRST, value))
        assert decoded == decode(DICQ, word, held, FIRST)


@pytest.mark.parametrize("place", [1.0, -1.0])
def test_the_farthest_centre_and_the_farthest_mean_are_within_the_error(place: float) -> None:
    last = math.nextafter(MOST_STEPS, 0)
    for mu_hat in (last, -last, last - 0.5, 0.1):
        step = centre(FIRST, place * last)
        decoded = decode(DICQ, encode(DICQ, mu_hat, HELD, step, 0.5), HELD, step)
        assert abs(decoded.mean - mu_hat) <= decoded.error


# -- later messages -------------------------------------------------------------------------------


def test_later_messages_say_how_far_the_mean_has_moved() -> None:
    # variance (16 - 4)/(4·2²) + (0.5/0.25)²/3 = 2.08: divisor 2
    assert DICQ.step_size(SECOND) == 0.25
    assert DICQ.divisor(HELD, SECOND) == 2
    assert str(encode(DICQ, 10.0, HELD, SECOND, 0.5)) == "00"
    assert str(encode(DICQ, 10.25, HELD, SECOND, 0.5)) == "01"
    assert str(encode(DICQ, 9.75, HELD, SECOND, 0.5)) == "100"
    assert decode(DICQ, symbol("100"), HELD, SECOND).mean == 9.75


def test_what_is_held_out_of_reach_is_counted_from_0() -> None:
    """Only rewards that break their law get there: the bound on the error holds all the same."""
    far = Estimate(mean=1e30, error=0.5, radius=1.0, pulls=4)
    for mu_hat in (0.0, 123.4, -1e9):
        word = encode(DICQ, mu_hat, far, SECOND, 0.5)
        decoded = decode(DICQ, word, far, SECOND)
        assert abs(decoded.mean - mu_hat) <= decoded.error


def test_a_mean_out_of_reach_is_refused_as_a_reward_with_and_without_a_cut() -> None:
    for step in (SECOND, cut(SECOND, 1e300), centre(SECOND, 1.0)):
        with pytest.raises(RewardError, match="too far from 0 to quantize"):
            encode(DICQ, 1e30, HELD, step, 0.5)


# -- the cut --------------------------------------------------------------------------------------


def test_at_the_cut_and_below_it_one_bit_says_so() -> None:
    step = cut(SECOND, 9.9)
    for mu_hat in (9.9, math.nextafter(9.9, 0), 0.0, -1e6):
        assert str(encode(DICQ, mu_hat, HELD, step, 0.5)) == "0"
    decoded = decode(DICQ, symbol("0"), HELD, step)
    assert decoded == replace(HELD, ceiling=9.9)
    assert decoded.holds(9.9, 16)
    assert not decoded.holds(math.nextafter(9.9, 10), 16)


def test_above_the_cut_a_one_and_where_in_wider_steps() -> None:
    step = cut(SECOND, 9.9)
    assert DICQ.step_size(step) == 1.0  # κ of 8, not of 2
    assert str(encode(DICQ, math.nextafter(9.9, 10), HELD, step, 0.5)) == "10"
    assert str(encode(DICQ, 12.2, HELD, step, 0.5)) == "1" + "1110"
    decoded = decode(DICQ, symbol("11110"), HELD, step)
    assert (decoded.mean, decoded.pulls, decoded.ceiling) == (12.0, 16, math.inf)


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 5e-324, 0.0])
@pytest.mark.parametrize("hinted", [centre, cut])
@pytest.mark.parametrize(("held", "step"), [(NOTHING_KNOWN, FIRST), (HELD, SECOND)])
def test_no_hint_however_strange_keeps_an_agent_from_its_answer(
    held: Estimate, step: Occasion, hinted: Callable[[Occasion, float], Occasion], value: float
) -> None:
    step = hinted(step, value)
    told = decode(DICQ, encode(DICQ, 9.7, held, step), held, step)
    assert told.holds(9.7, step.pulls)


@pytest.mark.parametrize(
    ("bits", "value", "why"),
    [
        ("", 9.9, "symbol ends early"),
        ("00", 9.9, "goes on after it said"),
        ("01", 9.9, "goes on after it said"),
        ("1", 9.9, "symbol ends early"),
        ("100", 9.9, "too long"),
        ("1110", 9.9, "says above 9.9, and then 9.0"),
        ("10", 10.6, "says above 10.6, and then 10.0"),
        ("10", 1e308, "says above"),
    ],
)
def test_what_nobody_says_after_a_cut_is_refused(bits: str, value: float, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        decode(DICQ, symbol(bits), HELD, cut(SECOND, value))


def test_without_a_cut_nobody_concedes() -> None:
    for step in (SECOND, centre(SECOND, 3.0)):
        with pytest.raises(PeerProtocolError, match="ends early"):
            decode(DICQ, symbol("0"), HELD, step)


def test_after_a_concession_the_next_mean_is_told_from_the_old_one() -> None:
    held = decode(DICQ, symbol("0"), HELD, cut(SECOND, 9.9))
    third = Occasion(message=3, pulls=64, index=3, u_prime=1.0, sigma=0.5, bounds=None)
    # variance (64 - 4)/(4·2²) + (0.5/0.125)²/3 = 9.08: divisor 4
    assert DICQ.divisor(held, third) == 4
    decoded = decode(DICQ, encode(DICQ, 9.0, held, third, 0.5), held, third)
    assert (decoded.mean, decoded.pulls, decoded.ceiling) == (9.0, 64, math.inf)
    again = decode(DICQ, symbol("0"), held, cut(third, 9.5))
    assert again == replace(HELD, ceiling=9.5)


def test_an_arm_may_concede_before_it_ever_told_a_mean() -> None:
    held = decode(DICQ, symbol("0"), NOTHING_KNOWN, cut(FIRST, -3.0))
    assert held == replace(NOTHING_KNOWN, ceiling=-3.0)
    assert str(encode(DICQ, 0.25, held, SECOND, 0.5)) == "10"  # still the code for any distance
    assert decode(DICQ, symbol("10"), held, SECOND).mean == 0.25


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["kappa", "kappa_first", "kappa_cut"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_refused_steps(word: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{word} must be a finite number above 0, got {value}"):
        Dicq(**{word: value})


def test_a_prior_is_refused() -> None:
    with pytest.raises(ConfigError, match="dicq takes no prior"):
        DICQ.start(0.5, (0.0, 1.0))
