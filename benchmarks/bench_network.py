"""A round of 1,000 agents over a broker: the learner, journaling on, beside a bare MQTT client.

Both exchange the same frames on the same topics with the same fleet through the same broker, by
turns in one run. The figure is the ratio of their times for a round; seconds are for the docs.
"""

import resource
import selectors
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from brokers import PlainBroker
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.fleet import BITS, RUN, TOPICS, agent_name, make_client, turn
from benchmarks.history import record
from bitarm import wire
from bitarm.core.codes import Bins
from bitarm.core.events import FleetAssigned, LearnerEvent, RoundOpened
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.question import Question
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.runtime.learner.begin import open_run
from bitarm.runtime.mqtt import MqttDriver
from bitarm.store import SqliteJournal
from bitarm.wire.topics import Subject

AGENTS = 1_000
ROUNDS = 12
TURNS = 3
LIMIT = 1.75  # a question is made, journaled and spelt for each agent


def spec_of(agents: int) -> RunSpec:
    return RunSpec(
        arms=tuple(agent_name(arm) for arm in range(agents)),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Icq(bits=BITS, prior="midpoint"),
        width="paper",
        schedule=paper_schedule(2.0),
        priors=(),
        seed=1,
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[PlainBroker]:
    """A broker with a thousand agents on it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = PlainBroker(folder)
    broker.start()
    words = [sys.executable, "-m", "benchmarks.fleet", str(broker.port), str(AGENTS)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield broker
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        broker.kill()


def seconds_of_a_bare_round(broker: PlainBroker) -> float:
    """A client that asks every agent and counts the answers: the median over rounds."""
    selector = selectors.DefaultSelector()
    client = make_client("bare", selector)
    heard = 0

    def received(client: paho.Client, data: Any, message: paho.MQTTMessage) -> None:
        nonlocal heard
        heard += 1

    client.on_connect = lambda c, *_: c.subscribe(TOPICS.of("+", Subject.REPORT), 1)
    client.on_message = received
    subscribed: list[object] = []
    client.on_subscribe = lambda *_: subscribed.append(1)
    client.connect("127.0.0.1", broker.port, keepalive=600)
    client.loop_write()
    while not subscribed:
        turn(selector, 1.0)
    times = []
    for message in range(1, ROUNDS + 2):
        code = Bins(low=-1.0, step=1 / 3, bins=1 << BITS)
        question = Question(until=2**message, code=code)
        asked = [
            Request(run=1, arm=arm, message=message, question=question) for arm in range(AGENTS)
        ]
        frames = [
            (TOPICS.of(agent_name(request.arm), Subject.REQUEST), wire.encode(request))
            for request in asked
        ]
        begin, heard = time.perf_counter(), 0
        for topic, frame in frames:
            client.publish(topic, frame, qos=1)
        client.loop_write()
        while heard < AGENTS:
            turn(selector, 1.0)
        times.append(time.perf_counter() - begin)
    client.disconnect()
    client.loop_write()
    selector.close()
    return statistics.median(times[1:])


def seconds_of_a_learner_s_round(broker: PlainBroker, store: Path) -> float:
    """The same exchange by the learner's service, journal included: the median over rounds."""
    spec = spec_of(AGENTS)
    opened: list[float] = []

    def watch(events: Sequence[LearnerEvent]) -> None:
        opened.extend(time.perf_counter() for event in events if isinstance(event, RoundOpened))

    with closing(SqliteJournal.open(store)) as journal:
        limits = Limits(rounds=ROUNDS + 1)
        learner = Learner(
            Setup(spec=spec, policy=SuccessiveElimination(), limits=limits), opening=store.stem
        )
        assigned = FleetAssigned(fleet=RUN, agents=spec.arms)
        _, service = open_run(
            learner,
            journal,
            assigned,
            boot=store.stem,
            watch=watch,
            now=time.monotonic(),
            linger=0,
        )
        driver = MqttDriver(service, broker.address)
        driver.run()
        driver.close()
    assert len(opened) == ROUNDS + 1, "an agent was dropped or a round is missing"
    gaps = [after - before for before, after in pairwise(opened[1:])]
    return statistics.median(gaps)


def bytes_an_agent(store: Path) -> float:
    """What a learner's service holds for each agent: machine, roster, meter."""
    spec = spec_of(AGENTS)
    with closing(SqliteJournal.open(store)) as journal:
        tracemalloc.start()
        learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
        assigned = FleetAssigned(fleet=RUN, agents=spec.arms)
        kept = open_run(learner, journal, assigned, boot="", watch=lambda events: None, now=0.0)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept
    return held / AGENTS


def test_a_round_of_a_thousand_agents(
    benchmark: BenchmarkFixture, fleet: PlainBroker, tmp_path: Path
) -> None:
    bare, ours = [], []

    def by_turns() -> None:
        for number in range(TURNS):
            bare.append(seconds_of_a_bare_round(fleet))
            store = tmp_path / f"runs-{number}.sqlite"
            ours.append(seconds_of_a_learner_s_round(fleet, store))

    benchmark.pedantic(by_turns, rounds=1)  # type: ignore[no-untyped-call]
    ratio = min(ours) / min(bare)
    record(
        "a learner's round over MQTT, 1,000 agents",
        milliseconds_a_round=min(ours) * 1e3,
        bare_milliseconds=min(bare) * 1e3,
        round_trips_a_second=AGENTS / min(ours),
        ratio=ratio,
        bytes_an_agent=bytes_an_agent(tmp_path / "memory.sqlite"),
    )
    assert ratio <= LIMIT
