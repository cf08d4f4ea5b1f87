"""A reproduction from end to end: load, run, score, draw, write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import bitarm
from bitarm.errors import ConfigError
from bitarm.experiments.baselines import COMPARED
from bitarm.experiments.catalog import FURTHER, PAPER, Study, load_study
from bitarm.experiments.panels import (
    Picture,
    draw_bounds,
    draw_factors,
    draw_floors,
    draw_panel,
)
from bitarm.experiments.peers import peer_rows
from bitarm.experiments.report import Scored, render
from bitarm.experiments.result_folder import Origin, ResultFolder
from bitarm.experiments.results import ExperimentResult, to_csv
from bitarm.experiments.run import run_experiments
from bitarm.sim.execute import Progress
from bitarm.sim.processor_time import ProcessorTime
from bitarm.sim.sweep import MEASURES, code_version

INSTANCES = ("fitted", "random")
_REFERENCE = ("icq-b3",)  # drawn beside what goes beyond the paper
_PROVEN = ("exact", "icq-b3")  # series whose bounds are drawn
_MESSAGES = "dicq-mixture"  # the series whose messages have a law that is known


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The experiments with their scores and pictures, what simulating cost, and the report."""

    scored: tuple[Scored, ...]
    costs: tuple[ProcessorTime, ...]
    report: Path


def reproduce(
    names: Sequence[str],
    *,
    trials: int | None,
    seed: int,
    out: Path,
    instance: str,
    full: bool,
    overwrite: bool,
    workers: int,
    cache: Path | None,
    progress: Progress = lambda done, trials: None,
) -> Reproduction:
    """Run experiments, score them, and write pictures, `results.csv` and `report.html`.

    Args:
        names: of shipped experiments, or paths of files with a SWEEP; none: all of the paper's.
        trials: of every point; None: as many as each experiment states.
        seed: the same numbers on any machine.
        out: the folder to write to; unless `overwrite`, it must be new, empty, or hold
            results of the same version, seed and settings.
        instance: "fitted", the arms that ship with the package, or "random", arms drawn anew as
            the paper says that it drew them.
        full: also run what goes beyond the paper, and draw bounds.
        workers: processes.
        cache: a folder for finished chunks; None: none are kept.
        progress: called with the trials that are done, and with all there are.

    Raises ConfigError for a name, a file or a folder that will not do, StoreError if results cannot
    be written.
    """
    if trials is not None and trials < 1:
        raise ConfigError(f"trials must be at least 1, got {trials}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, got {seed}")
    chosen = list(dict.fromkeys(names)) or [*PAPER, *(FURTHER if full else ())]
    studies = [load_study(name) for name in chosen]
    if instance == "random":
        studies = [study.drawn(seed) for study in studies]
    origin = Origin(
        version=bitarm.__version__,
        code=code_version()["bitarm"][:16],
        seed=seed,
        trials=trials,
        instance=instance,
        full=full,
    )
    folder = ResultFolder(out, origin, overwrite=overwrite)
    costs: list[ProcessorTime] = []
    found = run_experiments(
        [study.experiment for study in studies],
        trials=trials,
        seed=seed,
        full=full,
        workers=workers,
        cache=cache,
        progress=progress,
        costs=costs,
    )
    scored = tuple(
        Scored(
            study=study,
            result=result,
            pictures=_pictures(study, result, full=full),
            peers=peer_rows(result) if study.analysis.beside_peers else (),
        )
        for study, result in zip(studies, found, strict=True)
    )
    page = render(scored, origin=origin, costs=costs)
    files = {"results.csv": to_csv(row for result in found for row in result.rows()).encode()}
    for one in scored:
        for picture in one.pictures:
            files |= {f"{picture.name}.png": picture.png, f"{picture.name}.svg": picture.svg}
    folder.write({**files, "report.html": page.encode()})
    return Reproduction(scored=scored, costs=tuple(costs), report=out / "report.html")


def _pictures(study: Study, result: ExperimentResult, *, full: bool) -> tuple[Picture, ...]:
    experiment, panels = study.experiment, study.analysis.panels
    pictures: list[Picture | None] = [
        draw_panel(
            result,
            panel,
            list(experiment.series),
            name=f"{experiment.name}-{panel.metric}",
            group="",
        )
        for panel in panels
    ]
    if full and experiment.beyond:
        reference = [series for series in _REFERENCE if series in experiment.series]
        pictures += [
            draw_panel(
                result,
                replace(panel, letter=""),
                [*reference, *experiment.beyond],
                name=f"{experiment.name}-beyond-{panel.metric}",
                group="Other policies (Remark 1) and sound variants",
            )
            for panel in panels
        ]
    if study.analysis.baselines:
        pictures += _compared(study, result)
    elif full:
        proven = [series for series in _PROVEN if series in experiment.series]
        pictures += [
            draw_bounds(
                result,
                metric,
                proven,
                name=f"{experiment.name}-bounds-{metric}",
                group="Between what theory forbids and what it promises",
            )
            for metric in (MEASURES if proven else ())
        ]
    return tuple(picture for picture in pictures if picture is not None)


def _compared(study: Study, result: ExperimentResult) -> list[Picture | None]:
    """Factors over the first baseline, and prices above what theory forbids."""
    name, over = study.experiment.name, study.analysis.baselines[0]
    shown = [over.series, *(one for one in (_MESSAGES, study.analysis.headline) if one)]
    series = [each for each in dict.fromkeys(shown) if each in result.series]
    group = f"How many times fewer than {over.label}"
    return [
        *(
            draw_factors(result, metric, over, name=f"{name}-factors-{metric}", group=group)
            for metric in COMPARED
        ),
        *(
            draw_floors(
                result,
                metric,
                series,
                name=f"{name}-floors-{metric}",
                group="Above what theory forbids",
            )
            for metric in COMPARED
        ),
    ]
