"""QuBan's levels and their prefix code.

With a step of 1 means are levels, as they are counted from 0.
"""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Levels
from bitarm.core.codes.levels import MOST_LEVELS
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

UP, DOWN = 0.0, 1 - 2.0**-53  # the dithers that round every fraction up, or down


def encode(x: float, dither: float, centre: int = 0) -> Symbol:
    return Levels(step=1.0, centre=centre, dither=dither).write(x)


def level(symbol: Symbol, centre: int = 0) -> int:
    mean = Levels(step=1.0, centre=centre, dither=0.5).read(symbol)
    assert mean == int(mean)
    return int(mean)


def word(bits: str) -> Symbol:
    bits = bits.replace(" ", "")
    return Symbol(int(bits, 2), len(bits))


@pytest.mark.parametrize(
    ("x", "dither", "bits", "decoded"),
    [
        # six words for −2..3
        (-2.0, UP, "000", -2),
        (-1.0, UP, "001", -1),
        (0.0, UP, "010", 0),
        (1.0, UP, "011", 1),
        (2.0, UP, "100", 2),
        (3.0, DOWN, "101", 3),
        (0.5, UP, "011", 1),
        (0.5, DOWN, "010", 0),
        # the ends of [−3, 4]: an escape and a flag 0
        (4.0, DOWN, "111 0", 4),
        (3.25, UP, "111 0", 4),
        (-3.0, UP, "110 0", -3),
        (-2.25, DOWN, "110 0", -3),
        # beyond: an escape, a flag 1, the range in unary, the level in the range
        (4.5, DOWN, "111 1 1 0", 4),
        (4.5, UP, "111 1 1 1", 5),
        (5.0, DOWN, "111 1 1 1", 5),
        (5.5, DOWN, "111 1 01 0", 5),
        (5.5, UP, "111 1 01 1", 6),
        (6.0, DOWN, "111 1 001 00", 6),
        (7.5, UP, "111 1 001 10", 8),
        (8.0, DOWN, "111 1 0001 000", 8),
        (11.5, UP, "111 1 0001 100", 12),
        (12.0, DOWN, "111 1 00001 0000", 12),
        (-3.5, DOWN, "110 1 1 0", -3),
        (-3.5, UP, "110 1 1 1", -4),
        (-4.5, UP, "110 1 01 1", -5),
        (-5.0, DOWN, "110 1 001 00", -5),
        (-10.5, UP, "110 1 0001 100", -11),
    ],
)
def test_codewords_by_hand(x: float, dither: float, bits: str, decoded: int) -> None:
    assert encode(x, dither) == word(bits)
    assert level(word(bits)) == decoded


def expected_length(x: float, rounded: int) -> int:
    """The totals of the notes."""
    if -3 <= x <= 4:
        return 4 if rounded in (-3, 4) else 3
    d = x - 4 if x > 4 else -x - 3
    if d <= 1:
        return 6
    if d < 2:
        return 7
    p = next(p for p in range(1, 64) if 2**p <= d < 2 ** (p + 1))
    return 2 * p + 7


GRID = [eighths / 8 for eighths in range(-8 * 300, 8 * 300 + 1)]


def test_codeword_lengths_are_those_of_the_notes() -> None:
    lengths = set()
    for x in GRID:
        for dither in (UP, DOWN):
            symbol = encode(x, dither)
            assert symbol.nbits == expected_length(x, level(symbol)), (x, dither)
            lengths.add(symbol.nbits)
    assert lengths == {3, 4, 6, 7, 9, 11, 13, 15, 17, 19, 21, 23}


@given(x=st.floats(2.0**8, 2.0**49), dither=st.floats(0, 0.999), sign=st.sampled_from([1, -1]))
def test_far_codewords_cost_two_bits_for_every_doubling(x: float, dither: float, sign: int) -> None:
    symbol = encode(sign * x, dither)
    assert symbol.nbits == expected_length(sign * x, 0)


def test_the_code_is_prefix_free() -> None:
    words = sorted({str(encode(x, dither)) for x in GRID for dither in (UP, DOWN)})
    assert len(words) > 600
    # In sorted order a word that is a prefix of any other is a prefix of its neighbour.
    assert not [pair for pair in pairwise(words) if pair[1].startswith(pair[0])]


def test_every_reachable_level_decodes_to_a_neighbour_of_the_mean() -> None:
    for x in GRID:
        assert level(encode(x, UP)) in (math.floor(x), math.ceil(x))
        assert level(encode(x, DOWN)) in (math.floor(x), math.ceil(x))
        assert {level(encode(x, UP)), level(encode(x, DOWN))} == {math.floor(x), math.ceil(x)}


def every_word(most: int) -> list[Symbol]:
    return [Symbol(value, nbits) for nbits in range(most + 1) for value in range(1 << nbits)]


def test_exactly_the_words_that_the_encoder_makes_are_accepted() -> None:
    made = {encode(x, dither) for x in GRID for dither in (UP, DOWN)}
    accepted = set()
    for symbol in every_word(13):
        try:
            level(symbol)
        except PeerProtocolError:
            continue
        accepted.add(symbol)
    assert accepted == {symbol for symbol in made if symbol.nbits <= 13}


@pytest.mark.parametrize(
    "bits",
    [
        "111 1 001 11",  # range [2, 4] has three levels
        "110 1 001 11",
        "111 1 0001 101",  # [4, 8] has five
        "111 1 0001 111",
        "111 1 00001 1001",  # [8, 16] has nine
    ],
)
def test_unused_offsets_are_refused(bits: str) -> None:
    with pytest.raises(PeerProtocolError, match="of a range that has"):
        level(word(bits))


@pytest.mark.parametrize("x", [0.0, 4.0, -3.0, 4.5, 5.5, 7.0, 100.25, -3.5, -77.75])
def test_a_truncated_or_lengthened_word_is_refused(x: float) -> None:
    symbol = encode(x, 0.5)
    for cut in range(1, symbol.nbits + 1):
        with pytest.raises(PeerProtocolError, match="ends early"):
            level(Symbol(symbol.value >> cut, symbol.nbits - cut))
    for extra in (0, 1):
        with pytest.raises(PeerProtocolError, match="1 bits left over"):
            level(Symbol(symbol.value << 1 | extra, symbol.nbits + 1))


@pytest.mark.parametrize("zeros", [51, 52, 53, 60, 1000])
def test_a_level_that_no_encoder_can_reach_is_refused(zeros: int) -> None:
    # |mean|/M stays below 2^50: around 0, range 52 and all after it (51 zeros and more) are empty.
    with pytest.raises(PeerProtocolError):
        level(word("1111" + "0" * zeros + "1" + "0" * zeros))


def test_the_farthest_mean_is_encoded_from_the_farthest_centre() -> None:
    edge, centre = math.nextafter(2.0**50, 0), 1 - MOST_LEVELS
    symbol = encode(edge, DOWN, centre)
    assert len(str(symbol)[4:].split("1")[0]) == 51
    assert abs(level(symbol, centre) - edge) <= 1


@pytest.mark.parametrize("mean", [2.0**50, -(2.0**50), 2.0**60, 1e300, math.inf, math.nan])
def test_a_mean_too_far_from_0_to_resolve_a_step_is_refused(mean: float) -> None:
    with pytest.raises(RewardError, match="too far from 0"):
        encode(mean, 0.5)


@pytest.mark.parametrize("centre", [MOST_LEVELS, -MOST_LEVELS, 2**70])
def test_a_centre_too_far_from_0_is_refused(centre: int) -> None:
    with pytest.raises(LocalProtocolError, match="centre must lie in"):
        Levels(step=1.0, centre=centre, dither=0.5)


@pytest.mark.parametrize("dither", [-(2.0**-60), 1.0, math.nan, math.inf])
def test_a_dither_that_is_no_fraction_is_refused(dither: float) -> None:
    with pytest.raises(LocalProtocolError, match=r"dither must lie in \[0, 1\)"):
        Levels(step=1.0, centre=0, dither=dither)


FRACTIONS = 64
DITHERS = [j / FRACTIONS for j in range(FRACTIONS)]


@pytest.mark.parametrize("whole", [-1000, -20, -6, -5, -4, -3, -1, 0, 2, 3, 4, 5, 6, 9, 20, 1000])
def test_rounding_is_unbiased(whole: int) -> None:
    # A fraction of k/64 rounds up for exactly k of the dithers 0/64 … 63/64: the mean is kept.
    for k in range(FRACTIONS):
        x = whole + k / FRACTIONS
        values = [level(encode(x, dither)) for dither in DITHERS]
        assert set(values) <= {whole, whole + 1}
        assert sum(values) == FRACTIONS * x
        assert values.count(whole + 1) == k


@given(x=st.floats(-300, 300), centre=st.integers(-300, 300), other=st.integers(-300, 300))
def test_the_centre_changes_the_length_and_not_the_value(x: float, centre: int, other: int) -> None:
    # The two values and the chance of each are the same around any centre.
    x = math.floor(x * FRACTIONS) / FRACTIONS
    one, two = (
        sorted(level(encode(x, dither, around), around) for dither in DITHERS)
        for around in (centre, other)
    )
    assert one == two
    assert encode(x, 0.5, math.floor(x)).nbits == 3
    assert encode(x, 0.5, math.floor(x) + 50).nbits > 3


@given(
    step=st.floats(1e-6, 1e6),
    centre=st.integers(-(2**30), 2**30),
    away=st.floats(-1e4, 1e4),
    dither=st.floats(0, 1, exclude_max=True),
)
def test_the_told_mean_is_a_multiple_of_the_step_next_to_the_mean(
    step: float, centre: int, away: float, dither: float
) -> None:
    code = Levels(step=step, centre=centre, dither=dither)
    mean = (centre + away) * step
    told = code.read(code.write(mean))
    assert told == step * round(told / step)
    assert abs(told - mean) <= step + 2.0**-50 * abs(mean)
