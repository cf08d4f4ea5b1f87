"""The default reproduction beside the bare random draws that it needs."""

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.history import record
from bitarm.experiments.catalog import PAPER, load_study
from bitarm.experiments.run import run_experiments
from bitarm.sim.processor_time import ProcessorTime

MOST = 1.5  # times the draws alone


def test_the_paper_s_experiments(benchmark: BenchmarkFixture) -> None:
    """As `bitarm reproduce` runs them, with as many trials as the paper's."""
    costs: list[ProcessorTime] = []
    experiments = [load_study(name).experiment for name in PAPER]

    def reproduce() -> None:
        run_experiments(
            experiments, trials=None, seed=1, full=False, workers=2, cache=None, costs=costs
        )

    benchmark.pedantic(reproduce, rounds=1)  # type: ignore[no-untyped-call]
    seconds = sum(cost.seconds for cost in costs)
    draws = sum(cost.draw_seconds for cost in costs)
    record("the paper's experiments", seconds=seconds, draw_seconds=draws, ratio=seconds / draws)
    assert seconds / draws <= MOST
