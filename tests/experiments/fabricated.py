"""ExperimentResult made up for a test: the means that it wants, with the spread that it wants."""

from collections.abc import Mapping, Sequence

from bitarm.api.simulate import SweepPoint, claim_of, setup_of
from bitarm.experiments.experiment import Experiment, parse_sweep
from bitarm.experiments.results import ExperimentResult
from bitarm.sim.statistics import Moments, Tally
from bitarm.sim.sweep import PointResult

TRIALS = 101


def experiment(
    series: Sequence[str],
    values: Sequence[float],
    name: str = "own",
    *,
    quantizer: str = "exact",
    width: str = "paper",
    figure: str | None = None,
) -> Experiment:
    return parse_sweep(
        name,
        {
            "title": "Made up",
            "x": {"label": "Δ", "values": list(values)},
            "trials": TRIALS,
            "arms": {"model": "gaussian", "sd": 0.5, "means": [0, "x"]},
            "figure": figure or name,
            "settings": {"delta": 0.1, "sigma": 0.5, "width": width},
            "series": {one: {"quantizer": quantizer} for one in series},
        },
    )


def result(
    means: Mapping[str, Sequence[float]],
    *,
    sem: float = 0.0,
    errors: int = 0,
    name: str = "own",
    values: Sequence[float] | None = None,
    quantizer: str = "exact",
    width: str = "paper",
    figure: str | None = None,
) -> ExperimentResult:
    """Every measure of a series has these means, in the order of the axis."""
    length = len(next(iter(means.values())))
    axis = tuple(values or [float(x) for x in range(1, length + 1)])
    made = experiment(tuple(means), axis, name, quantizer=quantizer, width=width, figure=figure)
    points = {}
    for series, numbers in means.items():
        for x, mean in zip(axis, numbers, strict=True):
            models = made.models(x)
            setup = setup_of(models, made.words(series, x))
            moments = Moments(count=TRIALS, mean=mean, squares=sem**2 * TRIALS * (TRIALS - 1))
            result = PointResult(
                rounds=moments,
                samples=moments,
                payload_bits=moments,
                tallies=(Tally(values=(round(mean),), counts=(TRIALS,)),) * 3,
                errors=errors,
                outcomes=(("decided", TRIALS),),
                lead=(moments,) * 3,
            )
            claim = claim_of(setup, models)
            points[series, x] = SweepPoint(setup=setup, guarantee=claim, result=result)
    return ExperimentResult(experiment=made, trials=TRIALS, seed=1, points=points)
