"""How often is a fixed budget wrong, with few bits and with many? Writes docs/budget.svg.

    python scripts/error_against_budget.py [--trials 100000] [--out docs/budget.svg]

Eight Beta arms with the best one in the last place, where every tie goes against it. The left panel
varies the pulls at four bits a message, the right one the bits at 400 pulls. The tables of
docs/budget.md are what is printed. Arms, budgets and seeds are below; D-ICQ's steps
under a budget were settled on other Beta and Bernoulli arms, not unlike these.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from bitarm.api.simulate import SweepPoint, simulate
from bitarm.sim.models import Beta
from bitarm.sim.statistics import Rate, clopper_pearson

MEANS = (0.3, 0.35, 0.4, 0.4, 0.45, 0.45, 0.5, 0.6)
POLICIES = ("sequential-halving", "successive-rejects")
QUANTIZERS = ("exact", "dicq", "icq")
PULLS = (100, 200, 400, 800, 1200)
BITS = (1, 2, 3, 4, 5, 6)
SEED = 7

_COLOURS = {"exact": "black", "dicq": "tab:blue", "icq": "tab:orange"}
_STYLES = dict(zip(POLICIES, ("-", "--"), strict=True))


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path("docs/budget.svg"))
    given = parser.parse_args()
    by_pulls = {
        (policy, quantizer, pulls): _measured(policy, quantizer, pulls, 4, given.trials)
        for policy in POLICIES
        for quantizer in QUANTIZERS
        for pulls in PULLS
    }
    by_bits = {
        (policy, quantizer, bits): _measured(policy, quantizer, 400, bits, given.trials)
        for policy in POLICIES
        for quantizer in QUANTIZERS
        for bits in BITS
        if quantizer != "exact"
    } | {
        (policy, "exact", bits): by_pulls[policy, "exact", 400]
        for policy in POLICIES
        for bits in BITS
    }
    _print("pulls", PULLS, by_pulls)
    _print("bits a message", BITS, by_bits)
    _draw(given.out, by_pulls, by_bits)


def _measured(policy: str, quantizer: str, pulls: int, bits: int, trials: int) -> SweepPoint:
    """One setting; the budget of bits is that many for each message of the algorithm."""
    words: dict[str, Any] = {"policy": policy, "pull_budget": pulls, "bounds": (0.0, 1.0)}
    models = [Beta(mean=mean) for mean in MEANS]
    (plain,) = simulate(models, trials=1, seed=SEED, quantizer="exact", **words).points
    if quantizer != "exact":
        messages = int(plain.result.payload_bits.mean) // 64
        words["bit_budget"] = bits * messages
    (point,) = simulate(models, trials=trials, seed=SEED, quantizer=quantizer, **words).points
    return point


def _rate(point: SweepPoint) -> Rate:
    return clopper_pearson(point.result.errors, point.result.trials)


def _print(
    axis: str, places: tuple[int, ...], points: Mapping[tuple[str, str, int], SweepPoint]
) -> None:
    print(f"{axis}:\n")
    print(f"| policy | messages | {' | '.join(f'{place:,}' for place in places)} |")
    print("|---|---|" + "---|" * len(places))
    for policy in POLICIES:
        for quantizer in QUANTIZERS:
            rates = [_rate(points[policy, quantizer, place]) for place in places]
            cells = [f"{rate.value:.3g} [{rate.low:.3g}, {rate.high:.3g}]" for rate in rates]
            print(f"| `{policy}` | `{quantizer}` | {' | '.join(cells)} |")
    print()


def _draw(
    path: Path,
    by_pulls: Mapping[tuple[str, str, int], SweepPoint],
    by_bits: Mapping[tuple[str, str, int], SweepPoint],
) -> None:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, points, places, title in (
        (panels[0], by_pulls, PULLS, "pull budget, at 4 bits a message"),
        (panels[1], by_bits, BITS, "bits a message, at 400 pulls"),
    ):
        for policy in POLICIES:
            for quantizer in QUANTIZERS:
                rates = [_rate(points[policy, quantizer, place]) for place in places]
                panel.errorbar(
                    places,
                    [rate.value for rate in rates],
                    [
                        [rate.value - rate.low for rate in rates],
                        [rate.high - rate.value for rate in rates],
                    ],
                    color=_COLOURS[quantizer],
                    linestyle=_STYLES[policy],
                    marker="o",
                    markersize=3,
                    capsize=2,
                    label=f"{quantizer}, {policy}",
                )
        panel.set_xlabel(title)
        panel.set_yscale("log")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("error probability")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside right upper", fontsize="small"
    )
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
