"""Compiles the simulator's kernels into numba's cache, so that whoever comes next need not.

`make test` runs it beside the checks: otherwise each of its workers would compile what another is
compiling at that moment, and a test's first simulation would take seconds.
"""

from itertools import product

from bitarm import simulate
from bitarm.sim.models import Bernoulli, Gaussian, RewardModel

GAUSSIAN: tuple[RewardModel, ...] = (Gaussian(mean=0.0, sd=1.0), Gaussian(mean=3.0, sd=1.0))
OTHER: tuple[RewardModel, ...] = (Bernoulli(mean=0.1), Bernoulli(mean=0.9))


def main() -> None:
    """Every kernel: of each policy, for Gaussian rewards and others, with one scheme and with two.

    One scheme keeps no tape, two share one: these are two kernels.
    """
    for models, policy, epsilons in product((GAUSSIAN, OTHER), ("se", "lucb"), ([0.0], [0.0, 0.1])):
        simulate(models, trials=1, seed=0, sigma=1.0, policy=policy, epsilon=epsilons)
    simulate(OTHER, trials=1, seed=0, policy="challenge", sigma=1.0)


if __name__ == "__main__":
    main()
