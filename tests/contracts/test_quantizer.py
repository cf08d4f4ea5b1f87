"""The numbered laws of `Quantizer` (core/quantizer.py), for every quantizer there is.

Numbers are floats: where a law says ≤, the tests
allow `ROUNDING` of the largest magnitude involved, and nothing more.
"""

import math
from dataclasses import replace

import pytest
from contracts.moments import JUST_BELOW_1, Case, Moment, dithers, fractions, moments
from contracts.quantizer_cases import SETTINGS, around, every_case, slack, some
from hypothesis import assume, given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.codes import CODES
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import (
    QUANTIZERS,
    Dicq,
    Dyadic,
)
from bitarm.core.question import BEYOND
from bitarm.errors import PeerProtocolError, RewardError

pytestmark = pytest.mark.slow  # every law for every quantizer: most of the contracts' time


def test_the_suite_covers_every_quantizer() -> None:
    assert set(SETTINGS) == set(QUANTIZERS), "add the new quantizer to SETTINGS above"
    for name, cases in SETTINGS.items():
        assert cases
        assert all(type(case.quantizer) is QUANTIZERS[name] for case in cases)
        assert QUANTIZERS[name].name == name


@every_case
@some
@given(data=st.data(), fraction=fractions, dither=dithers)
def test_law_1_the_error_does_not_depend_on_the_data(
    case: Case, data: st.DataObject, fraction: float, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    mu_hat = moment.mean(fraction)
    symbol = encode(quantizer, mu_hat, moment.held, moment.occasion, dither)
    decoded = decode(quantizer, symbol, moment.held, moment.occasion)
    assert decoded.pulls == moment.occasion.pulls
    assert decoded.error == quantizer.error(moment.held, moment.occasion)
    assert 0 <= decoded.error < math.inf
    assert decoded.radius == moment.occasion.u_prime + decoded.error  # Eq. (3)


@every_case
@some
@given(data=st.data(), fraction=fractions, steps_away=st.none() | st.floats(-8, 8), dither=dithers)
def test_law_2_the_decoded_mean_is_within_the_error(
    case: Case, data: st.DataObject, fraction: float, steps_away: float | None, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    reach = occasion.u_prime + held.radius
    if not quantizer.certain and math.isfinite(reach):
        # anywhere on the interval event, within the bounds or not
        mu_hat = held.mean + (2 * fraction - 1) * reach
    elif steps_away is None or not math.isfinite(reach):
        mu_hat = moment.mean(fraction)  # any mean that rewards within the bounds can have
    else:
        near = held.mean + steps_away * quantizer.error(held, occasion)
        mu_hat = min(max(near, moment.low), moment.high)
    symbol = encode(quantizer, mu_hat, held, occasion, dither)
    decoded = decode(quantizer, symbol, held, occasion)
    assert abs(decoded.mean - mu_hat) <= decoded.error + slack(moment, mu_hat)


@every_case
@some
@given(
    data=st.data(),
    fraction=fractions,
    steps_away=st.floats(-12, 12),
    pair=st.tuples(dithers, dithers),
)
def test_law_3_the_symbols_of_a_step_are_prefix_free(
    case: Case,
    data: st.DataObject,
    fraction: float,
    steps_away: float,
    pair: tuple[float, float],
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    far = moment.mean(fraction)
    near = held.mean + steps_away * quantizer.error(held, occasion)
    near = min(max(near, moment.low), moment.high)
    symbols = [
        encode(quantizer, mu_hat, held, occasion, dither)
        for mu_hat in (far, near, held.mean, *around(moment))
        for dither in pair
    ]
    for one in symbols:
        for other in symbols:
            assert one == other or not str(other).startswith(str(one))


@every_case
@some
@given(data=st.data(), fraction=fractions, dither=dithers)
def test_law_3_no_symbol_is_shorter_than_the_shortest_and_one_is_that_short(
    case: Case, data: st.DataObject, fraction: float, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    least = quantizer.least_bits(occasion)
    assert encode(quantizer, moment.mean(fraction), held, occasion, dither).nbits >= least
    spread_decides = isinstance(quantizer, Dicq | Dyadic) and (held.pulls or occasion.hint)
    if not spread_decides:
        assert encode(quantizer, held.mean, held, occasion, dither).nbits == least


@every_case
@some
@given(data=st.data(), fraction=fractions, dither=dithers, bit=st.integers(0, 1))
def test_law_4_a_symbol_that_is_too_short_or_grown_is_refused(
    case: Case, data: st.DataObject, fraction: float, dither: float, bit: int
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    symbol = encode(quantizer, moment.mean(fraction), held, occasion, dither)
    decode(quantizer, symbol, held, occasion)
    grown = Symbol(symbol.value << 1 | bit, symbol.nbits + 1)
    with pytest.raises(PeerProtocolError):
        decode(quantizer, grown, held, occasion)
    cut = Symbol(symbol.value >> 1, max(symbol.nbits - 1, 0))
    if symbol.nbits and not (quantizer.asks_again and cut == BEYOND):
        with pytest.raises(PeerProtocolError):
            decode(quantizer, cut, held, occasion)


@st.composite
def any_bits(draw: st.DrawFn, quantizer: Quantizer, moment: Moment) -> Symbol:
    """Bits that may or may not be a symbol of the occasion."""
    nbits = quantizer.least_bits(moment.occasion)
    kind = draw(st.sampled_from(["any", "as long as the shortest", "next to a symbol"]))
    if kind == "any":
        bits = draw(st.text("01", max_size=40))
        return Symbol(int(bits or "0", 2), len(bits))
    if kind == "next to a symbol":
        edge = draw(st.sampled_from([moment.low, moment.high]))
        symbol = encode(quantizer, edge, moment.held, moment.occasion, draw(dithers))
        return Symbol(min(symbol.value + 1, 2**symbol.nbits - 1), symbol.nbits)
    return Symbol(draw(st.integers(0, 2**nbits - 1)), nbits)


@every_case
@some
@given(data=st.data())
def test_law_4_any_bits_are_refused_or_are_what_some_mean_encodes_to(
    case: Case, data: st.DataObject
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    symbol = data.draw(any_bits(quantizer, moment))
    assume(not (quantizer.asks_again and symbol == BEYOND))  # law 8
    try:
        decoded = decode(quantizer, symbol, held, occasion)
    except PeerProtocolError:
        return
    assume(decoded.error == 0 or decoded.error > 64 * math.ulp(decoded.mean))  # floats tell them
    encoded = {
        encode(quantizer, decoded.mean + sixteenths / 16 * decoded.error, held, occasion, dither)
        for sixteenths in (0, *range(-16, 17))
        for dither in (0.0, JUST_BELOW_1)
    }
    assert symbol in encoded


@every_case
@some
@given(data=st.data(), fraction=fractions)
def test_law_8_an_answer_that_a_link_does_not_carry_leaves_what_is_held(
    case: Case, data: st.DataObject, fraction: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    held, occasion = moment.held, moment.occasion
    if not quantizer.asks_again:
        assert held.beyond == 0
        return
    left = decode(quantizer, BEYOND, held, occasion)
    assert left == replace(held, beyond=held.beyond + 1)
    before, now = (quantizer.error(kept, occasion) for kept in (held, left))
    assert before <= now
    assert now > 4 * before or occasion.bounds is not None  # of which a step is half at most
    question = quantizer.question(left, occasion, 0.0)
    mu_hat = moment.mean(fraction)
    told = quantizer.read(question.answer(mu_hat), question, left, occasion)
    assert told.beyond == 0
    assert told.holds(mu_hat, occasion.pulls)


@every_case
@some
@given(data=st.data(), dither=dithers)
def test_law_6_the_question_is_of_this_step_and_in_one_of_the_codes(
    case: Case, data: st.DataObject, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    question = quantizer.question(moment.held, moment.occasion, dither)
    assert question.until == moment.occasion.pulls
    assert question.code.name in quantizer.codes


def test_law_6_every_code_is_one_that_exists() -> None:
    for quantizer in QUANTIZERS.values():
        assert quantizer.codes
        assert set(quantizer.codes) <= set(CODES)


@every_case
@some
@given(data=st.data(), fraction=fractions, dither=dithers)
def test_question_and_read_are_functions_of_their_arguments(
    case: Case, data: st.DataObject, fraction: float, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    mu_hat = moment.mean(fraction)
    symbol = encode(quantizer, mu_hat, moment.held, moment.occasion, dither)
    # the other end: equal values, other objects, and no memory of the first call
    held, occasion = replace(moment.held), replace(moment.occasion)
    assert encode(quantizer, mu_hat, held, occasion, dither) == symbol
    once = decode(quantizer, symbol, moment.held, moment.occasion)
    assert decode(quantizer, symbol, held, occasion) == once


@every_case
@some
@given(data=st.data(), mu_hat=st.sampled_from([-1.7e308, 1.7e308, 1e300, -1e100, 1e20, -1e9]))
def test_a_mean_however_far_is_encoded_or_refused_as_a_reward(
    case: Case, data: st.DataObject, mu_hat: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    try:
        symbol = encode(quantizer, mu_hat, moment.held, moment.occasion, 0.5)
    except RewardError:
        return
    assert math.isfinite(decode(quantizer, symbol, moment.held, moment.occasion).mean)
