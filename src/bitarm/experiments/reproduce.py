"""A reproduction from end to end: load, run, score, draw, write."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import bitarm
from bitarm.errors import ConfigError
from bitarm.experiments.catalog import FURTHER, PAPER, Study, load_study
from bitarm.experiments.findings import Findings, to_csv
from bitarm.experiments.folder import Origin, ResultFolder
from bitarm.experiments.panels import Picture, draw_bounds, draw_panel
from bitarm.experiments.report import Scored, render
from bitarm.experiments.run import run_experiments
from bitarm.sim.cost import Cost
from bitarm.sim.execute import Progress
from bitarm.sim.sweep import MEASURES, code_version

INSTANCES = ("fitted", "random")
_BOUNDED_SERIES = ("exact", "icq-b3")  # whose theory is drawn


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What was found, and where it was written."""

    scored: tuple[Scored, ...]
    costs: tuple[Cost, ...]
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
    """Run experiments by name or path, by default all of the paper's, and write the report."""
    if trials is not None and trials < 1:
        raise ConfigError(f"trials must be at least 1, got {trials}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, got {seed}")
    chosen = list(dict.fromkeys(names)) or [*PAPER, *(FURTHER if full else ())]
    studies = [_study(name, instance, seed) for name in chosen]
    origin = Origin(
        version=bitarm.__version__,
        code=code_version()["bitarm"][:16],
        seed=seed,
        trials=trials,
        instance=instance,
        full=full,
    )
    folder = ResultFolder(out, origin, overwrite=overwrite)
    costs: list[Cost] = []
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
        Scored(study=study, findings=it, pictures=_pictures(study, it, full=full))
        for study, it in zip(studies, found, strict=True)
    )
    page = render(scored, origin=origin, costs=costs)
    files = {"results.csv": to_csv(row for it in found for row in it.rows()).encode()}
    for one in scored:
        for picture in one.pictures:
            files |= {f"{picture.name}.png": picture.png, f"{picture.name}.svg": picture.svg}
    folder.write({**files, "report.html": page.encode()})
    return Reproduction(scored=scored, costs=tuple(costs), report=out / "report.html")


def _study(name: str, instance: str, seed: int) -> Study:
    study = load_study(name)
    if instance == "fitted":
        return study
    return Study(experiment=study.experiment.drawn(seed), analysis=study.analysis)


def _pictures(study: Study, findings: Findings, *, full: bool) -> tuple[Picture, ...]:
    experiment, panels = study.experiment, study.analysis.panels
    pictures: list[Picture | None] = [
        draw_panel(findings, panel, list(experiment.series), f"{experiment.name}-{panel.metric}")
        for panel in panels
    ]
    if full and experiment.beyond:
        series = ["icq-b3", *experiment.beyond]
        pictures += [
            draw_panel(
                findings,
                panel,
                [one for one in series if one in findings.series],
                f"{experiment.name}-beyond-{panel.metric}",
            )
            for panel in panels
        ]
    if full:
        drawn = [series for series in _BOUNDED_SERIES if series in experiment.series]
        pictures += [
            draw_bounds(findings, metric, drawn, f"{experiment.name}-bounds-{metric}")
            for metric in (MEASURES if drawn else ())
        ]
    return tuple(picture for picture in pictures if picture is not None)
