from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Report
from bitarm.wire import payload_bytes
from bitarm.wire.frames.symbols import join

bit_strings = st.lists(st.text("01", max_size=40), max_size=20)


def symbols_of(strings: list[str]) -> list[Symbol]:
    return [Symbol(int(bits or "0", 2), len(bits)) for bits in strings]


@given(bit_strings)
def test_symbols_lie_back_to_back_and_are_padded_once(strings: list[str]) -> None:
    text = "".join(strings)
    text += "0" * (-len(text) % 8)
    joined = join(symbols_of(strings))
    assert "".join(f"{byte:08b}" for byte in joined) == text


@given(bit_strings)
def test_payload_bytes_are_what_the_symbols_fill(strings: list[str]) -> None:
    symbols = symbols_of(strings)
    reports = [Report(run=1, arm=arm, message=1, symbol=s) for arm, s in enumerate(symbols)]
    assert payload_bytes(reports) == len(join(symbols))


def test_padding_is_paid_once_a_frame_and_not_once_a_report() -> None:
    reports = [Report(run=1, arm=arm, message=1, symbol=Symbol(5, 3)) for arm in range(8)]
    assert payload_bytes(reports) == 3
    assert sum(payload_bytes([report]) for report in reports) == 8


def test_only_reports_have_a_payload() -> None:
    assert payload_bytes([Dismiss(run=1, arm=1, cause=Cause.ENDED)]) == 0
