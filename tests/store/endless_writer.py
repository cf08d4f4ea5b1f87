"""A process that appends to a run until it is killed, and says so after each append.

Usage: endless_writer.py JOURNAL OPENING SIZE, where OPENING is the run's first event as text and
SIZE the number of events in a transaction.
"""

import sys
from itertools import count

from bitarm.core.events import CaveatNoted, RunOpened, load_event
from bitarm.store import SqliteJournal


def main() -> None:
    path, opening, size = sys.argv[1:]
    opened = load_event(opening)
    assert isinstance(opened, RunOpened)
    journal = SqliteJournal.open(path)
    run = journal.open_run(opened)
    for number in count(1):
        journal.append(run, [CaveatNoted(text=f"{number}/{part}") for part in range(int(size))])
        print(number, flush=True)


if __name__ == "__main__":
    main()
