"""What each profile carries."""

import pytest

from bitarm.errors import ConfigError
from bitarm.links.airtime import air_seconds
from bitarm.links.profiles import LINKS, find_link


@pytest.mark.parametrize(
    ("name", "up", "down"),
    [
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
    assert list(LINKS) == ["lorawan-eu868-dr0", "lorawan-us915-dr0", "nb-iot", "none"]


def test_a_profile_keeps_its_own_dwell_time() -> None:
    for link in LINKS.values():
        for way, up in ((link.up, True), (link.down, False)):
            if way.rate is not None and way.dwell_seconds is not None:
                assert air_seconds(way.rate, way.max_bytes, up=up) <= way.dwell_seconds


def test_a_name_that_no_link_has() -> None:
    with pytest.raises(ConfigError, match=r"link must be one of lorawan-eu868-dr0, .* got 'lora'"):
        find_link("lora")
