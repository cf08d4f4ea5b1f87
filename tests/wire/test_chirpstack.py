"""ChirpStack's JSON: which device an event speaks of, and what it sent."""

import pytest

from bitarm.errors import ConfigError
from bitarm.wire.chirpstack import check_device, read_uplink

NORTH, SOUTH = "0102030405060708", "a1b2c3d4e5f60718"


def test_an_uplink_without_data_has_none() -> None:
    assert read_uplink(NORTH, b"{}").data == b""


@pytest.mark.parametrize("eui", ["", "0102", "010203040506070g", NORTH + "0"])
def test_what_is_no_device_is_refused(eui: str) -> None:
    with pytest.raises(ConfigError, match="a devEui has 16 hexadecimal digits"):
        check_device(eui)


def test_a_device_may_be_written_as_people_write_it() -> None:
    assert check_device("01-02-03-04-05-06-07-08") == NORTH
    assert check_device("A1:B2:C3:D4:E5:F6:07:18") == SOUTH
