"""Which runs a link carries, and what would fit instead."""

import pytest

from bitarm.api.scheme import build
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.links.fit import limits_on, require_fit
from bitarm.links.profiles import Direction, Link, find_link


def _spec(**scheme: object) -> RunSpec:
    problem = {"bounds": (0.0, 1.0)}
    return build(("a", "b"), seed=1, problem=problem, scheme=scheme, limits={}).spec


@pytest.mark.parametrize("name", ["lorawan-eu868-dr0", "lorawan-us915-dr0", "nb-iot", "none"])
def test_the_papers_scheme_fits(name: str) -> None:
    assert (
        require_fit(
            find_link(name), _spec(quantizer="icq", bits=3), Limits(), Stride.TOGETHER
        ).report
        == 11
    )


def test_long_symbols_do_not_fit_us915_and_what_would_is_told() -> None:
    with pytest.raises(ConfigError) as caught:
        require_fit(
            find_link("lorawan-us915-dr0"), _spec(quantizer="exact"), Limits(), Stride.TOGETHER
        )
    said = str(caught.value)
    assert "carries 11 bytes up, a report of this run can take 21" in said
    assert "symbols of at most 16 bits, here up to 64" in said
    assert "rounds" not in said  # forty rounds are no trouble
    assert said.endswith("links that carry this run: lorawan-eu868-dr0, nb-iot, none")


def test_many_rounds_do_not_fit_us915_and_what_would_is_told() -> None:
    spec, link = _spec(quantizer="icq", growth=1.2), find_link("lorawan-us915-dr0")
    with pytest.raises(ConfigError, match="frames of 11 bytes take at most 57 rounds"):
        require_fit(link, spec, Limits(), Stride.TOGETHER)
    assert require_fit(link, spec, Limits(rounds=57), Stride.TOGETHER).report == 11


def test_a_link_that_carries_no_request_is_refused() -> None:
    thin = Link(name="thin", up=Direction(max_bytes=12), down=Direction(max_bytes=8))
    with pytest.raises(ConfigError, match=r"the link thin carries 8 bytes down, a request .* 35"):
        require_fit(thin, _spec(quantizer="icq"), Limits(rounds=1), Stride.TOGETHER)


@pytest.mark.parametrize("name", ["lorawan-eu868-dr0", "nb-iot", "none"])
def test_the_default_fits_where_there_is_room_for_its_longest_symbol(name: str) -> None:
    sizes = require_fit(find_link(name), _spec(), Limits(), Stride.EVEN)
    assert sizes.symbol_bits > 16
    assert 11 < sizes.report < 51


def test_the_default_fits_us915_where_rounds_are_few() -> None:
    """Its longest answers do not, and their agents say so in one bit."""
    link = find_link("lorawan-us915-dr0")
    sizes = require_fit(link, _spec(), Limits(rounds=57), Stride.JUDGED)
    assert (sizes.report, sizes.symbol_bits) == (11, 16)


def test_on_us915_the_rounds_of_the_default_are_limited() -> None:
    link, other = find_link("lorawan-us915-dr0"), find_link("lorawan-eu868-dr0")
    spec, nine = _spec(), Limits(rounds=9)
    assert limits_on(link, spec, Limits()) == Limits(rounds=57)
    assert limits_on(other, spec, Limits()) == Limits()
    assert limits_on(link, spec, nine) == nine
    assert limits_on(link, _spec(quantizer="icq", growth=1.2), Limits()) == Limits()


@pytest.mark.parametrize("name", ["lorawan-eu868-dr0", "nb-iot", "none"])
def test_agents_that_judge_themselves_fit_a_slow_link(name: str) -> None:
    spec = _spec(policy="challenge", quantizer="dyadic", width="bounded")
    sizes = require_fit(find_link(name), spec, Limits(), Stride.JUDGED)
    assert 11 < sizes.report < 51
