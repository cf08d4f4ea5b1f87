"""LoRaWAN devices behind ChirpStack: over a real broker, the run is the in-process run."""

from pathlib import Path

import pytest
from brokers import PlainBroker
from drives import story
from e2e.chirpstack_server import ChirpStack, Device
from e2e.processes import PROBLEM, field
from runtime.chirpstack.events import APPLICATION

from bitarm.api.identify import run_problem
from bitarm.api.network.learner import LearnerEnd, run_learner
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    PullsCounted,
    ReportAccepted,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.store import MemoryJournal

pytestmark = pytest.mark.slow

_SEED = 11


def _problem(devices: int) -> Problem:
    arms = "".join(
        f'[[arm]]\nname = "{arm}"\nagent = "node-{arm % devices}"\n'
        f'device = "01020304050607{arm % devices:02x}"\n'
        f'source = "bernoulli"\nmean = 0.{2 * arm + 2}\n'
        for arm in range(4)
    )
    return parse_problem(
        "[problem]\nbounds = [0.0, 1.0]\ndelta = 0.1\n"
        f'[network]\nvia = "chirpstack"\napplication = "{APPLICATION}"\n'
        f'link = "lorawan-eu868-dr0"\n{arms}',
        Path(),
    )


def _run(
    problem: Problem, broker: PlainBroker, journal: Journal, lose_every: int | None = None
) -> tuple[LearnerEnd, ChirpStack]:
    names = sorted({arm.device for arm in problem.arms if arm.device})
    devices = [Device(problem, eui, _SEED) for eui in names]
    server = ChirpStack(broker.port, devices, lose_every)
    try:
        end = run_learner(problem, name="lab", broker=broker.address, journal=journal, seed=_SEED)
    finally:
        server.close()
    return end, server


def _story(journal: Journal) -> object:
    events = [entry.event for entry in journal.read(1)]
    others = FleetAssigned | TrafficMeasured | AgentJoined | PullsCounted  # a device tells no count
    return story([event for event in events if not isinstance(event, others)])


@pytest.mark.parametrize("devices", [4, 2])
def test_the_run_of_devices_is_the_embedded_run(devices: int, broker: PlainBroker) -> None:
    problem = _problem(devices)
    journal, embedded = MemoryJournal(), MemoryJournal()
    end, server = _run(problem, broker, journal)
    _, result = run_problem(problem, seed=_SEED, journal=embedded)
    assert _story(journal) == _story(embedded)
    assert end.result is not None
    assert (end.result.best_arm, end.result.payload_bits) == (3, result.payload_bits)
    assert all(device.dismissed or device.is_resting for device in server.devices.values())
    assert sum(device.dismissed for device in server.devices.values()) <= 1
    assert end.ledger is not None
    assert end.ledger.fleet().messages_down == server.downlinks  # none was repeated or swallowed


def test_downlinks_that_are_lost_in_the_air_change_nothing(broker: PlainBroker) -> None:
    problem = _problem(4)
    journal, embedded = MemoryJournal(), MemoryJournal()
    end, _ = _run(problem, broker, journal, lose_every=3)
    run_problem(problem, seed=_SEED, journal=embedded)
    assert _story(journal) == _story(embedded)
    assert end.ledger is not None
    events = [entry.event for entry in journal.read(1)]
    questions = sum(isinstance(event, ReportAccepted) for event in events)
    assert end.ledger.fleet().messages_down > questions + 1  # those that were lost came again


def test_a_learner_that_is_killed_goes_on_with_its_devices(
    broker: PlainBroker, tmp_path: Path
) -> None:
    names = ("north", "south", "tower")
    toml = PROBLEM.replace("growth = 1.1", "growth = 1.3")  # devices take their time
    for number, name in enumerate(names):
        named = f'name = "{name}"\n'
        toml = toml.replace(named, f'{named}device = "010203040506070{number}"\n')
    problem = parse_problem(toml, Path())
    devices = [Device(problem, f"010203040506070{number}", seed=5) for number in range(3)]
    with field(tmp_path, broker.url, toml) as place:
        server = ChirpStack(broker.port, devices)
        try:
            place.start_learner("--via", "chirpstack", "--application", APPLICATION)
            place.wait_for_reports(9)
            place.kill("learner")
            place.start_learner()  # the journal knows the way to its devices
            assert place.wait("learner") == 0
        finally:
            server.close()
        _, embedded = run_problem(problem, seed=5, journal=MemoryJournal())
        assert place.result()["best_arm_name"] == embedded.best_arm_name == "tower"
        assert place.result()["payload_bits"] == embedded.payload_bits
