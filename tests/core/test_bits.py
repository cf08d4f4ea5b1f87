"""Bits as values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import MOST_BITS, BitReader, Symbol, concat
from bitarm.errors import PeerProtocolError
from bitarm.wire.frames.envelope import MAX_BYTES


@st.composite
def symbols(draw: st.DrawFn, most: int = 80) -> Symbol:
    nbits = draw(st.integers(0, most))
    return Symbol(draw(st.integers(0, (1 << nbits) - 1)), nbits)


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (Symbol(0, 0), ""),
        (Symbol(0, 1), "0"),
        (Symbol(5, 3), "101"),
        (Symbol(1, 4), "0001"),
        (Symbol(0, 5), "00000"),
    ],
)
def test_a_symbol_reads_most_significant_bit_first(symbol: Symbol, text: str) -> None:
    assert str(symbol) == text


@pytest.mark.parametrize(("value", "nbits"), [(1, 0), (8, 3), (-1, 3), (0, -1), (2**64, 64)])
def test_a_value_that_does_not_fit_is_refused(value: int, nbits: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Symbol(value, nbits)


def test_a_symbol_that_no_frame_could_carry_is_refused() -> None:
    """Whoever prints or reads it would need as much memory as it claims to be long."""
    assert 8 * MAX_BYTES <= MOST_BITS
    assert len(str(Symbol(1, MOST_BITS))) == MOST_BITS
    for nbits in (MOST_BITS + 1, 1 << 31, 1 << 62):
        with pytest.raises(ValueError, match="at most 262,144 bits"):
            Symbol(3, nbits)


def test_leading_zeros_count() -> None:
    assert Symbol(1, 1) != Symbol(1, 2)
    assert concat(Symbol(0, 2), Symbol(1, 1)) == Symbol(1, 3)


@given(parts=st.lists(symbols(), max_size=8))
def test_concat_is_the_concatenation_of_the_bits(parts: list[Symbol]) -> None:
    joined = concat(*parts)
    assert str(joined) == "".join(map(str, parts))
    assert joined.nbits == sum(part.nbits for part in parts)


@given(parts=st.lists(symbols(), max_size=8))
def test_a_reader_takes_back_what_was_joined(parts: list[Symbol]) -> None:
    reader = BitReader(concat(*parts))
    for part in parts:
        assert reader.take(part.nbits) == part.value
    assert reader.left == 0
    reader.finish()
    with pytest.raises(PeerProtocolError, match="ends early"):
        reader.take(1)


@given(symbol=symbols(), extra=st.integers(1, 50))
def test_a_symbol_that_ends_early_is_the_peers_fault_and_takes_nothing(
    symbol: Symbol, extra: int
) -> None:
    reader = BitReader(symbol)
    with pytest.raises(PeerProtocolError, match="ends early"):
        reader.take(symbol.nbits + extra)
    assert reader.left == symbol.nbits
    assert reader.take(symbol.nbits) == symbol.value


@given(symbol=symbols(), data=st.data())
def test_bits_left_over_are_the_peers_fault(symbol: Symbol, data: st.DataObject) -> None:
    taken = data.draw(st.integers(0, symbol.nbits))
    reader = BitReader(symbol)
    reader.take(taken)
    if taken == symbol.nbits:
        reader.finish()
    else:
        with pytest.raises(PeerProtocolError, match=f"{symbol.nbits - taken} bits left over"):
            reader.finish()
