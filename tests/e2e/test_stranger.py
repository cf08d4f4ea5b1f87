"""An agent written from docs/wire.md alone takes part in a run: the same symbols, drops and answer.

Its rewards and those of the others are multiples of 1/1024, whose sums are exact in any order.
"""

import ast
import json
import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from brokers import PlainBroker
from drives import story
from e2e.processes import NAMES, RUN, Field, field
from loopback import eventually
from paho.mqtt.enums import CallbackAPIVersion
from tapes import UNIT

from bitarm.api.identify import run_problem
from bitarm.api.problem import parse_problem
from bitarm.core.events import (
    AgentJoined,
    CaveatNoted,
    FleetAssigned,
    LearnerEvent,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.journal import Journal
from bitarm.core.standings import Standings
from bitarm.store import MemoryJournal, SqliteJournal
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Status, dump_status

STRANGER = Path(__file__).with_name("stranger.py")
SERVED = "tower"  # the best arm: it is asked to the end
MEANS = {"north": 0.4, "south": 0.5, "tower": 0.7}
SPREAD = 0.25
ROWS = 60_000

_OF_THE_NETWORK = FleetAssigned | TrafficMeasured | AgentJoined


def _problem(scheme: str) -> str:
    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "csv"\npath = "rewards.csv"\ncolumn = "{name}"\n'
        for name in NAMES
    )
    return f"[problem]\nbounds = [0.0, 1.0]\ndelta = 0.05\n[scheme]\n{scheme}\n{arms}"


def _record(folder: Path) -> None:
    """The rewards of all arms for `bitarm agent`, and those of one for the stranger."""
    draw = random.Random(5)
    lows = {name: round((mean - SPREAD) * UNIT) for name, mean in MEANS.items()}
    width = round(2 * SPREAD * UNIT)
    rows = [[(lows[name] + draw.randint(0, width)) / UNIT for name in NAMES] for _ in range(ROWS)]
    lines = [",".join(NAMES), *(",".join(map(repr, row)) for row in rows)]
    (folder / "rewards.csv").write_text("\n".join(lines) + "\n")
    served = NAMES.index(SERVED)
    (folder / "rewards.txt").write_text("".join(f"{row[served]!r}\n" for row in rows))


def _start_stranger(place: Field, broker: PlainBroker) -> None:
    own = (str(place.folder / "rewards.txt"), str(place.folder / "memory.json"))
    with (place.folder / f"{SERVED}.err").open("ab") as stderr:
        place.running[SERVED] = subprocess.Popen(
            [sys.executable, str(STRANGER), "127.0.0.1", str(broker.port), RUN, SERVED, *own],
            stderr=stderr,
            # Nothing of ours can be imported, not even from the folder it was started in.
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            cwd=place.folder,
        )


def _start(place: Field, broker: PlainBroker) -> None:
    _record(place.folder)
    for name in NAMES:
        if name != SERVED:
            place.start_agent(name)
    _start_stranger(place, broker)
    place.start_learner()


def _said(journal: Journal) -> list[LearnerEvent]:
    events = [entry.event for entry in journal.read(1)]
    return [event for event in events if not isinstance(event, _OF_THE_NETWORK)]


def _assert_as_embedded(place: Field, problem: str) -> None:
    assert place.wait("learner") == 0, place.said("learner")
    assert [place.wait(name) for name in NAMES] == [0, 0, 0], place.said(SERVED)
    assert "refused" not in place.said(SERVED)
    assert f"agent {SERVED} is done" in place.said("learner"), place.said("learner")
    embedded = MemoryJournal()
    _, result = run_problem(parse_problem(problem, place.folder), seed=5, journal=embedded)
    with closing(SqliteJournal.open_read_only(place.store)) as journal:
        standings = Standings.of(entry.event for entry in journal.read(1))
        events = _said(journal)
    # how many rows were recorded is known where one process reads them all, and there alone
    own, theirs = (
        [event for event in said if not isinstance(event, RunOpened)]
        for said in (_said(embedded), events)
    )
    assert story(theirs) == story(own)
    assert not any(isinstance(event, CaveatNoted) for event in events)
    assert standings.payload_bits == result.payload_bits
    assert standings.ending is not None
    assert standings.ending.best_arm == result.best_arm == NAMES.index(SERVED)
    assert place.result()["best_arm_name"] == SERVED
    assert place.result()["guarantee"] is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme",
    [
        'quantizer = "icq"\nbits = 3\npolicy = "se"',
        'policy = "se"',
        'quantizer = "quban"\npolicy = "se"',
        'quantizer = "fed-sel"\npolicy = "se"',
        'quantizer = "exact"\npolicy = "se"',
    ],
    ids=["icq", "dicq", "quban", "fed-sel", "exact"],
)
def test_the_run_is_the_embedded_run(scheme: str, broker: PlainBroker, tmp_path: Path) -> None:
    problem = _problem(scheme)
    with field(tmp_path, broker.url, problem) as place:
        _start(place, broker)
        _assert_as_embedded(place, problem)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme",
    [
        'quantizer = "icq"\nbits = 3\npolicy = "se"\ngrowth = 1.1',
        'policy = "se"\ngrowth = 1.1',
    ],
    ids=["icq", "dicq"],
)
def test_killed_in_the_middle_and_started_again(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    problem = _problem(scheme)
    with field(tmp_path, broker.url, problem) as place:
        _start(place, broker)
        for more in (7, 13):  # which the stranger answers, too: without it no round ends
            place.wait_for_reports(place.accepted() + more)
            place.kill(SERVED)
            assert json.loads((tmp_path / "memory.json").read_text())["count"] > 0
            assert place.running["learner"].poll() is None, "the run was over before"
            _start_stranger(place, broker)
        _assert_as_embedded(place, problem)
    with closing(SqliteJournal.open_read_only(place.store)) as journal:
        joined = [entry.event for entry in journal.read(1)]
    boots = {
        event.boot for event in joined if isinstance(event, AgentJoined) and event.agent == SERVED
    }
    assert len(boots) == 3


@pytest.mark.slow
@pytest.mark.parametrize("is_ours", [False, True], ids=["stranger", "bitarm agent"])
def test_what_an_agent_says_last_is_heard_though_more_is_on_its_way_to_it(
    broker: PlainBroker, tmp_path: Path, *, is_ours: bool
) -> None:
    """A line that is closed with messages unread is broken: the broker then reads no further."""
    told: list[str] = []

    def hear(client: Any, data: Any, message: paho.MQTTMessage) -> None:
        told.append(json.loads(message.payload or '{"presence": "cleared"}')["presence"])

    learner = paho.Client(CallbackAPIVersion.VERSION2)
    learner.on_message = hear
    learner.connect("127.0.0.1", broker.port)
    learner.subscribe(f"bitarm/v2/{RUN}/{SERVED}/status", 1)
    learner.loop_start()
    announced = Announcement(opening="first", epoch=1, arms={2: SERVED}, bounds=(0.0, 1.0), seed=5)
    over = Status(presence=Presence.DONE, opening="first", epoch=1)
    try:
        with field(tmp_path, broker.url) as place:
            (tmp_path / "rewards.txt").touch()
            learner.publish(
                f"bitarm/v2/{RUN}/{SERVED}/run", dump_announcement(announced), 1, retain=True
            )
            if is_ours:
                place.start_agent(SERVED)
            else:
                _start_stranger(place, broker)
            eventually(lambda: "online" in told, "the agent")
            for _ in range(500):
                learner.publish(f"bitarm/v2/{RUN}/learner/end", dump_status(over), 1)
            assert place.wait(SERVED) == 0
            eventually(lambda: told[-1] != "online", "its farewell")
            eventually(lambda: told[-1] != "done", "what follows it")
    finally:
        learner.disconnect()
        learner.loop_stop()
    assert [word for word in told if word != "online"] == ["done", "cleared"]


def test_it_is_short_and_has_nothing_of_ours() -> None:
    source = STRANGER.read_text("utf-8")
    assert len(source.splitlines()) <= 150
    imported = [
        name
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    assert "json" in imported
    assert {name.partition(".")[0] for name in imported} <= {*sys.stdlib_module_names, "paho"}
    assert not {"importlib", "runpy", "subprocess"} & set(imported)
