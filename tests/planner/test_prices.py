"""Prices: which lists say what is cheap, and which say nothing."""

import pytest

from bitarm.errors import ConfigError
from bitarm.planner.prices import Prices
from bitarm.runtime.links import find_link

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
    "word", ["per_bit", "per_message", "per_pull", "per_round", "per_frame_unit"]
)
def test_a_price_that_is_none_is_refused(word: str, price: float) -> None:
    with pytest.raises(ConfigError, match=f"{word} must be a finite price of 0 or more, got"):
        Prices(**({"per_bit": 1.0} | {word: price}))  # type: ignore[arg-type]
