"""Simulations as data: which were recorded, how one is run, and where two results first differ.

All kernels take part, and the machines where there is no kernel. A sweep of several settings keeps
its tape and one of a single setting does not, so there are some of each.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golden import whole_runs
from golden.then import defaults_of_then

import bitarm
from bitarm.core.vocabulary import vocabulary
from bitarm.sim.models import parse_models

PATH = Path(__file__).with_name("simulations.json")
SEED = 20

Record = dict[str, Any]

_NOT_RECORDED = (
    "median",
    "p99",
    "undecided",
    "link",
    "most_bits",
)  # figures that results had not then


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A call of `simulate` that was recorded."""

    name: str
    arms: str
    words: Mapping[str, Any]
    parameters: Mapping[str, Any]
    trials: int = 300


def _coins(name: str, trials: int = 300, **words: Any) -> Simulated:
    return Simulated(
        name=name,
        arms="bernoulli:0.4,0.8,0.5,0.3",
        parameters={},
        trials=trials,
        words={"bounds": (0.0, 1.0), **words},
    )


def _gauss(name: str, trials: int = 300, **words: Any) -> Simulated:
    return Simulated(
        name=name,
        arms="gaussian:0,0.3,0.9,-0.2,0.5",
        parameters={"sd": 0.6},
        trials=trials,
        words=words,
    )


def _beta(name: str, trials: int = 300, **words: Any) -> Simulated:
    return Simulated(
        name=name,
        arms="beta:0.7,0.2,0.4",
        parameters={"concentration": 1.0},
        trials=trials,
        words={"bounds": (0.0, 1.0), **words},
    )


_BUDGETS = ["sequential-halving", "successive-rejects"]
_PRIORS = ["uniform", "midpoint", "lower", "quban"]

CASES: tuple[Simulated, ...] = (
    _coins("se, bounded, all", policy="se", quantizer=["icq", "quban", "fed-sel", "exact", "dicq"]),
    _coins("se, fed-sel-paper alone", policy="se", quantizer="fed-sel-paper", width="paper"),
    _coins("se, icq priors", policy="se", quantizer="icq", prior=_PRIORS, bits=[1, 3]),
    _beta("se, icq alone", policy="se", quantizer="icq", bits=2, width="lil"),
    _gauss("se, widths", policy="se", width=["paper", "lil", "pairwise", "pairwise-mixture"]),
    _gauss("se, quban", policy="se", quantizer="quban", epsilon_quban=[0.5, 2.0]),
    _gauss("se, growth", policy="se", quantizer="icq", growth=[1.3, 2.0, 3.0]),
    _gauss("se, listed", policy="se", quantizer="dicq", checkpoints=(4, 10, 30, 100, 300, 1000)),
    _gauss("se, tolerance", policy="se", quantizer=["icq", "dicq"], epsilon=0.3),
    _coins("se, limits", policy="se", quantizer=["icq", "dicq"], max_rounds=6, max_bits=80),
    _coins("lucb, bounded, all", policy="lucb", quantizer=["icq", "quban", "fed-sel", "exact"]),
    _gauss("lucb, dicq alone", policy="lucb", quantizer="dicq"),
    _gauss("lucb by machines", trials=40, policy="lucb", quantizer="dicq", width="pairwise"),
    _gauss("lil-ucb", policy="lil-ucb", quantizer=["icq", "dicq", "quban"], width=["lil", "paper"]),
    _beta("lil-ucb, count", policy=["lil-ucb", "lil-ucb-count"], quantizer="exact", width="lil"),
    _coins("lil-ucb, tolerance", policy="lil-ucb", quantizer="icq", epsilon=0.2, max_rounds=60),
    _coins("budgets", policy=_BUDGETS, quantizer=["icq", "dicq", "quban"], pull_budget=[60, 400]),
    _gauss(
        "budgets of bits", policy=_BUDGETS, quantizer="dicq", pull_budget=300, bit_budget=[20, 64]
    ),
    _coins(
        "budgets of bits, bounded",
        policy=_BUDGETS,
        quantizer=["icq", "dicq"],
        pull_budget=300,
        bit_budget=40,
    ),
    _beta("budget alone", policy="sequential-halving", quantizer="fed-sel", pull_budget=200),
    Simulated(
        name="poisson and two policies",
        arms="poisson:1,3,2",
        parameters={},
        words={"sigma": 1.5, "quantizer": "dicq", "policy": ["se", "lucb"]},
    ),
)


def run(case: Simulated) -> Record:
    """Simulate a case and record it, as plain JSON: floats are written so that none is changed."""
    models = parse_models(case.arms, case.parameters)
    words = {"sigma": max(model.sigma for model in models), **case.words}  # the default of then
    with defaults_of_then():
        result = bitarm.simulate(models, trials=case.trials, seed=SEED, **words)
    record = {
        "case": case.name,
        "arms": case.arms,
        "parameters": dict(case.parameters),
        "words": dict(case.words),
        "simulation": result.to_json(),
    }
    plain: Record = json.loads(json.dumps(record, allow_nan=False))  # tuples are lists in a file
    return plain


def write(records: Sequence[Record]) -> None:
    """Keep records, a line for each."""
    lines = ",\n".join(json.dumps(record, allow_nan=False) for record in records)
    PATH.write_text(f"[\n{lines}\n]\n")


def recorded() -> dict[str, Record]:
    """The kept records, by case."""
    return {record["case"]: record for record in json.loads(PATH.read_text())}


def difference(before: Record, now: Record) -> str | None:
    """The first thing that is not as it was recorded; None if everything is.

    Words of a setting that were not told when it was recorded may be told now, and one that has no
    meaning in a setting may be left out where it was null. The clauses of a claim may be worded
    better, so they are not compared.
    """
    was, is_now = (_without_clauses(dict(_leaves(record))) for record in (before, now))
    for path, value in was.items():
        if value is None and path not in is_now:
            continue
        if path not in is_now or is_now[path] != value:
            return f"{before['case']}: {path} was {value!r}, now {is_now.get(path, 'nothing')!r}"
    for path in is_now.keys() - was.keys():
        if not _is_word(path) and path.rpartition("/")[2] not in _NOT_RECORDED:
            return f"{before['case']}: {path} is {is_now[path]!r}, and was not recorded"
    return None


def _without_clauses(leaves: Record) -> Record:
    return {
        path: whole_runs.claim_in(value) if path.endswith("/guarantee_reason") else value
        for path, value in leaves.items()
        if "/assumptions" not in path
    }


def _is_word(path: str) -> bool:
    """Whether a leaf is a word of a result's setting."""
    match path.split("/")[1:]:
        case ["simulation", "results", _, word, *_]:
            return word in vocabulary().words
    return False


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text of a record, with the way to it."""
    if isinstance(tree, dict | list) and tree:
        items = tree.items() if isinstance(tree, dict) else enumerate(tree)
        for word, value in items:
            yield from _leaves(value, f"{path}/{word}")
    else:
        yield path, tree
