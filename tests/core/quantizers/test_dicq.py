"""D-ICQ bit by bit: its words and its steps."""

import math
from dataclasses import replace

import pytest
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import Dicq
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError, RewardError

DICQ = Dicq(kappa=2.0, kappa_first=4.0)
FIRST = Occasion(message=1, pulls=4, index=1, u_prime=1.0, sigma=0.5, bounds=None)  # steps of 1
SECOND = Occasion(message=2, pulls=16, index=2, u_prime=1.0, sigma=0.5, bounds=None)  # of 1/4
HELD = Estimate(mean=10.0, error=0.5, radius=1.0, pulls=4)


def symbol(bits: str) -> Symbol:
    return Symbol(int(bits or "0", 2), len(bits))


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


def test_message_1_counts_from_the_middle_of_the_bounds() -> None:
    held = DICQ.start(None, (0.0, 40.0))
    assert held.mean == 20.0
    assert str(encode(DICQ, 21.0, held, FIRST, 0.5)) == "10"


@pytest.mark.parametrize("place", [1.0, -1.0])
def test_the_farthest_mean_is_within_the_error_wherever_it_is_counted_from(place: float) -> None:
    last = math.nextafter(MOST_STEPS, 0)
    held = replace(HELD, mean=place * last)
    for mu_hat in (last, -last, last - 0.5, 0.1):
        decoded = decode(DICQ, encode(DICQ, mu_hat, held, FIRST, 0.5), held, FIRST)
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


def test_a_mean_out_of_reach_is_refused_as_a_reward() -> None:
    with pytest.raises(RewardError, match="too far from 0 to quantize"):
        encode(DICQ, 1e30, HELD, SECOND, 0.5)


@pytest.mark.parametrize(("bits", "why"), [("", "ends early"), ("0", "ends early")])
def test_a_word_that_ends_early_is_refused(bits: str, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        decode(DICQ, symbol(bits), HELD, SECOND)


@pytest.mark.parametrize("kind", HintKind)
def test_hints_change_nothing(kind: HintKind) -> None:
    hinted = replace(SECOND, hint=Hint(kind=kind, value=3.0))
    assert DICQ.question(HELD, hinted, 0.5) == DICQ.question(HELD, SECOND, 0.5)


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["kappa", "kappa_first"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_refused_steps(word: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{word} must be a finite number above 0, got {value}"):
        Dicq(**{word: value})


@pytest.mark.parametrize("kappa", [5e-324, 1e-300, 1e-163])
def test_steps_whose_square_is_no_float_are_refused_in_words(kappa: float) -> None:
    with pytest.raises(LocalProtocolError, match=r"divisor must lie in|step must be a finite"):
        Dicq(kappa=kappa).question(HELD, SECOND, 0.0)


def test_a_prior_is_refused() -> None:
    with pytest.raises(ConfigError, match="dicq takes no prior"):
        DICQ.start(0.5, (0.0, 1.0))
