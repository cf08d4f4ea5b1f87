"""Runs over a simulated LoRaWAN, whatever is lost, late or repeated, are the in-process runs."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from devices.benches import SANITIZERS, Bench, FileBench, native_bench, process_bench
from drives import story
from lorawan.boards import Board
from lorawan.device import Arm, CoreArm, Device, Rewards
from lorawan.region import EU868, US915, Region
from lorawan.server import Air
from lorawan.world import Course, World, coins

from bitarm.api.identify import run_setup
from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    PullsCounted,
    ReportAccepted,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.outcome import Outcome
from bitarm.core.question import BEYOND
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import find_link
from bitarm.store import MemoryJournal
from bitarm.wire.frames.short import most_symbol_bits

_MEANS = (0.9, 0.8, 0.7, 0.6, 0.5)
_BAD = Air(lost_up=0.3, lost_down=0.3, lost_events=0.2, repeated_events=0.2)


def _story(journal: Journal) -> object:
    others = FleetAssigned | TrafficMeasured | AgentJoined | PullsCounted  # a device tells no count
    events = [entry.event for entry in journal.read(1)]
    return story([event for event in events if not isinstance(event, others)])


def _assert_as_in_process(world: World, region: Region) -> Course:
    course, journal = world.run(), MemoryJournal()
    setup = world.setup
    sources = world.problem.sources(setup.spec.seed)
    bits = most_symbol_bits(region.up.max_bytes)
    run_setup(setup, sources, clip=False, journal=journal, watch=None, most_bits=bits)
    assert _story(course.journal) == _story(journal)
    assert course.result.guarantee == 0.1
    return course


@pytest.mark.parametrize("region", [EU868, US915], ids=lambda region: region.link)
@pytest.mark.parametrize("air", [Air(), Air(lost_up=0.1, lost_down=0.1), _BAD], ids=str)
def test_the_run_is_the_run_in_one_process(region: Region, air: Air) -> None:
    course = _assert_as_in_process(World(coins(_MEANS, region), region, seed=3, air=air), region)
    for device in course.devices:
        assert all(size <= region.up.max_bytes for size in device.uplinks)


def test_answers_that_eleven_bytes_do_not_carry_are_asked_for_again() -> None:
    """The arm that is heard first has hardly any noise, and the others are asked as if they had."""
    problem = coins((0.9, 0.3, 0.5, 0.75, 0.2), US915, noiseless=[2])
    air = Air(lost_up=0.2, lost_down=0.2)
    course = _assert_as_in_process(World(problem, US915, seed=1, air=air), US915)
    told = [entry.event for entry in course.journal.read(1)]
    reports = [event for event in told if isinstance(event, ReportAccepted)]
    assert sum(event.symbol == BEYOND for event in reports) > 3
    assert max(event.symbol.nbits for event in reports) <= 16
    assert course.result.best_arm == 0


def test_without_losses_each_question_goes_down_once_and_the_best_arm_alone_is_dismissed() -> None:
    course = World(coins(_MEANS, EU868), EU868, seed=3).run()
    events = [entry.event for entry in course.journal.read(1)]
    questions = sum(isinstance(event, ReportAccepted) for event in events)
    assert course.server.downlinks == questions + 1
    assert [device.arm.is_over for device in course.devices] == [True, False, False, False, False]
    assert [device.is_resting for device in course.devices] == [False, True, True, True, True]
    assert all(device.heard <= len(device.uplinks) for device in course.devices)


def _frames_in_process(world: World, region: Region) -> int:
    """Downlinks of the run of a world, as `identify` counts them for its link."""
    ledger, setup = LinkLedger(find_link(region.link)), world.setup
    sources = world.problem.sources(setup.spec.seed)
    bits = most_symbol_bits(region.up.max_bytes)
    run_setup(
        setup, sources, clip=False, journal=MemoryJournal(), watch=ledger.watch, most_bits=bits
    )
    return ledger.fleet().messages_down


@pytest.mark.parametrize("region", [EU868, US915], ids=lambda region: region.link)
def test_the_service_the_server_and_identify_count_the_same_downlinks(region: Region) -> None:
    for seed in range(5):
        world = World(coins(_MEANS, region), region, seed=seed)
        course = world.run()
        assert world.ledger.fleet().messages_down == course.server.downlinks
        assert _frames_in_process(world, region) == course.server.downlinks


# -- who gave up -----------------------------------------------------------------------------------


def _deafen(world: World, words: int) -> None:
    """So many of the first words in which each device gives up are lost."""
    lost, is_lost = Counter[str](), world.is_lost

    def is_lost_now(device: Device) -> bool:
        if not device.arm.has_given_up or lost[device.eui] == words:
            return is_lost(device)
        lost[device.eui] += 1
        return True

    world.is_lost = is_lost_now  # type: ignore[method-assign]


@pytest.mark.parametrize(("lost", "days"), [(0, 0), (3, 0), (4, 1), (6, 3)])
def test_a_device_whose_giving_up_is_lost_is_heard_in_the_end(lost: int, days: int) -> None:
    world = World(coins(_MEANS, EU868), EU868, seed=3)
    _deafen(world, lost)
    course = _assert_as_in_process(world, EU868)
    questions = course.server.downlinks - 1
    assert questions == _frames_in_process(world, EU868) - 1
    assert days <= course.days < 4 * days + 1


@pytest.mark.slow
def test_a_device_that_gives_up_once_and_no_more_may_hang_a_run() -> None:
    """Were it not for the repetitions, a frame that is lost would stop all."""
    world = World(coins(_MEANS, EU868), EU868, seed=3, concessions=1, rest=math.inf)
    _deafen(world, 1)
    with pytest.raises(AssertionError, match="the run does not end"):
        world.run()


def test_whoever_goes_on_speaking_after_it_gave_up_is_dismissed() -> None:
    """Once a day is enough; and a dismissal that is lost comes with a later word."""
    for air in (Air(), Air(lost_up=0.3, lost_down=0.5)):
        course = World(coins(_MEANS, EU868), EU868, seed=3, air=air).run(days=30)
        assert all(device.arm.is_over for device in course.devices)
        assert all(len(device.uplinks) < 60 for device in course.devices[1:])


def test_a_device_that_rests_is_not_taken_for_lost() -> None:
    """In a round that others keep open for longer than a device in the race may be silent.

    Those send telemetry while they pull.
    """
    problem = coins(_MEANS, EU868, network='lost = "stop"\nlost_after = 3600.0')
    world, silent = World(problem, EU868, seed=0), World(problem, EU868, seed=0)
    for half_hour in range(200):
        world.at(1800.0 * half_hour, world.send_telemetry)
        silent.at(1800.0 * half_hour, silent.send_telemetry)
    assert world.run().result.outcome is Outcome.DECIDED
    silent.at(20000.0, lambda: silent.switch_off(0))
    assert silent.run().result.outcome is Outcome.AGENT_LOST


def test_a_learner_that_was_set_back_asks_those_that_rest_again() -> None:
    """Its journal ends before the first arm gave up: a day later that arm says where it is."""
    world = World(coins(_MEANS, EU868), EU868, seed=3)

    def set_back() -> None:
        events = [entry.event for entry in world.journal.read(1)]
        gave_up = [isinstance(e, ReportAccepted) and e.beaten_by is not None for e in events]
        world.set_back(gave_up.index(True))

    world.at(43200.0, set_back)
    course = world.run()
    assert course.result.best_arm == 0
    assert course.result.guarantee is not None  # weaker: the run was restored
    assert world.learner.epoch == 2
    assert 1 < course.days < 5


def test_a_device_that_does_not_rest_is_dismissed_within_hours() -> None:
    course = World(coins(_MEANS, EU868), EU868, seed=3, rest=3600.0).run(days=1)
    assert all(device.arm.is_over for device in course.devices)
    assert course.server.downlinks == _frames_in_process(
        World(coins(_MEANS, EU868), EU868, seed=3), EU868
    ) + sum(device.arm.has_given_up for device in course.devices)


def test_a_device_that_gave_up_and_forgot_it_is_told() -> None:
    """It speaks as one that has heard nothing yet, in empty frames: no run, no epoch, no number."""
    world, forgot = World(coins(_MEANS, EU868), EU868, seed=3), list[Device]()

    def forget() -> None:
        device = next(device for device in world.devices if device.is_resting)
        device.forget(CoreArm(lambda count: pytest.fail("its arm is out"), most_bits=16))
        forgot.append(device)

    world.at(2 * 86400.0, forget)
    course = world.run(days=4)
    assert course.days < 2
    assert [device.arm.is_over for device in forgot] == [True]


def test_a_learner_that_is_too_slow_for_the_window_costs_uplinks_alone() -> None:
    quick, slow = (
        World(coins(_MEANS, EU868), EU868, seed=3, latency=latency).run() for latency in (0.05, 5.0)
    )
    assert _story(quick.journal) == _story(slow.journal)
    assert quick.server.downlinks == slow.server.downlinks
    assert quick.uplinks < slow.uplinks


def test_a_report_that_is_said_again_while_a_device_waits_saves_downlinks() -> None:
    air = Air(lost_up=0.3, lost_down=0.3)
    downlinks = [0, 0]
    for seed in range(3):
        for repeats in (False, True):
            world = World(coins(_MEANS, EU868), EU868, seed=seed, air=air, repeats=repeats)
            downlinks[repeats] += world.run().server.downlinks
    assert downlinks[True] < downlinks[False]


def test_a_busy_gateway_holds_downlinks_back_and_nothing_is_lost() -> None:
    """Many devices that speak often: the gateway's own duty cycle is what is short."""
    means = (*_MEANS, *(0.3 for _ in range(15)))
    course = World(coins(means, EU868), EU868, seed=1, every=120.0, pull_seconds=1.0).run()
    assert course.server.held_back > 0
    assert course.result.best_arm == 0


@pytest.mark.parametrize("seed", range(4))
def test_two_devices_with_one_key_void_the_guarantee(seed: int) -> None:
    world = World(coins(_MEANS, EU868), EU868, seed=seed)
    draw, first = random.Random(seed), world.devices[4]
    world.add(
        Device(
            first.eui,
            CoreArm(
                lambda count: [float(draw.random() < 0.95) for _ in range(count)],
                most_bits=most_symbol_bits(EU868.up.max_bytes),
            ),
            EU868,
            every=600.0,
            pull_seconds=60.0,
        )
    )
    assert world.run().result.guarantee is None


def test_a_downlink_that_comes_hours_late_changes_nothing() -> None:
    """Every downlink comes once more, when the device has long gone on."""
    world = World(coins(_MEANS, EU868), EU868, seed=3)
    hear = world._hear

    def again(eui: str, frame: bytes) -> None:
        hear(eui, frame)
        world.at(world._now + 7200.0, lambda: hear(eui, frame))

    world._hear = again  # type: ignore[method-assign]
    _assert_as_in_process(world, EU868)


# -- boards ----------------------------------------------------------------------------------------


@pytest.fixture(params=["C", "MicroPython"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    if request.param == "MicroPython":
        yield FileBench()
        return
    native_bench(tmp_path / "bench", *SANITIZERS)
    with process_bench([str(tmp_path / "bench")]) as own:
        yield own


def _world_of_boards(region: Region, bench: Bench, boards: list[Board], **how: bool) -> World:
    def board(number: int, rewards: Rewards, most_bits: int) -> Arm:
        boards.append(Board(bench, number, rewards, most_bits=most_bits, seed=3, **how))
        return boards[-1]

    world = World(coins(_MEANS, region), region, seed=3, air=_BAD, arm_of=board)
    hear = world._hear

    def again(eui: str, frame: bytes) -> None:
        hear(eui, frame)
        world.at(world._now + 7200.0, lambda: hear(eui, frame))

    world._hear = again  # type: ignore[method-assign]
    return world


@pytest.mark.parametrize("region", [EU868, US915], ids=lambda region: region.link)
def test_boards_whose_power_fails_take_part(region: Region, bench: Bench) -> None:
    """The air, the events, the flash and the power, all bad: the run is the run in one process."""
    boards = list[Board]()
    _assert_as_in_process(_world_of_boards(region, bench, boards), region)
    assert sum(board.troubles for board in boards) > 30


def test_boards_that_forget_do_not_make_the_run_in_one_process() -> None:
    with pytest.raises(AssertionError):
        _assert_as_in_process(_world_of_boards(EU868, FileBench(), [], forgets=True), EU868)
