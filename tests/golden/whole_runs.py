"""How a whole run is run and recorded, and where two records first differ.

A record says what a run decided and on what grounds: every report that was accepted, every arm that
fell, and the ending. It goes through `bitarm.identify` and what that shows to anyone who watches,
so it knows neither who holds which state nor how a message looks on the wire: those may change
while every record stays what it is.
"""

import gzip
import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from golden.then import defaults_of_then

import bitarm
from bitarm.core.events import ArmDropped, LearnerEvent, ReportAccepted
from bitarm.rewards.draws import ModelSource
from bitarm.sim.models import parse_models

FOLDER = Path(__file__).parent
REPORT = ("round", "arm", "pulls", "symbol", "mean", "error", "radius")
"""What the numbers of a recorded report are, in order."""

Record = dict[str, Any]


def run_again(kept: Record) -> Record:
    """Run what a record says was run, and record it, as plain JSON."""
    seed = kept["seed"]
    models = parse_models(kept["arms"], kept["parameters"])
    sources = {
        f"arm-{number}": ModelSource(model, seed=seed, arm=number)
        for number, model in enumerate(models)
    }
    events: list[LearnerEvent] = []
    with defaults_of_then():
        result = bitarm.identify(
            sources, seed=seed, clip=kept["clip"], watch=events.extend, **kept["words"]
        )
    record = {
        **{word: kept[word] for word in ("case", "seed", "arms", "parameters", "words", "clip")},
        "reports": [_report(event) for event in events if isinstance(event, ReportAccepted)],
        "drops": [
            [event.round, event.arm, event.because]
            for event in events
            if isinstance(event, ArmDropped)
        ],
        "messages": sum(arm.messages for arm in result.arms),
        "outcome": result.outcome.value,
        "best_arm": result.best_arm,
        "guarantee": _hex(result.guarantee),
        "guarantee_reason": result.guarantee_reason,
        "rounds": result.rounds,
        "samples": result.samples,
        "payload_bits": result.payload_bits,
    }
    plain: Record = json.loads(json.dumps(record))  # tuples are lists in a file
    return plain


def _report(event: ReportAccepted) -> list[Any]:
    return [
        event.round,
        event.arm,
        event.pulls,
        str(event.symbol),
        event.mean.hex(),
        event.error.hex(),
        event.radius.hex(),
    ]


def _hex(number: float | None) -> str | None:
    return None if number is None else float(number).hex()


def kept_of() -> list[str]:
    """The quantizers whose runs are kept."""
    return sorted(path.name[5:-9] for path in FOLDER.glob("runs_*.jsonl.gz"))


def path_of(quantizer: str) -> Path:
    """Where the runs of a quantizer are kept: a line of JSON for each, compressed."""
    return FOLDER / f"runs_{quantizer}.jsonl.gz"


def write(quantizer: str, records: Iterable[Record]) -> None:
    """Keep records; the same ones always make the same bytes."""
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    path_of(quantizer).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@lru_cache(maxsize=16)
def recorded(quantizer: str) -> dict[tuple[str, int], Record]:
    """The kept records of a quantizer, by case and seed."""
    lines = gzip.decompress(path_of(quantizer).read_bytes()).decode().splitlines()
    records: list[Record] = [json.loads(line) for line in lines]
    return {(record["case"], record["seed"]): record for record in records}


def claim_in(reason: str) -> str:
    """A guarantee's sentence as far as what it assumes: those words may be chosen better."""
    if not reason.startswith("wrong with probability"):
        return reason
    return reason.partition(", if ")[0].partition(" (")[0]


def _without_clauses(record: Record) -> Record:
    return {**record, "guarantee_reason": claim_in(record["guarantee_reason"])}


def difference(before: Record, now: Record) -> str | None:
    """The first thing that is not as it was recorded; None if everything is.

    Reports come first, since all else follows from them.
    """
    where = f"{before['case']}, seed {before['seed']}"
    before, now = _without_clauses(before), _without_clauses(now)
    for number, (old, new) in enumerate(zip(before["reports"], now["reports"], strict=False)):
        for field, was, is_now in zip(REPORT, old, new, strict=True):
            if was != is_now:
                return (
                    f"{where}: report {number + 1} (round {old[0]}, arm {old[1]}) "
                    f"had {field} {was!r}, now {is_now!r}"
                )
    if len(before["reports"]) != len(now["reports"]):
        return f"{where}: {len(before['reports'])} reports, now {len(now['reports'])}"
    for word in dict.fromkeys((*before, *now)):
        if before.get(word) != now.get(word):
            return f"{where}: {word} was {before.get(word)!r}, now {now.get(word)!r}"
    return None
