"""How good is a plan? Beside the best point of a fine grid, each measured on fresh environments.

    .venv/bin/python benchmarks/bench_planner.py            all ten problems, a table
    .venv/bin/python benchmarks/bench_planner.py 2 5        only these

The grid knows nothing of the search: every combination of its values is measured, the best of them
again with many runs, and the plan beside them. Also: the time of a plan, with kernels compiled.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from bitarm.planner.plan import Plan, plan
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort

BOUND = 1.15
"""A plan may cost this much of the grid's best point; more fails the benchmark."""

PROBLEMS: dict[str, dict[str, Any]] = {
    "hardness 0.242, a bit for 10 pulls": {
        "arms": 5,
        "gap": 0.242,
        "sigma": 0.125,
        "delta": 1e-5,
        "per_bit": 1,
        "per_pull": 0.1,
    },
    "8 arms, a bit for 100 pulls": {
        "arms": 8,
        "gap": 0.2,
        "sigma": 1,
        "per_bit": 1,
        "per_pull": 0.01,
    },
    "bits alone": {"arms": 4, "gap": 0.5, "sigma": 1, "delta": 0.01, "per_bit": 1},
    "pulls alone": {"gaps": [0.2, 0.4, 0.6, 0.8], "sigma": 1, "per_pull": 1},
    "messages and pulls": {
        "gaps": [0.1, 0.3, 0.5, 0.7, 0.9],
        "sigma": 0.5,
        "per_message": 20,
        "per_pull": 0.1,
    },
    "rounds and bits": {
        "arms": 10,
        "gap": 0.3,
        "sigma": 1,
        "delta": 0.1,
        "per_round": 50,
        "per_bit": 1,
        "per_pull": 0.01,
    },
    "two arms, tiny gap": {
        "arms": 2,
        "gap": 0.001,
        "sigma": 1,
        "per_bit": 1,
        "per_pull": 1e-6,
    },
    "prior, 12 arms": {
        "arms": 12,
        "gap_prior": "uniform:0.1:1",
        "sigma": 1,
        "delta": 0.01,
        "per_bit": 1,
        "per_pull": 0.02,
    },
    "bernoulli": {
        "arms": 6,
        "gap": 0.15,
        "bounds": (0, 1),
        "delta": 0.05,
        "per_bit": 1,
        "per_pull": 0.02,
    },
    "beta, sigma = 0.2": {
        "arms": 6,
        "gap_prior": "loguniform:0.05:0.3",
        "bounds": (0, 1),
        "sigma": 0.2,
        "delta": 0.01,
        "per_bit": 1,
        "per_pull": 0.02,
    },
}

_ROUGH, _BETTER, _BEST = (
    Effort(environments=4, runs=24, draws=50_000),
    Effort(environments=16, runs=48, draws=400_000),
    Effort(environments=100, runs=100, draws=8_000_000),
)
_KEPT, _LAST = 100, 6
_GROWTH = (1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 5.0)
_REACH = (0.003, 0.02, 0.08, 0.2, 0.35, 0.6, 1.0, 1.5, 2.2)
_WIDTHS = ("pairwise", "pairwise-mixture")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A plan beside the grid."""

    plan: Plan
    seconds: float
    cpu_seconds: float
    points: int
    best: SchemeWords
    best_cost: float
    best_error: float
    plan_cost: float

    @property
    def ratio(self) -> float:
        return self.plan_cost / self.best_cost


def grid(task: PlanningTask) -> Iterator[SchemeWords]:
    """Every setting of the fine grid."""
    firsts = sorted({max(1, round(share * task.longest)) for share in _REACH})
    bounded = task.bounds is not None
    quantizers: list[dict[str, Any]] = [
        {"quantizer": "dicq", "kappa": kappa, "kappa_first": first}
        for kappa, first in product((0.3, 0.6, 0.9, 1.4, 2.1, 3.2, 6), (3.0, 7.0))
    ]
    prior = "midpoint" if bounded else "quban"
    quantizers += [{"quantizer": "icq", "bits": bits, "prior": prior} for bits in range(1, 7)]
    quantizers += [{"quantizer": "quban", "epsilon_quban": epsilon} for epsilon in (0.5, 2.0)]
    quantizers += [{"quantizer": "exact"}, *([{"quantizer": "fed-sel"}] if bounded else [])]
    starts = sorted({max(2, round(share * task.longest_judged)) for share in _REACH})
    for kappa, first, cap, patience, start in product(
        (0.2, 0.5, 1.2, 3.0), (2.5, 5.0), (1.5, 4.0), (0.8, 1.2), starts
    ):
        yield SchemeWords.of(
            {
                "quantizer": "dyadic",
                "policy": "challenge",
                "width": "bounded" if task.is_bet_on else "sub-gaussian",
                "kappa": kappa,
                "kappa_first": first,
                "cap": cap,
                "patience": patience,
                "start": start,
            }
        )
    for words, width, growth, first in product(quantizers, _WIDTHS, _GROWTH, firsts):
        yield SchemeWords.of(
            {**words, "policy": "se", "width": width, "growth": growth, "first": first}
        )


def judge(words: dict[str, Any], settings: Iterable[SchemeWords] | None = None) -> Verdict:
    """Plan a problem, then measure plan and grid alike, with seeds that the plan never saw."""
    begin, worked = time.perf_counter(), time.process_time()
    made = plan(**words, seed=1)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - worked
    simulator = SettingSimulator(made.task, seed=2_000_001)
    points = list(grid(made.task) if settings is None else settings)
    left = points
    for number, (effort, kept) in enumerate(((_ROUGH, _KEPT), (_BETTER, _LAST))):
        testbed = simulator.testbed(number, effort)
        measured = [(simulator.measure(setting, testbed), setting) for setting in left]
        ranked = sorted(
            ((each.cost.mean, setting.items) for each, setting in measured if each is not None),
            key=lambda pair: pair[0],
        )
        left = [SchemeWords(items) for _, items in ranked[:kept]]
    testbed = simulator.testbed(2, _BEST)
    figures = {setting: simulator.measure(setting, testbed) for setting in (*left, made.setting)}
    costs = {setting: each.cost for setting, each in figures.items() if each is not None}
    best = min(left, key=lambda setting: costs[setting].mean)
    return Verdict(
        plan=made,
        seconds=seconds,
        cpu_seconds=cpu,
        points=len(points),
        best=best,
        best_cost=costs[best].mean,
        best_error=costs[best].sem,
        plan_cost=costs[made.setting].mean,
    )


def main(chosen: list[str]) -> None:
    """Print a row a problem; fail if a plan is too far from the best of its grid."""
    plan(**PROBLEMS["8 arms, a bit for 100 pulls"], seed=3)  # compiles
    print("| problem | plan | cost | best of the grid | cost | ratio | processor (clock) |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for number, (name, words) in enumerate(PROBLEMS.items(), start=1):
        if chosen and str(number) not in chosen:
            continue
        verdict = judge(words)
        ratios.append(verdict.ratio)
        print(
            f"| {number}. {name} | {verdict.plan.setting.describe()} | {verdict.plan_cost:.4g} "
            f"| {verdict.best.describe()} ({verdict.points:,} points) | {verdict.best_cost:.4g} "
            f"± {verdict.best_error:.2g} | {verdict.ratio:.3f} "
            f"| {verdict.cpu_seconds:.1f} s ({verdict.seconds:.1f} s) |",
            flush=True,
        )
    if max(ratios, default=0.0) > BOUND:
        sys.exit(f"a plan costs {max(ratios):.3f} times the best of its grid, more than {BOUND}")


if __name__ == "__main__":
    main(sys.argv[1:])
