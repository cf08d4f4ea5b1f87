"""Which random instances are behind the paper's figures?

The paper draws the means of three instances and does not print them. This program looks for means
whose simulated curves lie on the published ones, and writes them as TOML:

    python scripts/fit_instances.py [bounded gaussian sweeps] [--from FILE] [--out FILE]

Objective: the mean over all published points (series, x and metric) of min((d/s)², 4), where d is
the log-deviation of the simulated mean and s what counts as a good match of its metric (`SCALE`).
The cap keeps a series that nothing matches from bending the others.

Search: instances are drawn as the paper draws them and judged on a few trials; the best few are
refined by the cross-entropy method (common random numbers within a generation), shifted with their
gaps kept, and refined again from the best places. With --from, only the last step. Only means
are fitted, and for the sweeps δ, out of a few round numbers. The deviations that are printed come
from fresh trials of the rounded means. From scratch the three take about half an hour on one core.
"""

import argparse
import csv
import math
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from bitarm.api.simulate import simulate
from bitarm.core.setup import Setup
from bitarm.sim.execute import execute, run_here
from bitarm.sim.kernels.arrays import Floats
from bitarm.sim.models import Beta, Gaussian, RewardModel
from bitarm.sim.sweep import Sweep

Published = dict[tuple[str, str, float], dict[str, float]]  # experiment, series, x: by metric

ARMS, SIGMA, SD, DIGITS = 5, 0.125, 0.125, 3
DRAWN = {"beta": "uniform on [0, 1]", "gaussian": "uniform on [0, N], N ~ N(0, 9)"}
SCALE = {"rounds": 0.02, "samples": 0.05, "payload_bits": 0.02}
CAP = 4.0

SCREEN_TRIALS, STARTS, PLACES = 40, 2, 3
GENERATIONS, POPULATION, ELITE = 20, 20, 6
FIRST_TRIALS, LAST_TRIALS = 100, 1000  # of the first and of the last generation
WIDE, NARROW = 0.04, 0.008  # standard deviations around a start, as parts of the means' own range
SHIFTS, SHIFT_TRIALS = 0.1 * np.linspace(-1, 1, 41), 1000  # again as parts of that range


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Published points that are simulated on one tape."""

    experiment: str
    words: Mapping[str, Any]  # as `simulate` takes them
    series: Callable[[Mapping[str, Any]], tuple[str, float]]  # a setting's series and x
    normal: bool = False  # so many pulls that normal batch sums serve the search
    share: float = 1.0  # of the trials: rewards by the hundred thousand are dear


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Curves that share one unknown instance."""

    model: str
    note: str  # the settings that the fit rests on
    curves: tuple[Curve, ...]

    def draw(self, rng: np.random.Generator) -> Floats:
        """An instance as the paper draws it, the best arm first."""
        top = rng.normal(0, 3) if self.model == "gaussian" else 1.0
        return np.sort(top * rng.uniform(0.005, 0.995, ARMS))[::-1]

    def admits(self, means: Floats) -> bool:
        """Whether the model has arms with these means, no two best among them."""
        inside = self.model == "gaussian" or bool(np.all((means > 0.005) & (means < 0.995)))
        return inside and float(np.diff(np.sort(means)[-2:])[0]) > 0.02


def figures(name: str) -> list[Figure]:
    """The readings of a figure that are tried; more than one only where δ is not printed."""
    deltas = [0.05, 0.01, 0.005, 1e-3, 5e-4, 1e-4, 5e-5, 1e-5, 5e-6, 1e-6]
    compared = {"sigma": SIGMA, "delta": deltas, "bits": [2, 3], "epsilon_quban": [0.5, 2.0]}
    # μ̃_0 = 0 for every arm: the α sweep excludes a random guess (docs/paper.md).
    bounded = {"bounds": (0, 1), "prior": "lower"}
    if name == "bounded":
        setups = ["exact", "icq", "quban", "fed-sel-paper"]
        words = {"quantizer": setups, **compared, **bounded}
        curve = Curve(experiment=name, words=words, series=_by_delta)
        return [Figure(model="beta", note="σ = 0.125, prior lower", curves=(curve,))]
    if name == "gaussian":
        words = {"quantizer": ["exact", "icq", "quban"], **compared}
        curve = Curve(experiment=name, words=words, series=_by_delta)
        return [Figure(model="gaussian", note="σ = 0.125", curves=(curve,))]
    readings = []
    for delta in (0.01, 5e-3, 1e-3, 5e-4, 1e-4):
        icq = {"quantizer": "icq", "sigma": SIGMA, "delta": delta, **bounded}
        alpha = Curve(
            experiment="alpha",
            words={**icq, "bits": 1, "growth": list(range(2, 10))},
            series=lambda point: ("icq-b1", float(point["growth"])),
            normal=True,
            share=0.05,
        )
        bits = Curve(
            experiment="bits",
            words={**icq, "bits": list(range(1, 10)), "growth": 2},
            series=lambda point: ("icq", float(point["bits"])),
        )
        note = f"σ = 0.125, δ = {delta:g}, prior lower"
        readings.append(Figure(model="beta", note=note, curves=(alpha, bits)))
    return readings


def _by_delta(point: Mapping[str, Any]) -> tuple[str, float]:
    match point["quantizer"]:
        case "icq":
            series = f"icq-b{point['bits']}"
        case "quban":
            series = f"quban-eps{point['epsilon_quban']:g}"
        case "fed-sel-paper":
            series = "fed-sel"
        case other:
            series = str(other)
    return series, math.log(1 / point["delta"])


@final
class Judge:
    """How far a figure's curves are from the published ones, for given means."""

    def __init__(self, figure: Figure, published: Published) -> None:
        self.figure = figure
        self._parts = [self._settings(curve, published) for curve in figure.curves]
        self.labels = [(*key, metric) for _, _, aims in self._parts for key, metric in aims]
        self._scale = np.array([SCALE[metric] for *_, metric in self.labels])

    def _settings(
        self, curve: Curve, published: Published
    ) -> tuple[Curve, tuple[Setup, ...], dict[tuple[tuple[str, str], str], list[Any]]]:
        anyone = _models(self.figure, np.linspace(0.9, 0.1, ARMS))
        points = simulate(anyone, trials=1, seed=0, **curve.words).points
        aims: dict[tuple[tuple[str, str], str], list[Any]] = {}
        for number, point in enumerate(points):
            series, x = curve.series(point.to_json())
            for key, values in published.items():
                if key[:2] == (curve.experiment, series) and math.isclose(key[2], x):
                    for metric, value in values.items():
                        aims.setdefault((key[:2], metric), []).append((number, value))
        return curve, tuple(point.setup for point in points), aims

    def deviations(self, means: Floats, *, trials: int, seed: int, normal: str) -> list[Floats]:
        """Log-deviations of each series and metric. `normal` batch sums: all, some or none."""
        found = []
        for curve, setups, aims in self._parts:
            stand_in = normal == "all" or (normal == "some" and curve.normal)
            sweep = Sweep(
                setups=setups,
                models=(_normal if stand_in else _models)(self.figure, means),
                trials=max(1, trials if stand_in else round(trials * curve.share)),
                seed=seed,
            )
            results = execute(sweep, run_here, store=None, progress=lambda done, trials: None)
            for (_, metric), points in aims.items():
                simulated = [getattr(results[number], metric).mean for number, _ in points]
                found.append(np.log(np.array(simulated) / [value for _, value in points]))
        return found

    def cost(self, means: Floats, *, trials: int, seed: int, normal: str = "some") -> float:
        """The objective."""
        if not self.figure.admits(means):
            return CAP
        apart = self.deviations(means, trials=trials, seed=seed, normal=normal)
        squares = [(d / s) ** 2 for d, s in zip(apart, self._scale, strict=True)]
        return float(np.mean(np.minimum(np.concatenate(squares), CAP)))


def _models(figure: Figure, means: Floats) -> tuple[RewardModel, ...]:
    if figure.model == "gaussian":
        return tuple(Gaussian(mean=mean, sd=SD) for mean in means.tolist())
    return tuple(Beta(mean=mean) for mean in means.tolist())


def _normal(figure: Figure, means: Floats) -> tuple[RewardModel, ...]:
    """Normal rewards with the variances of the model's, γ(1 − γ)/2 for Beta(γ, 1 − γ)."""
    if figure.model == "gaussian":
        return _models(figure, means)
    return tuple(
        Gaussian(mean=mean, sd=math.sqrt(mean * (1 - mean) / 2)) for mean in means.tolist()
    )


def screen(judges: Sequence[Judge], count: int, rng: np.random.Generator) -> list[Any]:
    """The best few of `count` instances drawn as in the paper: cost, judge and means."""
    tried = []
    for number in range(count):
        judge = judges[number % len(judges)]
        means = judge.figure.draw(rng)
        cost = judge.cost(means, trials=SCREEN_TRIALS, seed=number, normal="all")
        tried.append((cost, judge, means))
        if (number + 1) % 250 == 0:
            say(f"  drawn {number + 1} of {count}, best {min(one[0] for one in tried):.2f}")
    return sorted(tried, key=lambda one: one[0])[:STARTS]


def refine(
    judge: Judge, start: Floats, spread: float, options: Any, rng: np.random.Generator
) -> Floats:
    """The cross-entropy method: a normal cloud of candidates closes in on its better part."""
    middle, generations = start, options.generations
    covariance = np.eye(ARMS) * (spread * float(np.ptp(start))) ** 2
    for number in range(generations):
        cloud = rng.multivariate_normal(middle, covariance, POPULATION)
        cloud[0] = middle
        part = number / max(1, generations - 1)
        some = min(options.trials, round(FIRST_TRIALS * (LAST_TRIALS / FIRST_TRIALS) ** part))
        seed = int(rng.integers(2**32))
        costs = np.array([judge.cost(one, trials=some, seed=seed) for one in cloud])
        elite = cloud[np.argsort(costs)[:ELITE]]
        middle = elite.mean(axis=0)
        covariance = (covariance + np.cov(elite.T)) / 2
        say(f"  generation {number + 1} of {generations}: {costs.min():.2f}  {_list(middle)}")
    return middle


def places(judge: Judge, means: Floats, options: Any) -> list[Floats]:
    """Where else the same gaps fit well.

    Gaps are what the unquantized curve pins. Where they lie shows in the cells of ICQ and Fed-SEL
    only, and has many local optima there.
    """
    moved = [means + part * float(np.ptp(means)) for part in SHIFTS]
    trials = min(options.trials, SHIFT_TRIALS)
    costs = [judge.cost(one, trials=trials, seed=options.seed) for one in moved]
    best = np.argsort(costs)[:PLACES].tolist()
    say(f"  shifted: {', '.join(f'{costs[one]:.2f} at {moved[one][0]:.3f}' for one in best)}")
    return [moved[one] for one in best]


def fit(name: str, published: Published, start: Mapping[str, Any], options: Any) -> dict[str, Any]:
    """The table of one figure."""
    rng = np.random.default_rng([options.seed, len(name)])
    judges = [Judge(figure, published) for figure in figures(name)]
    if start:
        starts = [(0.0, judge, np.array(start["means"], dtype=float)) for judge in judges]
    else:
        starts = screen(judges, options.screen, rng)
    best: tuple[float, Judge, Floats] | None = None
    for _, judge, means in starts:
        say(f"  from {_list(means)}, {judge.figure.note}")
        near = [means]
        if not start:
            near = places(judge, refine(judge, means, WIDE, options, rng), options)
        for found in [means, *(refine(judge, place, NARROW, options, rng) for place in near)]:
            rounded = np.round(np.sort(found)[::-1], DIGITS)
            some = min(options.trials, 4 * LAST_TRIALS)
            cost = judge.cost(rounded, trials=some, seed=options.seed)
            if best is None or cost < best[0]:
                best = cost, judge, rounded
                say(f"  {cost:.3f} for {_list(rounded)}, {judge.figure.note}")
    assert best is not None  # there is at least one start
    cost, judge, means = best
    apart = judge.deviations(means, trials=options.trials, seed=options.seed + 1, normal="none")
    report(judge.labels, apart)
    table: dict[str, Any] = {"model": judge.figure.model}
    if judge.figure.model == "gaussian":
        table["sd"] = SD
    return table | {
        "means": means.tolist(),
        "drawn": DRAWN[judge.figure.model],
        "fitted": _sentence(name, judge, apart, options),
    }


def report(labels: Sequence[tuple[str, str, str]], apart: Sequence[Floats]) -> None:
    """Median and worst deviation of every series and metric, to stdout."""
    print(f"{'experiment':<11}{'series':<14}{'metric':<14}{'median':>8}{'worst':>8}")
    for (experiment, series, metric), d in zip(labels, apart, strict=True):
        off = 100 * np.abs(np.expm1(d))
        worst = f"{off.max():6.1f} %"
        print(f"{experiment:<11}{series:<14}{metric:<14}{np.median(off):6.1f} %{worst}")


def _sentence(name: str, judge: Judge, apart: Sequence[Floats], options: Any) -> str:
    parts = []
    for metric, word in (("samples", "samples"), ("rounds", "rounds"), ("payload_bits", "bits")):
        pairs = zip(judge.labels, apart, strict=True)
        off = np.concatenate([np.abs(np.expm1(d)) for label, d in pairs if label[2] == metric])
        parts.append(f"{word} off by {100 * np.median(off):.1f} % ({100 * off.max():.0f} %)")
    origin = f" --from {options.start.name}" if options.start else ""
    command = f"scripts/fit_instances.py {name}{origin} --seed {options.seed}"
    return (
        f"fitted to the published curves at {judge.figure.note}, by {command}: "
        f"median (worst) {', '.join(parts)}"
    )


def _list(means: Iterable[float]) -> str:
    return f"[{', '.join(f'{mean:g}' for mean in np.round(list(means), 4))}]"


def say(line: str) -> None:
    """Progress, to stderr."""
    print(line, file=sys.stderr, flush=True)


def read_published(path: Path) -> Published:
    """The published points by experiment, series and x."""
    points: Published = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["experiment"], row["series"], float(row["x"])
            points.setdefault(key, {})[row["metric"]] = float(row["paper_mean"])
    return points


def as_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The instances as a file; strings here need no escapes."""
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name}]")
        for key, value in table.items():
            lines.append(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def main() -> None:
    """Fit what was asked for and write all tables."""
    names = ("bounded", "gaussian", "sweeps")
    home = Path(__file__).parents[1] / "src" / "bitarm" / "experiments"
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(names))
    parser.add_argument("--csv", type=Path, default=home / "paper.csv", help="published points")
    parser.add_argument("--from", dest="start", type=Path, help="start from these instances")
    parser.add_argument("--out", type=Path, default=Path("instances.toml"))
    parser.add_argument("--trials", type=int, default=40_000, help="of the deviations shown")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--screen", type=int, default=4000, help="instances drawn at first")
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    options = parser.parse_args()
    unknown = set(options.figures) - set(names)
    if unknown:
        parser.error(f"FIGURE must be of {', '.join(names)}, got {', '.join(sorted(unknown))}")
    for word in ("trials", "generations", "screen"):
        if getattr(options, word) < 1:
            parser.error(f"{word} must be at least 1, got {getattr(options, word)}")
    try:
        published = read_published(options.csv)
        starts = tomllib.loads(options.start.read_text()) if options.start else {}
        tables = tomllib.loads(options.out.read_text()) if options.out.exists() else {}
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"cannot read the published points or the instances: {error!r}")
    for name in options.figures or names:
        say(name)
        tables[name] = fit(name, published, starts.get(name, {}), options)
        options.out.write_text(as_toml(tables))  # after each: an interrupted fit keeps the others
    print(f"written: {options.out}")


if __name__ == "__main__":
    main()
