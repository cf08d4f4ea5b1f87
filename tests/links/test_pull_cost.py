"""What pulls take beside frames: time, packets, and the hours that a link's limits make of them."""

import math

import pytest

from bitarm.errors import ConfigError
from bitarm.links.airtime import LoRa, air_seconds
from bitarm.links.profiles import find_link
from bitarm.links.pull_cost import PullCost, pull_units

_LORA = find_link("lorawan-eu868-dr0")
_PACKET = air_seconds(LoRa(spreading_factor=12, bandwidth=125_000), 11, up=True)


def test_packets_of_pulls_and_reports_share_the_air() -> None:
    pull_cost = PullCost(packets=20)
    hours = pull_cost.least_hours(_LORA, pulls=10, reports=5)
    assert hours == pytest.approx((20 * 10 + 5) * _PACKET / 0.01 / 3600)


def test_time_counts_where_the_link_allows_more() -> None:
    slow = PullCost(seconds=7200.0, packets=1)
    assert slow.least_hours(_LORA, pulls=10) == 20
    assert slow.least_hours(None, pulls=10) == 20
    assert slow.least_hours(find_link("nb-iot"), pulls=10) == 20
    assert PullCost().least_hours(_LORA, pulls=0, reports=9) == 0


def test_a_pull_costs_the_units_of_its_link() -> None:
    assert pull_units(_LORA, 20) == pytest.approx(20 * _PACKET)
    assert pull_units(find_link("nb-iot"), 3) == 33


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"packets": -1}, "pull_packets must be 0 or more, got -1"),
        ({"seconds": -0.5}, "pull_seconds must be finite, 0 or more, got -0.5"),
        ({"seconds": math.nan}, "pull_seconds must be finite"),
    ],
)
def test_a_pull_that_cannot_be_is_refused(words: dict[str, float], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        PullCost(**words)  # type: ignore[arg-type]
