"""Makes journal_v1.sqlite: a journal as version 1 of the format wrote it.

It was run once, and the file is kept: never make it anew to please a test. The SQL is spelt out
here, not taken from the migrations, so that an edit of a released step cannot go unseen.
"""

import random
import sqlite3
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from bitarm.core.agent import Agent
from bitarm.core.events import CaveatNoted, LearnerEvent, RunOpened, TrafficMeasured, dump_event
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Dismiss, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq, QuBan
from bitarm.core.schedule import paper_schedule
from bitarm.core.spec import RunSpec

GOLDEN = Path(__file__).with_name("journal_v1.sqlite")
MEANS = (0.2, 0.5, 0.9)
SIGMA = 0.125


def spec(quantizer: Icq | QuBan, seed: int) -> RunSpec:
    return RunSpec(
        arms=("north", "south", "möwe"),
        delta=0.05,
        sigma=SIGMA,
        bounds=None,
        quantizer=quantizer,
        width="paper",
        schedule=paper_schedule(2.0),
        priors=(),
        seed=seed,
    )


def transactions(spec: RunSpec, limits: Limits) -> Iterator[tuple[LearnerEvent, ...]]:
    """What a learner with real agents hands over to be kept, step by step."""
    learner = Learner(spec, SuccessiveElimination(), limits)
    agents = [Agent(spec, arm) for arm in range(len(spec.arms))]
    rewards = random.Random(spec.seed)
    started = learner.start()
    yield started.events
    waiting: list[Request | Dismiss] = list(started.messages)
    while waiting:
        message = waiting.pop(0)
        agent = agents[message.arm]
        reports = list(agent.receive(message).messages)
        while agent.wanted:
            reward = rewards.gauss(MEANS[message.arm], SIGMA)
            reports += agent.observe(1, reward).messages
        for report in reports:
            output = learner.receive(report)
            yield output.events
            waiting += output.messages


def keep(
    connection: sqlite3.Connection,
    steps: Iterator[tuple[LearnerEvent, ...]],
    clock: Iterator[float],
) -> None:
    """One run, as the writer of version 1 kept it."""
    run, sequence = 0, count(1)
    for events in steps:
        at = next(clock)
        for event in events:
            if isinstance(event, RunOpened):
                run = (
                    connection.execute(
                        "INSERT INTO runs (fingerprint, opened_at) VALUES (?, ?)",
                        (event.spec.fingerprint, at),
                    ).lastrowid
                    or 0
                )
            connection.execute(
                "INSERT INTO events (run, sequence, at, body) VALUES (?, ?, ?, ?)",
                (run, next(sequence), at, dump_event(event)),
            )
    connection.commit()


def decided() -> Iterator[tuple[LearnerEvent, ...]]:
    """A run with an answer, and what the channel measured after it."""
    yield from transactions(spec(Icq(bits=3, prior="quban"), seed=1), Limits())
    yield (TrafficMeasured(payload_bytes=9, wire_bytes_up=99, wire_bytes_down=132),)


def round_limit() -> Iterator[tuple[LearnerEvent, ...]]:
    """A run without an answer; its caveat quotes an ending that is none."""
    steps = transactions(spec(QuBan(epsilon_quban=0.5), seed=2), Limits(rounds=2))
    yield next(steps)
    yield (CaveatNoted(text='"name":"run_ended"'),)
    yield from steps


def cut_off() -> Iterator[tuple[LearnerEvent, ...]]:
    """A run whose learner died in its second round."""
    yield from islice(transactions(spec(Icq(bits=3, prior="quban"), seed=3), Limits()), 5)


def main() -> None:
    GOLDEN.unlink(missing_ok=True)
    connection = sqlite3.connect(GOLDEN)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {int.from_bytes(b'BArm')}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("""
        CREATE TABLE runs (
            run INTEGER PRIMARY KEY AUTOINCREMENT,
            fingerprint INTEGER NOT NULL,
            opened_at REAL NOT NULL
        )
    """)
    connection.execute("""
        CREATE TABLE events (
            run INTEGER NOT NULL REFERENCES runs (run),
            sequence INTEGER NOT NULL,
            at REAL NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (run, sequence)
        ) WITHOUT ROWID
    """)
    clock = count(1_750_000_000.25)  # ticks a second a transaction
    for steps in (decided(), round_limit(), cut_off()):
        keep(connection, steps, clock)
    connection.close()


if __name__ == "__main__":
    main()
