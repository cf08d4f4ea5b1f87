"""The attack kit on request: `python -m tests.chaos --runs 500 --seed 1`.

A run that fails is named with its seed; `--runs 1 --seed THAT --log` repeats it and shows the log.
"""

import argparse
import logging
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from chaos.processes import attack_processes
from chaos.tally import Tally
from chaos.trial import Trial, attempt

from bitarm.errors import BitarmError

_BROKEN = (AssertionError, BitarmError, ArithmeticError, LookupError, TypeError, ValueError)
_EVERY = 50  # runs between two lines of progress


def main(words: list[str] | None = None) -> int:
    """Attack as many runs as were asked for, and print what came of it; 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many runs to attack")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed")
    parser.add_argument(
        "--processes",
        type=int,
        default=0,
        metavar="N",
        help="attack so many runs of real processes with a real broker as well (a minute each)",
    )
    parser.add_argument("--log", action="store_true", help="show what the services log")
    given = parser.parse_args(words)
    logger = logging.getLogger("bitarm")
    logger.propagate = False
    logger.addHandler(logging.StreamHandler() if given.log else logging.NullHandler())
    tally, began = Tally(), time.monotonic()
    for seed in range(given.seed, given.seed + given.runs):
        trial = Trial.of(seed)
        try:
            tally.add(trial, attempt(trial))
        except _BROKEN as error:  # the others are attacked too
            tally.add_failure(trial, f"{type(error).__name__}: {error}"[:300])
            print(f"FAILED {tally.failures[-1]}", file=sys.stderr)
            if given.log:
                traceback.print_exc()
        if tally.runs % _EVERY == 0 and tally.runs < given.runs:
            failed = len(tally.failures)
            print(f"{tally.runs:,} of {given.runs:,} runs, {failed} failed", file=sys.stderr)
    if given.runs:
        print(f"{tally}\n{time.monotonic() - began:.0f} s")
    broken = _attack_processes(range(given.seed, given.seed + given.processes))
    return bool(tally.failures) or broken


def _attack_processes(seeds: range) -> bool:
    """Attack runs of real processes; whether any was not the run of its seed."""
    faults: Counter[str] = Counter()
    failures: list[str] = []
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="bitarm-chaos-") as folder:
            try:
                faults.update(attack_processes(seed, Path(folder)))
            except _BROKEN as error:
                failures.append(f"FAILED processes, seed {seed}: {error}"[:3000])
        print(f"processes, seed {seed}: {len(failures)} failed so far", file=sys.stderr)
    if seeds:
        lines = [f"  {count:8,}  {kind}" for kind, count in faults.most_common() if count]
        print(f"{len(seeds):,} runs of real processes, {faults.total():,} faults:")
        print("\n".join(lines))
        same = len(seeds) - len(failures)
        print(f"  {same:8,}  identical to the run in one process, {len(failures):,} failures")
        print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
