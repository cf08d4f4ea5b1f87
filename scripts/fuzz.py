"""Throw inputs at everything that reads what others send or keep, and see that nothing breaks.

    .venv/bin/python scripts/fuzz.py [COUNT] [SEED] [SUBJECT]    by default a million, two minutes

`SUBJECTS` says who reads, what, and how large a share of the inputs: those that cost most come
least, but each has a hundredth. Any exception but the
project's own errors where they are due, and any input that takes longer than a second, is a
failure: the input is printed, and the program ends with 1.
"""

import gc
import logging
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import kept, page, services
from fuzzing.services import Reader
from fuzzing.texts import tables, texts

SLOW = 1.0  # seconds of the processor's time for one input
Inputs = Callable[[random.Random, int], Iterator[bytes]]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Somebody who reads, and what is thrown at them."""

    name: str
    share: int  # of all inputs, in parts of a thousand
    inputs: Inputs
    begin: Callable[[], Reader]


def _told(rng: random.Random, count: int) -> Iterator[bytes]:
    return texts(rng, count, [services.ANNOUNCED, *services.STATUSES])


def _problems(rng: random.Random, count: int) -> Iterator[bytes]:
    return tables(rng, count, kept.example_problems(), kept.known_words())


SUBJECTS = (
    Subject(
        name="frames, decoded",
        share=430,
        inputs=services.of_this_run,
        begin=lambda: services.decode_frame,
    ),
    Subject(
        name="questions, answered and read",
        share=160,
        inputs=services.of_this_run,
        begin=lambda: services.answer_questions,
    ),
    Subject(
        name="frames at an agent",
        share=50,
        inputs=services.of_this_run,
        begin=services.asked_agent,
    ),
    Subject(
        name="frames at a learner, icq",
        share=50,
        inputs=services.of_this_run,
        begin=services.answered_learner(services.PAPER),
    ),
    Subject(
        name="frames at a learner, dyadic",
        share=50,
        inputs=services.of_this_run,
        begin=services.answered_learner(services.CHALLENGE),
    ),
    Subject(
        name="announcements and learners' statuses at an agent",
        share=35,
        inputs=_told,
        begin=services.told_agent,
    ),
    Subject(name="statuses at a learner", share=30, inputs=_told, begin=services.told_learner),
    Subject(
        name="statuses and announcements at a probe",
        share=65,
        inputs=_told,
        begin=services.told_probe,
    ),
    Subject(name="agents' files", share=20, inputs=kept.agent_files, begin=kept.read_agent_file),
    Subject(name="rows of a journal", share=70, inputs=kept.rows, begin=kept.read_row),
    Subject(name="runs with a changed row", share=10, inputs=kept.rows, begin=kept.read_run),
    Subject(
        name="journals with a changed row", share=10, inputs=kept.rows, begin=kept.read_journal
    ),
    Subject(name="problem files", share=10, inputs=_problems, begin=kept.read_problem),
    Subject(name="the page's API", share=10, inputs=page.requests, begin=page.asked_page),
)
"""Everybody who reads what others wrote."""


def attack(subject: Subject, count: int, seed: int) -> float:
    """Throw inputs at a subject; the seconds that the slowest one took."""
    rng = random.Random(f"{seed}/{subject.name}")
    take, slowest = subject.begin(), 0.0
    for number, payload in enumerate(subject.inputs(rng, count)):
        began = time.process_time()  # others on this machine must not count
        try:
            take(payload)
        except BaseException:
            print(f"{subject.name}, seed {seed}, input {number}: {payload!r}", flush=True)
            raise
        took = time.process_time() - began
        assert took < SLOW, f"{subject.name}, input {number}: {payload!r} took {took:.1f} s"
        slowest = max(slowest, took)
    return slowest


def main(count: int, seed: int, only: str = "") -> None:
    """Each subject in turn, or the one of that name."""
    logging.getLogger("bitarm").setLevel(logging.CRITICAL + 1)
    made, began = 0, time.monotonic()
    for subject in SUBJECTS:
        if only not in subject.name:
            continue
        each = -(-count * subject.share // 1000)
        slowest = attack(subject, each, seed)
        made += each
        print(f"{subject.name}: {each:,} inputs, the slowest {slowest * 1e3:.1f} ms", flush=True)
        gc.collect()
    print(f"{made:,} inputs in {time.monotonic() - began:.0f} s, no failure")


if __name__ == "__main__":
    count, seed, only = (*sys.argv[1:4], *("1000000", "1", "")[len(sys.argv[1:4]) :])
    main(int(count), int(seed), only)
