"""Chooses the parameters of quiet elimination, on other instances than those that are reported.

    python scripts/tune_quiet.py            one parameter at a time around the default: a minute
    python scripts/tune_quiet.py --full     every combination: half an hour
    python scripts/tune_quiet.py --without  what each part is worth: the price without it

Factors are over ICQ-SE with 3 bits on the same instances. The hardness figure has 5 arms and
δ = 1e-5; here are 3, 8 and 12 arms and δ = 1e-3 and 1e-7, the best arm in any place, with all means
at 0 and with a common offset. Docs: `docs/quiet.md`.
"""

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bitarm.api.simulate import simulate
from bitarm.sim.models import Gaussian

TRIALS = 400
GRID: dict[str, tuple[float, ...]] = {
    "kappa": (1.5, 2.0, 3.0),
    "kappa_first": (3.0, 4.0, 5.0),
    "kappa_cut": (3.0, 4.0, 6.0),
    "cap": (3.0, 6.0, 12.0),
    "first": (1, 2, 3),
    "patience": (1.0, 1.1, 1.2),
}
DEFAULT = {
    "kappa": 2.0,
    "kappa_first": 4.0,
    "kappa_cut": 4.0,
    "cap": 6.0,
    "first": 2,
    "patience": 1.1,
}

ICQ: dict[str, Any] = {
    "quantizer": "icq",
    "bits": 3,
    "width": "paper",
    "policy": "se",
    "growth": 2.0,
}
QUIET: dict[str, Any] = {
    "quantizer": "dicq",
    "width": "pairwise-mixture",
    "policy": "quiet",
    "growth": 1.3,
}
WITHOUT: dict[str, dict[str, Any]] = {
    "pilots": {"pilot": False},
    "leader first": {"leader_first": False},
    "both": {"pilot": False, "leader_first": False},
    "leaps": {"cap": 1.0},
}

Instance = tuple[tuple[Gaussian, ...], float]  # arms and δ; deviations are 1


def instances() -> list[Instance]:
    """One arm above all others, by 0.8 to 8 deviations."""
    rng = np.random.default_rng(7)
    made = []
    for arms, gap, delta, moved in itertools.product(
        (3, 8, 12), (0.8, 1.6, 3.2, 5.6, 8.0), (1e-3, 1e-7), (False, True)
    ):
        offset = rng.uniform(0, 8) if moved else 0.0
        best = rng.integers(arms)
        means = [offset + (gap if arm == best else 0.0) for arm in range(arms)]
        made.append((tuple(Gaussian(mean=mean, sd=1.0) for mean in means), delta))
    return made


def settings(*, full: bool) -> Iterator[dict[str, float]]:
    """Those to compare, the default first."""
    yield DEFAULT
    if full:
        for values in itertools.product(*GRID.values()):
            yield dict(zip(GRID, values, strict=True))
        return
    for word, values in GRID.items():
        for value in values:
            if value != DEFAULT[word]:
                yield {**DEFAULT, word: value}


def price(instance: Instance, **words: Any) -> tuple[float, float, float]:
    """Mean samples, bits and rounds."""
    models, delta = instance
    point = simulate(models, trials=TRIALS, seed=3, workers=1, delta=delta, **words).points[0]
    it = point.result
    return it.samples.mean, it.payload_bits.mean, it.rounds.mean


def geometric_mean(factors: Sequence[float]) -> float:
    """The mean of factors."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


def compare(*, full: bool) -> None:
    """Print a line for each setting."""
    tried = instances()
    published = [price(it, **ICQ) for it in tried]
    print(*GRID, "samples (least)", "bits (least)", "S·B", "S·B²", sep="  ")
    for words in settings(full=full):
        ours = [price(it, **QUIET, **words) for it in tried]
        samples = [a[0] / b[0] for a, b in zip(published, ours, strict=True)]
        bits = [a[1] / b[1] for a, b in zip(published, ours, strict=True)]
        s, b = geometric_mean(samples), geometric_mean(bits)
        print(
            *words.values(),
            f"{s:.2f} ({min(samples):.2f})",
            f"{b:.2f} ({min(bits):.2f})",
            f"{s * b:.2f}",
            f"{s * b * b:.2f}",
            sep="  ",
            flush=True,
        )


def leave_out() -> None:
    """Print samples, bits and rounds without a part, over those with all of them."""
    tried = instances()
    whole = [price(it, **QUIET, **DEFAULT) for it in tried]
    for name, words in WITHOUT.items():
        parts = [price(it, **{**QUIET, **DEFAULT, **words}) for it in tried]
        ratios = [[b[k] / a[k] for a, b in zip(whole, parts, strict=True)] for k in range(3)]
        print(name, *(f"{geometric_mean(ratio):.2f}" for ratio in ratios), sep="  ", flush=True)


if __name__ == "__main__":
    if "--without" in sys.argv[1:]:
        leave_out()
    else:
        compare(full="--full" in sys.argv[1:])
