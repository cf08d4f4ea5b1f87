"""What frames cost on a link; those counted from events are those that the channel carried."""

import random
from dataclasses import replace
from functools import partial

import pytest

from bitarm import wire
from bitarm.api.identify import identify
from bitarm.api.scheme import build
from bitarm.core.agent import Agent
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput, LearnerPhase
from bitarm.core.messages import Dismiss, Request
from bitarm.errors import ConfigError
from bitarm.links.cost import LinkLedger, use
from bitarm.links.profiles import find_link


def test_air_time_and_duty_cycle_of_a_run() -> None:
    cost = use(find_link("lorawan-eu868-dr0"), [11] * 12, [16] * 13)
    assert (cost.messages_up, cost.bytes_up) == (12, 132)
    assert (cost.messages_down, cost.bytes_down) == (13, 208)
    assert cost.air_seconds_up == pytest.approx(12 * 1.482752)
    assert cost.least_hours == pytest.approx(12 * 1.482752 / 0.01 / 3600)


def test_one_gateway_sends_the_downlinks_of_all() -> None:
    ledger = LinkLedger(find_link("lorawan-eu868-dr0"))
    for device in range(30):
        ledger.went_down(device, 24)
    fleet = ledger.fleet()
    assert fleet.gateway_hours == pytest.approx(30 * fleet.busiest.least_hours)
    assert fleet.busiest.messages_down == 1
    assert LinkLedger(find_link("lorawan-us915-dr0")).fleet().gateway_hours == 0


def test_a_link_without_limits_costs_no_time() -> None:
    cost = use(find_link("none"), [11, 20], [])
    assert (cost.air_seconds_up, cost.air_seconds_down, cost.least_hours) == (None, None, 0)


def test_a_frame_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match="carries 11 bytes up, a frame has 12"):
        use(find_link("lorawan-us915-dr0"), [11, 12], [])


@pytest.mark.parametrize(
    ("policy", "quantizer"),
    [("se", "icq"), ("lucb", "icq"), ("se", "dicq"), ("challenge", "dyadic")],
)
@pytest.mark.parametrize("link", ["nb-iot", "lorawan-eu868-dr0"])
def test_frames_from_events_are_the_frames_on_the_wire(
    policy: str, quantizer: str, link: str
) -> None:
    """All of them; but on LoRaWAN who gave up is not dismissed."""
    ledger, draw = LinkLedger(find_link(link)), random.Random(1)

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
    messages = sum(arm.messages for arm in result.arms)
    spared = 2 if policy == "challenge" and link != "nb-iot" else 0
    assert sum(one.bytes_down for one in each) == result.wire_bytes.down - 12 * spared
    assert fleet.messages_down == messages + 3 - spared
    assert fleet.messages_up == messages
    assert fleet.busiest == max(each, key=lambda one: (one.least_hours, one.messages_up))


def test_a_run_that_another_learner_went_on_with() -> None:
    """Questions that are asked again, positions, and numbers that begin anew: frame by frame."""
    setup = build(
        ("a", "b", "c"),
        seed=1,
        problem={"bounds": (0.0, 1.0)},
        scheme={"quantizer": "icq", "policy": "se"},
        limits={"rounds": 200},
    )
    learner = Learner(setup)
    agents = [Agent(learner.run, arm) for arm in range(3)]
    ledger, down, up = LinkLedger(find_link("lorawan-eu868-dr0")), 0, 0
    kinds = set[str]()

    def take(output: LearnerOutput) -> list[Request | Dismiss]:
        nonlocal down
        ledger.watch(output.events)
        down += sum(len(wire.encode(message)) for message in output.messages)
        kinds.update(event.name for event in output.events)
        return list(output.messages)

    messages = take(learner.start())
    for step in range(40):
        due, messages = messages, []
        for message in due:
            agent = agents[message.arm]
            answers = agent.receive(message)
            if agent.wanted:
                answers = agent.observe(agent.wanted, 0.5 * agent.wanted)
            for answer in answers:
                up += len(wire.encode(answer))
                messages += take(learner.receive(answer))
        if step == 10:
            agents[1].state = replace(agents[1].state, pulls=10_000, total=5000.0)
            messages = take(learner.begin(2))
        if step == 15:
            heard = [message for message in messages if message.arm != 2]
            messages = heard + take(learner.lose([2]))
    assert {"epoch_began", "position_told", "arms_lost"} <= kinds
    assert learner.phase is LearnerPhase.ENDED
    each = ledger.devices()
    assert sum(one.bytes_up for one in each) == up
    assert sum(one.bytes_down for one in each) == down


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
    fleet = LinkLedger(find_link("lorawan-eu868-dr0")).fleet()
    assert (fleet.messages_up, fleet.messages_down, fleet.busiest.least_hours) == (0, 0, 0)
