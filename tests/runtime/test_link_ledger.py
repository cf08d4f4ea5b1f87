"""The frames that a ledger counts from events are those that the channel carried."""

import random
from functools import partial

import pytest

from bitarm.api.identify import identify
from bitarm.runtime.link_ledger import LinkLedger
from bitarm.runtime.links import find_link, use


@pytest.mark.parametrize(
    ("policy", "quantizer"), [("se", "icq"), ("lucb", "icq"), ("quiet", "icq"), ("quiet", "dicq")]
)
def test_frames_from_events_are_the_frames_on_the_wire(policy: str, quantizer: str) -> None:
    ledger, draw = LinkLedger(find_link("lorawan-eu868-dr0")), random.Random(1)

    def coin(mean: float) -> float:
        return float(draw.random() < mean)

    result = identify(
        {"a": partial(coin, 0.2), "b": partial(coin, 0.5), "c": partial(coin, 0.9)},
        bounds=(0, 1),
        seed=1,
        policy=policy,
        quantizer=quantizer,
        watch=ledger.watch,
    )
    assert result.wire_bytes is not None
    fleet = ledger.fleet()
    each = ledger.devices()
    assert sum(one.bytes_up for one in each) == result.wire_bytes.up
    assert sum(one.bytes_down for one in each) == result.wire_bytes.down
    assert fleet.messages_up == sum(arm.messages for arm in result.arms)
    assert fleet.busiest == max(each, key=lambda one: one.least_hours)


def test_devices_named_by_agents_are_kept_apart() -> None:
    ledger = LinkLedger(find_link("lorawan-eu868-dr0"))
    for _ in range(3):
        ledger.went_up("gw-1", 11)
    ledger.went_up("gw-2", 11)
    ledger.went_down("gw-2", 16)
    fleet = ledger.fleet()
    assert (fleet.messages_up, fleet.messages_down) == (4, 1)
    assert fleet.busiest == use(find_link("lorawan-eu868-dr0"), [11] * 3, [])


def test_a_run_that_said_nothing_cost_nothing() -> None:
    fleet = LinkLedger(find_link("sigfox")).fleet()
    assert (fleet.messages_up, fleet.messages_down, fleet.busiest.least_hours) == (0, 0, 0)
