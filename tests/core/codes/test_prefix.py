"""Prefix codes: their words, read back, and no word the beginning of another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes.prefix import (
    read_gamma,
    read_golomb,
    unzigzag,
    write_gamma,
    write_golomb,
    zigzag,
)
from bitarm.errors import PeerProtocolError

numbers = st.one_of(st.integers(0, 100), st.integers(0, 2**36))
divisors = st.one_of(st.integers(1, 9), st.integers(1, 1000))


@given(st.integers(-(2**40), 2**40))
def test_folding_is_undone(number: int) -> None:
    assert unzigzag(zigzag(number)) == number


def test_near_numbers_fold_to_small_ones() -> None:
    assert [zigzag(number) for number in (0, 1, -1, 2, -2)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("number", "bits"), [(0, "1"), (1, "010"), (2, "011"), (3, "00100"), (6, "00111")]
)
def test_the_first_words_of_gamma(number: int, bits: str) -> None:
    assert str(write_gamma(number)) == bits


@pytest.mark.parametrize(
    ("number", "divisor", "bits"),
    [
        (0, 1, "0"),
        (3, 1, "1110"),
        (0, 2, "00"),
        (3, 2, "101"),
        (0, 3, "00"),
        (1, 3, "010"),
        (2, 3, "011"),
        (3, 3, "100"),
        (5, 4, "1001"),
        (19, 1, "1" * 19 + "0"),
        (20, 1, "1" * 20 + "1"),  # the escape, and 0 in γ code
        (22, 1, "1" * 20 + "011"),
    ],
)
def test_words_of_golomb(number: int, divisor: int, bits: str) -> None:
    assert str(write_golomb(number, divisor)) == bits


@given(st.lists(numbers, max_size=5), divisors)
def test_what_is_written_back_to_back_is_read_back(values: list[int], divisor: int) -> None:
    reader = BitReader(
        concat(*(concat(write_gamma(value), write_golomb(value, divisor)) for value in values))
    )
    for value in values:
        assert read_gamma(reader) == value
        assert read_golomb(reader, divisor) == value
    reader.finish()


@given(numbers, numbers, divisors)
def test_no_word_begins_another(one: int, other: int, divisor: int) -> None:
    for write in (write_gamma, lambda number: write_golomb(number, divisor)):
        if one != other:
            assert not str(write(other)).startswith(str(write(one)))


@given(st.text("01", max_size=60), divisors)
def test_any_bits_are_read_or_refused_and_never_have_two_spellings(bits: str, divisor: int) -> None:
    symbol = Symbol(int(bits or "0", 2), len(bits))
    reader = BitReader(symbol)
    try:
        number = read_golomb(reader, divisor)
    except PeerProtocolError:
        return
    assert str(write_golomb(number, divisor)) == bits[: len(bits) - reader.left]


def test_a_number_without_end_is_refused() -> None:
    with pytest.raises(PeerProtocolError, match="no encoder can reach"):
        read_gamma(BitReader(Symbol(0, 200)))
