"""What links carry, what they refuse, and what frames cost on them."""

import pytest

from bitarm.api.scheme import build
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.runtime.airtime import air_seconds
from bitarm.runtime.links import LINKS, find_link, require_fit, use


def _spec(**scheme: object) -> RunSpec:
    problem = {"bounds": (0.0, 1.0)}
    return build(("a", "b"), seed=1, problem=problem, scheme=scheme, limits={}).spec


@pytest.mark.parametrize(
    ("name", "up", "down"),
    [
        ("sigfox", 12, 8),
        ("lorawan-eu868-dr0", 51, 51),
        ("lorawan-us915-dr0", 11, 53),
        ("nb-iot", 1358, 1358),
        ("none", 32767, 32767),
    ],
)
def test_the_largest_payloads(name: str, up: int, down: int) -> None:
    link = find_link(name)
    assert (link.up.max_bytes, link.down.max_bytes) == (up, down)


def test_every_profile_is_tested() -> None:
    assert list(LINKS) == ["sigfox", "lorawan-eu868-dr0", "lorawan-us915-dr0", "nb-iot", "none"]


def test_a_profile_keeps_its_own_dwell_time() -> None:
    for link in LINKS.values():
        for way, up in ((link.up, True), (link.down, False)):
            if way.rate is not None and way.dwell_seconds is not None:
                assert air_seconds(way.rate, way.max_bytes, up=up) <= way.dwell_seconds


def test_a_name_that_no_link_has() -> None:
    with pytest.raises(ConfigError, match=r"link must be one of sigfox, .* got 'lora'"):
        find_link("lora")


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


def test_no_request_fits_sigfox() -> None:
    spec = _spec(quantizer="icq")
    with pytest.raises(ConfigError, match=r"carries 8 bytes down.*none takes less than 14"):
        require_fit(find_link("sigfox"), spec, Limits(rounds=1), Stride.TOGETHER)


@pytest.mark.parametrize("name", ["lorawan-eu868-dr0", "nb-iot", "none"])
def test_the_default_fits_where_there_is_room_for_its_longest_symbol(name: str) -> None:
    sizes = require_fit(find_link(name), _spec(), Limits(), Stride.LEVEL)
    assert sizes.symbol_bits > 16
    assert 11 < sizes.report < 51


def test_the_default_does_not_fit_us915_and_what_would_is_told() -> None:
    link = find_link("lorawan-us915-dr0")
    with pytest.raises(ConfigError) as caught:
        require_fit(link, _spec(), Limits(), Stride.LEVEL)
    assert "--quantizer icq with bounds has as many as --bits says" in str(caught.value)
    assert require_fit(link, _spec(quantizer="icq"), Limits(), Stride.TOGETHER).report == 11


def test_air_time_and_duty_cycle_of_a_run() -> None:
    cost = use(find_link("lorawan-eu868-dr0"), [11] * 12, [16] * 13)
    assert (cost.messages_up, cost.bytes_up) == (12, 132)
    assert (cost.messages_down, cost.bytes_down) == (13, 208)
    assert cost.air_seconds_up == pytest.approx(12 * 1.482752)
    assert cost.least_hours == pytest.approx(12 * 1.482752 / 0.01 / 3600)


def test_messages_a_day_set_the_pace_of_sigfox() -> None:
    assert use(find_link("sigfox"), [11] * 141, []).least_hours == pytest.approx(24)
    assert use(find_link("sigfox"), [11] * 12, [8] * 13).least_hours == pytest.approx(72)
    assert use(find_link("sigfox"), [11], [8]).least_hours == 0


def test_a_link_without_limits_costs_no_time() -> None:
    cost = use(find_link("none"), [11, 20], [])
    assert (cost.air_seconds_up, cost.air_seconds_down, cost.least_hours) == (None, None, 0)


def test_a_frame_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match="carries 11 bytes up, a frame has 12"):
        use(find_link("lorawan-us915-dr0"), [11, 12], [])
