"""Plans at their full effort: near the best that there is."""

from typing import Any

import pytest

from bitarm.planner.plan import plan
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort

pytestmark = pytest.mark.slow  # compiles kernels

_PROBLEMS: dict[str, dict[str, Any]] = {
    "both": {"arms": 5, "gap": 0.25, "sigma": 0.125, "delta": 1e-5, "per_bit": 1, "per_pull": 0.1},
    "bits": {"arms": 4, "gap": 0.5, "sigma": 1.0, "per_bit": 1},
    "pulls": {"gaps": [0.3, 0.6, 0.9], "sigma": 1.0, "per_pull": 1},
    "messages": {"arms": 6, "gap": 0.3, "sigma": 1.0, "per_message": 50, "per_pull": 0.1},
    "coins": {"arms": 4, "gap": 0.2, "bounds": (0.0, 1.0), "per_bit": 1, "per_pull": 0.02},
}


@pytest.mark.parametrize("words", _PROBLEMS.values(), ids=_PROBLEMS)
def test_a_plan_costs_at_most_115_hundredths_of_the_best_of_a_grid(words: dict[str, Any]) -> None:
    """A coarser grid than that of benchmarks/bench_planner.py, which takes minutes."""
    made = plan(**words, seed=1)
    simulator = SettingSimulator(made.task, seed=77)
    rough, fine = (
        simulator.testbed(0, Effort(environments=6, runs=20)),
        simulator.testbed(1, Effort(environments=60, runs=60)),
    )
    firsts = [max(1, round(by * made.task.longest)) for by in (0.02, 0.15, 0.35, 0.7, 1.4)]
    base = {"policy": "se", "kappa_first": 4.0, "quantizer": "dicq"}
    grid = [
        SchemeWords.of({**base, "kappa": kappa, "width": width, "growth": growth, "first": first})
        for kappa in (0.4, 0.8, 1.6, 3.0, 6.0)
        for width in ("pairwise", "pairwise-mixture")
        for growth in (1.15, 1.4, 2.0, 3.0, 6.0)
        for first in firsts
    ]
    measured = [(simulator.measure(setting, rough), setting) for setting in grid]
    ranked = sorted(
        (figures.cost.mean, setting.items) for figures, setting in measured if figures is not None
    )
    best = [simulator.measure(SchemeWords(items), fine) for _, items in ranked[:5]]
    planned = simulator.measure(made.setting, fine)
    assert planned is not None
    costs = [figures.cost.mean for figures in best if figures is not None]
    assert planned.cost.mean <= 1.15 * min(costs)
