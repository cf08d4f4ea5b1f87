"""Whoever reads what lies on a disk: agents' files, journals, problem files.

Each function here makes a reader: it takes one input, and any exception but the project's own is a
defect.
"""

import hashlib
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from drives import drive_problem
from fuzzing.frames import question
from fuzzing.services import CHALLENGE, OPENING, TOPICS, Reader, announced, joined
from fuzzing.texts import spoilt, texts
from memory_disk import memory_disk
from tapes import Problem, Tape, make_spec
from wires.memories import MemoryKeeper

from bitarm import wire
from bitarm.api.arm_tables import ArmsFile, load_arms
from bitarm.api.fleet import fleet_of
from bitarm.api.problem import Problem as ProblemFile
from bitarm.api.problem import load_problem
from bitarm.api.sources import runs_code
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.events import RunOpened
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.plain import dumps_plain
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.replay import replay
from bitarm.core.result import result_of
from bitarm.core.sentences import sentence_of
from bitarm.core.standings import Standings
from bitarm.errors import BitarmError, ConfigError, StoreError
from bitarm.runtime.agent.file import AgentFile
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.store import MemoryJournal, SqliteJournal
from bitarm.store.event_bodies import read_body, write_body
from bitarm.wire.topics import Subject

ROOT = Path(__file__).parents[2]
_SHORT = Problem(
    spec=make_spec(arms=3, quantizer=Icq(bits=3, prior="midpoint")),
    policy=SuccessiveElimination(),
    limits=Limits(rounds=4),
    tape=Tape(seed=3, means=(300, 500, 700), spread=150, bounds=(0, 1024)),
)
_FEW = announced(3)
EVENTS = drive_problem(_SHORT).events
BODIES = [write_body(event).encode() for event in EVENTS]
_CHALLENGES = [
    write_body(event).encode()
    for event in drive_problem(replace(CHALLENGE, limits=Limits(rounds=2))).events[::15]
]


class _Shelf(MemoryKeeper):
    """A memory that was read from a file, and is not written back."""

    def __init__(self, memory: AgentMemory | None) -> None:
        super().__init__()
        self.memory = memory


# -- agents' files ---------------------------------------------------------------------------


def agent_files(rng: random.Random, count: int) -> Iterator[bytes]:
    """An agent's file, damaged; or changed by somebody who can make its check sum."""
    sound = _a_memory()
    for number, text in enumerate(texts(rng, count, [sound])):
        if number % 2:
            yield text
            continue
        memory = spoilt(rng, json.dumps(json.loads(sound)["memory"]))
        with suppress(BitarmError, ValueError, TypeError, UnicodeEncodeError):
            yield json.dumps({"version": 3, "sum": _sum(memory), "memory": memory}).encode()
            continue
        yield text


def _sum(memory: Any) -> str:
    return hashlib.blake2b(dumps_plain(memory).encode(), digest_size=16).hexdigest()


def _a_memory() -> bytes:
    """What an agent keeps after it has answered a question."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gw.json"
        keeper = AgentFile(path)
        service = joined(keeper, _FEW)
        service.received(TOPICS.of("gw", Subject.REQUEST), _asking(random.Random(5)))
        list(service.step(1.0))
        list(service.step(2.0))
        list(service.stop())
        keeper.close()
        return path.read_bytes()


def _asking(rng: random.Random) -> bytes:
    field = run_field(run_of_opening(OPENING), 1)
    return wire.pack([Request(run=field, arm=0, message=1, question=question(rng))])


def read_agent_file() -> Reader:
    """An agent that starts with such a file, and is asked."""
    path = Path(tempfile.mkdtemp(prefix="bitarm-fuzz-", dir=memory_disk())) / "gw.json"
    file, rng = AgentFile(path), random.Random(1)

    def take(payload: bytes) -> None:
        path.write_bytes(payload)
        try:
            memory = file.load()
        except StoreError:
            return
        service = joined(_Shelf(memory), _FEW)
        service.received(TOPICS.of("gw", Subject.REQUEST), _asking(rng))
        list(service.step(1.0))
        list(service.stop())
        assert service.failure is None or isinstance(service.failure, BitarmError)

    return take


# -- journals --------------------------------------------------------------------------------


def rows(rng: random.Random, count: int) -> Iterator[bytes]:
    """Bodies of entries: of a short run, and of challenges."""
    return texts(rng, count, [*BODIES, *_CHALLENGES])


def read_row() -> Reader:
    """One body, read as the journal reads it."""

    def take(payload: bytes) -> None:
        with suppress(StoreError):
            read_body(payload.decode("utf-8", "surrogateescape"), place="entry 3")

    return take


def read_run() -> Reader:
    """A run with one entry that is not its own: replayed, told in words, and summed up."""
    rng = random.Random(1)

    def take(payload: bytes) -> None:
        try:
            event = read_body(payload.decode("utf-8", "surrogateescape"), place="entry 3")
        except StoreError:
            return
        events, at = list(EVENTS), rng.randrange(len(EVENTS))
        events[at] = event
        for use in _USES:
            with suppress(BitarmError):
                use(events)

    return take


def _tell(events: list[Any]) -> None:
    opened = events[0]
    if isinstance(opened, RunOpened):
        for event in events:
            sentence_of(event, opened.setup)


_USES: tuple[Callable[[list[Any]], object], ...] = (
    replay,
    _tell,
    lambda events: result_of(Standings.of(events)),
)


def read_journal() -> Reader:
    """A journal's file in which one entry has such a body."""
    path = Path(tempfile.mkdtemp(prefix="bitarm-fuzz-", dir=memory_disk())) / "runs.sqlite"
    opened, *rest = EVENTS
    assert isinstance(opened, RunOpened)
    with closing(SqliteJournal.open(path)) as journal:
        journal.open_run(opened, rest)
    connection, rng = sqlite3.connect(path, isolation_level=None), random.Random(1)
    connection.execute("PRAGMA synchronous = OFF")

    def take(payload: bytes) -> None:
        at = rng.randrange(len(EVENTS))
        text = payload if rng.random() < 0.1 else payload.decode("utf-8", "replace")
        place = "WHERE run = 1 AND sequence = ?"
        connection.execute(f"UPDATE events SET body = ? {place}", (text, at + 1))
        try:
            with suppress(BitarmError), closing(SqliteJournal.open_read_only(path)) as journal:
                journal.runs()
                events = [entry.event for entry in journal.read(1)]
                for use in _USES:
                    with suppress(BitarmError):
                        use(events)
        finally:
            sound = BODIES[at].decode()
            connection.execute(f"UPDATE events SET body = ? {place}", (sound, at + 1))

    return take


# -- problem files ---------------------------------------------------------------------------


def example_problems() -> list[str]:
    """Those that come with the project."""
    return [path.read_text() for path in sorted((ROOT / "examples").glob("*.toml"))]


def known_words() -> list[str]:
    """All words that a problem file may have."""
    schema = json.loads((ROOT / "src/bitarm/problem.schema.json").read_text())
    return sorted(set(_properties(schema)))


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    values = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict | list):
        for value in values:
            yield from _properties(value)


def read_problem() -> Reader:
    """A problem file as learner and agent read it; code that it names is not run."""
    folder = Path(tempfile.mkdtemp(prefix="bitarm-fuzz-", dir=memory_disk()))
    path = folder / "problem.toml"
    (folder / "firmware.csv").write_bytes((ROOT / "examples/firmware.csv").read_bytes()[:2000])

    def take(payload: bytes) -> None:
        path.write_bytes(payload)
        with suppress(ConfigError):
            problem = load_problem(path)
            for use in (_set_up, _assign, _open):
                with suppress(BitarmError):
                    use(problem)
        with suppress(ConfigError):
            arms = load_arms(path)
            with suppress(BitarmError):
                _open(arms)

    return take


def _set_up(problem: ProblemFile) -> None:
    opened = Learner(problem.setup(7), OPENING).start().events[0]
    assert isinstance(opened, RunOpened)
    MemoryJournal().open_run(opened)


def _assign(problem: ProblemFile) -> None:
    fleet_of(problem, "lab")


def _open(problem: ProblemFile | ArmsFile) -> None:
    for number, arm in enumerate(problem.arms):
        if not runs_code(arm.source):
            arm.rewards(number, 7, folder=problem.folder).pull(3)
