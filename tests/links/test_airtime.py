"""The time on air, against published tables."""

import pytest

from bitarm.links.airtime import LoRa, air_seconds, radio_seconds

# Application payload 24 bytes, 125 kHz: the table that The Things Network's users share.
_PUBLISHED_24 = {7: 82.176, 8: 143.872, 9: 267.264, 10: 493.568, 11: 1069.056, 12: 1974.272}


@pytest.mark.parametrize("sf", _PUBLISHED_24)
def test_an_uplink_of_24_bytes(sf: int) -> None:
    rate = LoRa(spreading_factor=sf, bandwidth=125_000)
    assert 1000 * air_seconds(rate, 24, up=True) == pytest.approx(_PUBLISHED_24[sf], abs=1e-9)


@pytest.mark.parametrize(
    ("sf", "payload", "milliseconds"),
    [
        (12, 51, 2793.472),  # the largest payload of EU868 DR0
        (10, 11, 370.688),  # the largest of US915 DR0: just under 400 ms
        (7, 10, 61.696),
    ],
)
def test_published_uplinks(sf: int, payload: int, milliseconds: float) -> None:
    rate = LoRa(spreading_factor=sf, bandwidth=125_000)
    assert 1000 * air_seconds(rate, payload, up=True) == pytest.approx(milliseconds, abs=1e-9)


@pytest.mark.parametrize(("sf", "milliseconds"), [(7, 41.216), (11, 577.536), (12, 991.232)])
def test_published_radio_payloads_of_10_bytes(sf: int, milliseconds: float) -> None:
    rate = LoRa(spreading_factor=sf, bandwidth=125_000)
    assert 1000 * radio_seconds(rate, 10, crc=True) == pytest.approx(milliseconds, abs=1e-9)


def test_the_dwell_time_is_why_us915_dr0_carries_11_bytes() -> None:
    rate = LoRa(spreading_factor=10, bandwidth=125_000)
    assert air_seconds(rate, 11, up=True) <= 0.4 < air_seconds(rate, 12, up=True)


def test_a_downlink_has_no_check_sum() -> None:
    rate = LoRa(spreading_factor=12, bandwidth=125_000)
    assert air_seconds(rate, 14, up=False) == air_seconds(rate, 12, up=True)  # two bytes less
    assert air_seconds(rate, 13, up=False) < air_seconds(rate, 13, up=True)


def test_more_bytes_never_take_less() -> None:
    rate = LoRa(spreading_factor=9, bandwidth=125_000)
    times = [air_seconds(rate, size, up=True) for size in range(200)]
    assert times == sorted(times)
