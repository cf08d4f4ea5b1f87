"""Measures the default scheme: every figure that is promised of it, beside its limit.

    python scripts/measure_challenge.py                    all of them
    python scripts/measure_challenge.py hardness bounds    some of them
    python scripts/measure_challenge.py --trials 400       sooner, and rougher

    hardness   samples and bits against ICQ-SE, B = 3, as published, σ known
    offsets    the same with all means shifted alike; and against ICQ-SE shifted alike, too
    bounds     seven instances of which nothing is known but the bounds
    exact      every reward in one place, on the instances of Garivier and Kaufmann's Table 1
    lucb       another policy with the same evidence, exact messages
    random     random coins, against the best that is known without evidence: σ = (b − a)/2
    rounds     against the scheme that was the default before
    steps      from twice the default steps down to an eighth of them

How fast the simulator is beside its limits is measured by `benchmarks/bench_challenge.py`.
Parameters were chosen on other instances but for a few (docs/challenge.md says which), and the
limits are goals that were set beforehand: a line that says MISSED is meant to be read.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bitarm.api.simulate import simulate
from bitarm.core.quantizers import Dyadic
from bitarm.experiments.full_bets import run_full_bets
from bitarm.experiments.results import published
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel
from bitarm.sim.statistics import Moments

SEED = 1
CHALLENGE: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge"}
ICQ: dict[str, Any] = {
    "quantizer": "icq", "bits": 3, "width": "paper", "policy": "se", "growth": 2.0,
}  # fmt: skip
KAPPAS = ("kappa", "kappa_first", "kappa_cut", "kappa_pilot", "kappa_place")

# -- the hardness figure --------------------------------------------------------------------------

GAPS = [0.1 + 0.9 * step / 19 for step in range(20)]
SD = 0.125
OFFSETS = 16

ROUNDS_BEFORE = (
    11.11, 10.09, 8.77, 8.37, 7.76, 7.34, 6.6, 5.94, 5.83, 5.97,
    5.99, 5.8, 5.47, 5.11, 4.9, 4.66, 4.28, 3.91, 3.58, 3.37,
)  # fmt: skip
"""Of the policy `quiet` with D-ICQ, the default before, on the hardness figure: 4,000 trials at
commit 3480701, the last that has it."""

# -- nothing known but the bounds -----------------------------------------------------------------


class Bounded(NamedTuple):
    """Rewards in [0, 1]; what they may cost, and the rounds that `quiet` took with σ = ½."""

    name: str
    models: tuple[RewardModel, ...]
    delta: float
    samples: float
    bits: float
    rounds_before: float


def coins(*means: float) -> tuple[RewardModel, ...]:
    """One arm for each mean."""
    return tuple(Bernoulli(mean=mean) for mean in means)


def betas(concentration: float, *means: float) -> tuple[RewardModel, ...]:
    """One arm for each mean."""
    return tuple(Beta(mean=mean, concentration=concentration) for mean in means)


_GATEWAYS = betas(19.0, 0.93, 0.88, 0.97, 0.84, 0.79, 0.71, 0.62, 0.35)
_PAPER = betas(1.0, 0.935, 0.782, 0.541, 0.462, 0.346)
_TABLE_1 = ((0.5, 0.45, 0.43, 0.4), (0.3, 0.21, 0.2, 0.19, 0.18))

BOUNDED = (
    Bounded("gateways, δ = 0.05", _GATEWAYS, 0.05, 900, 90, 23.52),
    Bounded("coins .97 .93 .9 .8, δ = 0.05", coins(0.97, 0.93, 0.9, 0.8), 0.05, 3000, 65, 17.69),
    Bounded("coins .999 .99 .98, δ = 0.05", coins(0.999, 0.99, 0.98), 0.05, 8800, 75, 20.19),
    Bounded("coins .5 .45 .43 .4, δ = 0.1", coins(*_TABLE_1[0]), 0.1, 10600, 76, 17.13),
    Bounded("coins .3 .21 .2 .19 .18, δ = 0.1", coins(*_TABLE_1[1]), 0.1, 3300, 72, 15.07),
    Bounded("the paper's Beta arms, δ = 1e-6", _PAPER, 1e-6, 880, 52, 15.11),
    Bounded("the paper's Beta arms, δ = 0.05", _PAPER, 0.05, 370, 48, 13.36),
)


# -- measuring ------------------------------------------------------------------------------------


class Price(NamedTuple):
    """What the trials of a setting took."""

    samples: Moments
    bits: Moments
    rounds: Moments


def price(models: Sequence[RewardModel], trials: int, **words: Any) -> Price:
    """Simulate a setting."""
    found = simulate(models, trials=trials, seed=SEED, workers=1, **words).points[0].result
    return Price(found.samples, found.payload_bits, found.rounds)


def at_gap(gap: float, trials: int, *, offset: float = 0.0, **words: Any) -> Price:
    """One point of the hardness figure."""
    models = [Gaussian(mean=mean + offset, sd=SD) for mean in (0.0, 0.0, 0.0, 0.0, gap)]
    return price(models, trials, delta=1e-5, sigma=SD, **{**CHALLENGE, **words})


def in_bounds(one: Bounded, trials: int, **words: Any) -> Price:
    """One of the bounded instances, by what a user gets who says nothing but the bounds."""
    setting = {**CHALLENGE, "bounds": (0.0, 1.0), "delta": one.delta, **words}
    return price(one.models, trials, **setting)


def geometric_mean(factors: Sequence[float]) -> float:
    """The mean of factors."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


class Line(NamedTuple):
    """A figure beside its limit."""

    text: str
    figure: float
    limit: float
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is on the right side of its limit."""
        return self.figure >= self.limit if self.at_least else self.figure <= self.limit

    def __str__(self) -> str:
        side = "at least" if self.at_least else "at most"
        verdict = "holds" if self.holds else "MISSED"
        return f"  {self.text:<46} {self.figure:>9.4g}   {side:>8} {self.limit:>7,g}   {verdict}"


def shifted(gap: float, trials: int, offsets: Sequence[float], **words: Any) -> dict[str, float]:
    """Mean samples and bits at a point of the hardness figure, over all offsets."""
    each = max(trials // len(offsets), 1)
    found = [at_gap(gap, each, offset=offset, **words) for offset in offsets]
    return {
        "samples": sum(one.samples.mean for one in found) / len(found),
        "payload_bits": sum(one.bits.mean for one in found) / len(found),
    }


def as_published(gap: float) -> dict[str, float]:
    """The same of ICQ-SE with 3 bits, in the paper's figure."""
    found = {}
    for metric in ("samples", "payload_bits"):
        figure = published("hardness", metric, "icq-b3", gap)
        assert figure is not None  # the figure has this point
        found[metric] = figure
    return found


def factors(
    theirs: Sequence[dict[str, float]],
    ours: Sequence[dict[str, float]],
    limits: tuple[float, float, float, float],
    against: str = "",
) -> Iterator[Line]:
    """How many times fewer samples and bits: means, and the worst points."""
    for metric, mean, least in zip(theirs[0], limits[:2], limits[2:], strict=True):
        rows = [before[metric] / after[metric] for before, after in zip(theirs, ours, strict=True)]
        label = metric.replace("payload_", "") + against
        yield Line(f"times fewer {label}, geometric mean", geometric_mean(rows), mean, True)
        if least:
            worst = GAPS[rows.index(min(rows))]
            yield Line(f"times fewer {label}, least, at Δ = {worst:.2f}", min(rows), least, True)


def hardness(trials: int) -> Iterator[Line]:
    """σ known, against ICQ as published."""
    ours = [shifted(gap, trials, (0.0,)) for gap in GAPS]
    yield from factors([as_published(gap) for gap in GAPS], ours, (5.0, 4.2, 3.3, 3.7))


def offsets(trials: int) -> Iterator[Line]:
    """The same where no mean lies on a lattice's origin, which is where ICQ starts, too."""
    places = [(place + 0.5) / OFFSETS for place in range(OFFSETS)]
    ours = [shifted(gap, trials, places) for gap in GAPS]
    theirs = [shifted(gap, trials, places, **ICQ) for gap in GAPS]
    yield from factors(theirs, ours, (4.8, 3.6, 0.0, 0.0), " (ICQ with them)")
    published_ = [as_published(gap) for gap in GAPS]
    yield from factors(published_, ours, (4.8, 3.6, 0.0, 0.0), " (ICQ without)")


def bounds(trials: int) -> Iterator[Line]:
    """No σ."""
    for one in BOUNDED:
        found = in_bounds(one, trials)
        yield Line(f"{one.name}: samples", found.samples.mean, one.samples)
        yield Line(f"{one.name}: bits", found.bits.mean, one.bits)


def exact(trials: int) -> Iterator[Line]:
    """Every reward in one place, looked at after nearly every pull."""
    for means, limit in zip(_TABLE_1, (6200, 2500), strict=True):
        found = run_full_bets(means, delta=0.1, trials=trials, seed=SEED)
        yield Line(f"coins {' '.join(map(str, means))}: samples", found.samples.mean, limit)


def lucb(trials: int) -> Iterator[Line]:
    """What the evidence is worth to another policy."""
    words: dict[str, Any] = {"quantizer": "exact", "policy": "lucb", "growth": 1.3}
    found = at_gap(0.1, trials, **words)
    yield Line("lucb, exact messages, growth 1.3, Δ = 0.1", found.samples.mean, 560)


def random(trials: int) -> Iterator[Line]:
    """Coins of any means: never worse than σ = (b − a)/2, and far better where variances are small.

    Means are uniform; instances with two best arms nearer than a twentieth of the range are drawn
    again, since they would take all of the time.
    """
    rng = np.random.default_rng(15)
    before = {"quantizer": "dicq", "policy": "se", "width": "pairwise", "sigma": 0.5}
    for low, high, limit in ((0.3, 0.7, 1.0), (0.9, 1.0, 4.0)):
        for _ in range(10):
            best = second = 0.0
            while best - second < 0.05 * (high - low):
                means = rng.uniform(low, high, rng.integers(2, 21)).round(4)
                *_, second, best = sorted(means)
            models, words = coins(*map(float, means)), {"delta": 0.05, "bounds": (0.0, 1.0)}
            ours = price(models, trials, **words, **CHALLENGE).samples.mean
            theirs = price(models, trials, **words, **before).samples.mean
            text = f"K = {means.size}, best {best:.3f}, then {second:.3f}: times fewer samples"
            yield Line(text, theirs / ours, limit, True)


def rounds(trials: int) -> Iterator[Line]:
    """A visit takes two broadcasts, so rounds could grow."""
    for gap, before in zip(GAPS, ROUNDS_BEFORE, strict=True):
        ratio = at_gap(gap, trials).rounds.mean / before
        yield Line(f"Δ = {gap:.3f}: rounds to those before", ratio, 1.2)
    for one in BOUNDED:
        ratio = in_bounds(one, trials).rounds.mean / one.rounds_before
        yield Line(f"{one.name}: rounds to before", ratio, 1.2)


def steps(trials: int) -> Iterator[Line]:
    """Finer steps cost bits, never samples: each halving is compared with the steps before it.

    Noise is allowed for: three deviations of the difference.
    """
    default = Dyadic()

    def finer(measure: Callable[..., Price]) -> tuple[str, float]:
        found = [
            measure(**{word: factor * getattr(default, word) for word in KAPPAS}).samples
            for factor in (2.0, 1.0, 0.5, 0.25, 0.125)
        ]
        worst = max(
            (after.mean - before.mean - 3 * math.hypot(after.sem or 0.0, before.sem or 0.0))
            / before.mean
            for before, after in itertools.pairwise(found)
        )
        return " ".join(f"{one.mean:.4g}" for one in found), 100 * worst

    for gap in GAPS:
        means, worst = finer(lambda gap=gap, **words: at_gap(gap, trials, **words))
        yield Line(f"Δ = {gap:.3f}: {means}; % beyond noise", worst, 0)
    for one in BOUNDED:
        means, worst = finer(lambda one=one, **words: in_bounds(one, trials, **words))
        yield Line(f"{one.name}: {means}; %", worst, 0)


FIGURES: dict[str, Callable[[int], Iterator[Line]]] = {
    measure.__name__: measure
    for measure in (hardness, offsets, bounds, exact, lucb, random, rounds, steps)
}


def main() -> None:
    """Print the figures that are named, or all."""
    parser = argparse.ArgumentParser(description="Figures of the default scheme beside limits.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--trials", type=int, default=4000, help="trials a point (4000)")
    given = parser.parse_args()
    unknown = set(given.figures) - set(FIGURES)
    if unknown or given.trials < 1:
        parser.error(f"figures are {', '.join(FIGURES)}; trials are at least 1")
    missed = total = 0
    for name in given.figures or FIGURES:
        print(f"{name}, {given.trials:,} trials", flush=True)
        for line in FIGURES[name](given.trials):
            print(line, flush=True)
            missed, total = missed + (not line.holds), total + 1
    print(f"{total - missed} of {total} hold")


if __name__ == "__main__":
    main()
