"""Runs experiments: points that share their arms share their draws, and all share the workers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import final

import numpy as np

from bitarm.api.simulate import SweepPoint, claim_of, setup_of
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.experiments.experiment import Experiment
from bitarm.experiments.results import ExperimentResult
from bitarm.sim.chunks import ChunkStore
from bitarm.sim.execute import Progress, execute_all, run_pool
from bitarm.sim.processor_time import ProcessorTime
from bitarm.sim.sweep import Sweep, merge_points


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A sweep, and which points of which experiment it gives."""

    number: int  # of the experiment
    keys: tuple[tuple[str, float], ...]
    sweep: Sweep


def run_experiments(
    experiments: Sequence[Experiment],
    *,
    trials: int | None,
    seed: int,
    full: bool,
    workers: int,
    cache: Path | None,
    progress: Progress = lambda done, trials: None,
    costs: list[ProcessorTime] | None = None,
) -> list[ExperimentResult]:
    """Run every experiment with so many trials a point, by default with as many as it states.

    Finished chunks are kept in `cache` and only those that are missing are run. `full` adds the
    series beyond the paper; they have draws of their own, so the others do not change.
    """
    jobs = [
        job
        for number, experiment in enumerate(experiments)
        for job in _jobs(number, experiment, trials, seed, full=full)
    ]
    jobs.sort(key=lambda job: job.sweep.chunks)  # what cannot be split is best begun first
    sweeps = [job.sweep for job in jobs]
    results = execute_all(
        sweeps,
        run_pool(workers),
        stores=[ChunkStore(cache, sweep) if cache else None for sweep in sweeps],
        progress=progress,
        costs=costs,
    )
    found: list[dict[tuple[str, float], SweepPoint]] = [{} for _ in experiments]
    for job, points in zip(jobs, results, strict=True):
        for key, setup, result in zip(job.keys, job.sweep.setups, points, strict=True):
            before = found[job.number].get(key)
            whole = result if before is None else merge_points([before.result, result])
            claim = claim_of(setup, job.sweep.models)
            found[job.number][key] = SweepPoint(setup=setup, guarantee=claim, result=whole)
    return [
        ExperimentResult(
            experiment=experiment,
            trials=experiment.trials if trials is None else trials,
            seed=seed,
            points=points,
        )
        for experiment, points in zip(experiments, found, strict=True)
    ]


def _jobs(
    number: int, experiment: Experiment, trials: int | None, seed: int, *, full: bool
) -> Iterator[_Job]:
    values = experiment.axis.values
    groups_of_x = [(x,) for x in values] if experiment.instance.varies else [values]  # same arms
    offsets = experiment.instance.offsets
    wanted = experiment.trials if trials is None else trials
    for series in (experiment.series, experiment.beyond if full else {}):
        for xs, (place, offset) in product(groups_of_x if series else (), enumerate(offsets)):
            keys = tuple((name, x) for name in series for x in xs)
            yield _Job(
                number=number,
                keys=keys,
                sweep=Sweep(
                    setups=tuple(_setup(experiment, name, x) for name, x in keys),
                    models=experiment.models(xs[0], offset),
                    trials=-(-wanted // len(offsets)),
                    seed=_seed_at(seed, place),
                ),
            )


def _seed_at(seed: int, place: int) -> int:
    """Draws of its own for each offset: an average over them is one over independent trials."""
    if place == 0:
        return seed
    return int(np.random.SeedSequence(seed, spawn_key=(place,)).generate_state(1, np.uint64)[0])


def _setup(experiment: Experiment, series: str, x: float) -> Setup:
    try:
        return setup_of(experiment.models(x), experiment.words(series, x))
    except ConfigError as error:
        raise ConfigError(f"{experiment.name}, series {series!r} at x = {x:g}: {error}") from None
