"""Over a real broker the run is the in-process run: symbols, drops, answer and price."""

import threading
from pathlib import Path

import pytest
from brokers import PlainBroker
from drives import story

from bitarm.api.identify import run_problem
from bitarm.api.network.agent import AgentEnd, run_agent
from bitarm.api.network.learner import run_learner
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    PullsCounted,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.messages import Cause
from bitarm.core.outcome import Outcome
from bitarm.core.result import RunResult
from bitarm.core.standings import Standings
from bitarm.store import MemoryJournal

pytestmark = pytest.mark.slow

_ARMS = """
[[arm]]
name = "a"
source = "bernoulli"
mean = 0.3

[[arm]]
name = "b"
source = "bernoulli"
mean = 0.5

[[arm]]
name = "c"
source = "bernoulli"
mean = 0.8
"""
_GATEWAYS = "".join(
    f'[[arm]]\nname = "{arm}"\nagent = "gw-{arm % 2}"\nsource = "bernoulli"\nmean = 0.{arm + 1}\n'
    for arm in range(6)
)


def _problem(scheme: str, arms: str = _ARMS) -> Problem:
    toml = f"[problem]\nbounds = [0.0, 1.0]\ndelta = 0.1\n[scheme]\n{scheme}\n{arms}"
    return parse_problem(toml, Path())


def _said(journal: Journal) -> list[LearnerEvent]:
    events = [entry.event for entry in journal.read(1)]
    others = FleetAssigned | TrafficMeasured | AgentJoined | PullsCounted  # told when it suits
    return [event for event in events if not isinstance(event, others)]


def _over_the_broker(
    problem: Problem, broker: PlainBroker, folder: Path, seed: int, name: str
) -> tuple[MemoryJournal, dict[str, AgentEnd]]:
    ends: dict[str, AgentEnd] = {}

    def serve(agent: str) -> None:
        ends[agent] = run_agent(
            problem.for_agents(),
            agent=agent,
            name=name,
            broker=broker.address,
            state=folder,
            seed=seed,
        )

    threads = [
        threading.Thread(target=serve, args=(agent,), daemon=True)
        for agent in {arm.agent for arm in problem.arms}
    ]
    for thread in threads:
        thread.start()
    journal = MemoryJournal()
    run_learner(problem, name=name, broker=broker.address, journal=journal, seed=seed)
    for thread in threads:
        thread.join(30)
    return journal, ends


@pytest.mark.parametrize(
    "scheme",
    [
        "",  # the default: requests carry hints, arms concede
        'policy = "se"',
        'quantizer = "icq"\nbits = 3',
        'quantizer = "icq"\nbits = 1\npolicy = "lucb"',
        'quantizer = "quban"\npolicy = "se"',
        'quantizer = "fed-sel"\npolicy = "lil-ucb"',
        'quantizer = "exact"\ngrowth = 1.5',
    ],
)
def test_the_networked_run_is_the_embedded_run(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    problem = _problem(scheme)
    _assert_same(problem, broker, tmp_path)


@pytest.mark.parametrize("policy", ["sequential-halving", "successive-rejects"])
@pytest.mark.parametrize(
    ("quantizer", "bits"), [("icq", 20), ("dicq", 17), ("exact", 640), ("dicq", None)]
)
def test_a_budget_is_spent_over_the_network_as_in_one_process(
    policy: str, quantizer: str, bits: int | None, broker: PlainBroker, tmp_path: Path
) -> None:
    budget = "" if bits is None else f"bit_budget = {bits}"
    toml = (
        f"[problem]\nbounds = [0.0, 1.0]\npull_budget = 90\n{budget}\n"
        f'[scheme]\nquantizer = "{quantizer}"\npolicy = "{policy}"\n{_ARMS}'
    )
    result = _assert_same(parse_problem(toml, Path()), broker, tmp_path)
    assert (result.outcome, result.guarantee) == (Outcome.BUDGET_SPENT, None)
    assert result.best_arm is not None
    assert result.samples in (89, 90)
    assert bits is None or result.payload_bits <= bits


def _assert_same(problem: Problem, broker: PlainBroker, folder: Path) -> RunResult:
    journal, ends = _over_the_broker(problem, broker, folder, seed=11, name="lab")
    embedded = MemoryJournal()
    _, result = run_problem(problem, seed=11, journal=embedded)
    assert story(_said(journal)) == story(_said(embedded))
    standings = Standings.of(entry.event for entry in journal.read(1))
    assert standings.ending is not None
    assert standings.ending.best_arm == result.best_arm
    assert standings.payload_bits == result.payload_bits
    assert standings.traffic is not None
    assert result.wire_bytes is not None
    assert standings.traffic.payload_bytes == result.payload_bytes
    assert standings.traffic.wire_bytes_up == result.wire_bytes.up
    assert all(not end.stopped and set(end.causes.values()) <= set(Cause) for end in ends.values())
    assert len(ends) == len(problem.arms)
    return result


@pytest.mark.parametrize("scheme", ["", 'quantizer = "icq"\nbits = 3'], ids=["default", "icq"])
def test_gateways_pack_their_arms_and_say_the_same_in_fewer_bytes(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    problem = _problem(scheme, _GATEWAYS)
    journal, _ = _over_the_broker(problem, broker, tmp_path, seed=4, name="lab")
    embedded = MemoryJournal()
    _, result = run_problem(problem, seed=4, journal=embedded)
    assert story(_said(journal)) == story(_said(embedded))
    traffic = Standings.of(entry.event for entry in journal.read(1)).traffic
    assert traffic is not None
    assert result.wire_bytes is not None
    assert traffic.wire_bytes_up < result.wire_bytes.up
    assert sum(traffic.arms_up) == traffic.wire_bytes_up
    assert sum(traffic.arms_down) == traffic.wire_bytes_down


def test_the_default_keeps_to_a_link_of_51_bytes(broker: PlainBroker, tmp_path: Path) -> None:
    problem = _problem('[network]\nlink = "lorawan-eu868-dr0"', _GATEWAYS)
    journal, _ = _over_the_broker(problem, broker, tmp_path, seed=4, name="lab")
    embedded = MemoryJournal()
    run_problem(problem, seed=4, journal=embedded)
    assert story(_said(journal)) == story(_said(embedded))


@pytest.mark.parametrize(("link", "most_bytes"), [("lorawan-us915-dr0", 11), ("nb-iot", 1358)])
def test_on_a_link_the_run_is_the_same_and_its_frames_fit(
    link: str, most_bytes: int, broker: PlainBroker, tmp_path: Path
) -> None:
    problem = _problem(f'quantizer = "icq"\nbits = 3\n[network]\nlink = "{link}"', _GATEWAYS)
    journal, _ = _over_the_broker(problem, broker, tmp_path, seed=4, name="lab")
    embedded = MemoryJournal()
    run_problem(problem, seed=4, journal=embedded)
    assert story(_said(journal)) == story(_said(embedded))
    standings = Standings.of(entry.event for entry in journal.read(1))
    messages = sum(arm.messages for arm in standings.arms)
    assert standings.traffic is not None
    assert (standings.traffic.wire_bytes_up == messages * 11) is (most_bytes == 11)


def test_two_runs_on_one_broker_do_not_meet(broker: PlainBroker, tmp_path: Path) -> None:
    problem = _problem('quantizer = "icq"\nbits = 3')
    kept: dict[str, MemoryJournal] = {}

    def run(name: str, seed: int) -> None:
        kept[name], _ = _over_the_broker(problem, broker, tmp_path / name, seed, name)

    threads = [
        threading.Thread(target=run, args=(name, seed), daemon=True)
        for name, seed in (("one", 1), ("two", 2))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for name, seed in (("one", 1), ("two", 2)):
        embedded = MemoryJournal()
        run_problem(problem, seed=seed, journal=embedded)
        assert story(_said(kept[name])) == story(_said(embedded))


def test_rewards_from_a_sensor_s_topic(broker: PlainBroker, tmp_path: Path) -> None:
    """Two sensors publish all the time; their agents take what they need."""
    import paho.mqtt.client as paho
    from paho.mqtt.enums import CallbackAPIVersion

    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "topic"\ntopic = "s/{name}"\npointer = "/v/0"\n'
        for name in ("dim", "bright")
    )
    problem = _problem('quantizer = "icq"\nbits = 2', arms)
    over = threading.Event()

    def publish() -> None:
        client = paho.Client(CallbackAPIVersion.VERSION2)
        client.connect("127.0.0.1", broker.port)
        while not over.is_set():
            client.publish("s/dim", b'{"v": [0.2]}')
            client.publish("s/bright", b'{"v": [0.9]}')
            client.loop(0.001)
        client.disconnect()

    sensors = threading.Thread(target=publish, daemon=True)
    sensors.start()
    try:
        journal, _ = _over_the_broker(problem, broker, tmp_path, seed=1, name="lab")
    finally:
        over.set()
        sensors.join(10)
    ending = Standings.of(entry.event for entry in journal.read(1)).ending
    assert ending is not None
    assert ending.best_arm == 1
