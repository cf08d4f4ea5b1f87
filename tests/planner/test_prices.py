"""Prices: which lists say what is cheap, and which say nothing."""

import pytest

from bitarm.errors import ConfigError
from bitarm.links.profiles import find_link
from bitarm.planner.prices import Prices, prices_of

_LORA = find_link("lorawan-eu868-dr0")


def test_any_price_above_0_will_do() -> None:
    for words in ({"per_bit": 1}, {"per_message": 2}, {"per_pull": 1e-9}, {"per_round": 3}):
        assert Prices(**words)
    assert Prices(link=_LORA, per_frame_unit=1)


@pytest.mark.parametrize("words", [{}, {"link": _LORA}, {"per_bit": 0}, {"per_frame_unit": 1}])
def test_prices_that_are_all_0_are_refused(words: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="every price is 0"):
        Prices(**words)  # type: ignore[arg-type]


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize(
    "word", ["per_bit", "per_message", "per_downlink", "per_pull", "per_round", "per_frame_unit"]
)
def test_a_price_that_is_none_is_refused(word: str, price: float) -> None:
    with pytest.raises(ConfigError, match=f"{word} must be a finite price of 0 or more, got"):
        Prices(**({"per_bit": 1.0} | {word: price}))  # type: ignore[arg-type]


def test_frames_of_a_link_cost_1_a_unit_unless_told_otherwise() -> None:
    assert prices_of(link="nb-iot").per_frame_unit == 1.0
    assert prices_of(link="nb-iot", per_frame_unit=3).per_frame_unit == 3.0
    assert prices_of(per_bit=1).per_frame_unit == 0.0


def test_a_price_that_is_no_number_is_refused() -> None:
    with pytest.raises(ConfigError, match="per_bit must be a number, got 'cheap'"):
        prices_of(per_bit="cheap")  # type: ignore[arg-type]
