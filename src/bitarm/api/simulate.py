"""`simulate`: what an identification costs on average, and how often it is wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.api.applicable import GRID, foreign_words, meaningless
from bitarm.api.caveats import resolution_caveats, sigma_caveats
from bitarm.api.dataframes import arrow_of, flat, frame_of
from bitarm.api.default_scheme import chosen_policy, chosen_quantizer
from bitarm.api.extras import require
from bitarm.api.notebook import simulation_html, simulation_lines
from bitarm.api.scheme import build
from bitarm.api.sweep_picture import sweep_picture
from bitarm.api.words import require_known, seed_of, split
from bitarm.core.confidence import Stride
from bitarm.core.guarantee import Guarantee, claim_ahead
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.setup import Setup
from bitarm.core.vocabulary import users
from bitarm.core.words import whole_number
from bitarm.errors import ConfigError
from bitarm.links.fit import longest_answer, on_link
from bitarm.links.profiles import find_link
from bitarm.sim.chunks import ChunkStore
from bitarm.sim.execute import Progress, Runner, execute, run_local, run_on_cluster
from bitarm.sim.models import RewardModel, Sampler
from bitarm.sim.statistics import Moments, clopper_pearson
from bitarm.sim.sweep import MEASURES, PointResult, Sweep
from bitarm.sim.twins import checkpoints

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One setting of a sweep.

    Attributes:
        setup: its words, as `bitarm.setup` makes one of them.
        guarantee: what may be claimed for its answers.
        result: what its trials gave: averages, such as `result.samples.mean`, errors and outcomes.
    """

    setup: Setup
    guarantee: Guarantee
    result: PointResult

    def to_json(self) -> dict[str, Any]:
        """Plain types: every word of the setting, and the averages under their usual names."""
        rate = clopper_pearson(self.result.errors, self.result.trials)
        return {
            **self.setup.words,
            "guarantee": self.guarantee.delta,
            "guarantee_reason": self.guarantee.reason,
            "assumptions": list(self.guarantee.assumptions),
            **{
                name: _average(getattr(self.result, name))
                | {"median": tally.quantile(0.5), "p99": tally.quantile(0.99)}
                for name, tally in zip(MEASURES, self.result.tallies, strict=True)
            },
            "error_rate": {"value": rate.value, "low": rate.low, "high": rate.high},
            "outcomes": dict(self.result.outcomes),
            "undecided": self.result.undecided,
            "less_first": {
                name: _average(lead) for name, lead in zip(MEASURES, self.result.lead, strict=True)
            },
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """The result of `simulate`: a point for each setting, in the order in which they were given.

        found = bitarm.simulate(arms, bounds=(0, 1), quantizer=["icq", "dicq"])
        found.points[0].result.samples.mean        # averages over the trials
        found.points[0].guarantee.delta            # what may be claimed; None without a proof
        found.to_frame()                           # a row for each setting

    Attributes:
        trials: how many runs of each setting.
        seed: gives the same numbers again.
        means: the true means, by arm.
        points: a point for each setting.
        link: the link on which every setting ran, if one was named.
        most_bits: of an answer there, if that is less than a setting may have.
    """

    trials: int
    seed: int
    means: tuple[float, ...]
    points: tuple[SweepPoint, ...]
    link: str | None = None
    most_bits: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain types, ready for `json.dumps`."""
        return {
            "trials": self.trials,
            "seed": self.seed,
            "means": list(self.means),
            "link": self.link,
            "most_bits": self.most_bits,
            "results": [point.to_json() for point in self.points],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each setting: `samples_mean`, `error_rate_value` and so on."""
        return [flat(point.to_json()) for point in self.points]

    def to_frame(self) -> "pd.DataFrame":
        """A row for each setting, as `rows` has it; needs pandas (extra `frames`)."""
        return frame_of(self.rows())

    def to_arrow(self) -> "pa.Table":
        """The rows of `to_frame` as an Arrow table, for Parquet; needs pyarrow (extra `frames`)."""
        return arrow_of(self.rows())

    def plot(self) -> "Figure":
        """Rounds, samples and bits against the word that varies most (matplotlib, extra `sim`)."""
        return sweep_picture([point.to_json() for point in self.points])

    def __repr__(self) -> str:
        points = [point.to_json() for point in self.points]
        return simulation_lines(self.trials, self.seed, points)

    def _repr_html_(self) -> str:
        return simulation_html(self.trials, self.seed, [point.to_json() for point in self.points])


def simulate(
    models: Sequence[RewardModel],
    *,
    trials: int = 1000,
    seed: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    cache: Path | None = None,
    progress: Progress = lambda done, trials: None,
    sigma_from_models: bool = True,
    link: str | None = None,
    **words: Any,
) -> Simulation:
    """Run every setting on the same trials, and average.

        from bitarm.sim.models import Bernoulli

        arms = [Bernoulli(mean=mean) for mean in (0.7, 0.5, 0.4)]
        found = bitarm.simulate(arms, trials=1000, seed=1, bounds=(0, 1), quantizer=["icq", "dicq"])
        [point.result.payload_bits.mean for point in found.points]

    Args:
        models: what each arm's rewards are drawn from (bitarm.sim.models).
        trials: how many runs of each setting; trial i has the same rewards in all of them.
        seed: gives the same numbers on any machine; by default one is drawn, and the result has it.
        workers: processes, by default one. More than one needs the usual
            `if __name__ == "__main__":` in a script, and a `Sampler` that can be pickled.
        cluster: the address of a Dask scheduler, in place of workers.
        cache: a folder in which finished chunks are kept, so that an interrupted sweep goes on.
        progress: called with the trials that are done, and with all there are.
        sigma_from_models: whether σ, where neither it nor bounds are given, defaults to the
            smallest that is valid for all models. If not, it is needed there, as in `identify`.
            With bounds alone it follows from them, as in `identify`: a run knows no models.
        link: a thin link, such as "lorawan-us915-dr0", that has to carry the frames of every
            setting. Where it does not carry the longest answers, agents and learner themselves run
            the trials, some 400 times as slowly: a kernel knows of no answer that did not fit.
        words: those of a problem file, as in `identify`. One that holds a list is swept, and lists
            are crossed in the order given. A word that does not apply to one of the settings is
            left out there.

    Returns:
        What each setting cost, and how often it was wrong.

    Raises:
        ConfigError: for words that cannot be run or apply to none of the settings.
        StoreError: if a chunk cannot be kept.
        TransportError: if the cluster fails.
    """
    if not isinstance(models, Iterable):
        raise ConfigError(
            f"arms to simulate are a list of models of bitarm.sim.models, got {models!r:.80}"
        )
    models = tuple(models)
    setups = [
        setup_of(models, point, sigma_from_models=sigma_from_models) for point in crossed(words)
    ]
    most_bits: int | None = None
    if link is not None:
        known = find_link(link)
        setups = [on_link(known, setup) for setup in setups]
        most_bits = next(filter(None, (longest_answer(known, setup) for setup in setups)), None)
    sweep = Sweep(
        setups=tuple(setups),
        models=models,
        trials=whole_number("trials", trials),
        seed=seed_of(seed),
        most_bits=most_bits,
    )
    # A user's own sampler has no name by which its chunks could be found again.
    nameless = any(isinstance(model, Sampler) for model in models)
    nameless |= not all(setup.is_ours for setup in setups)  # nor has code that somebody edits
    store = None if cache is None or nameless else ChunkStore(cache, sweep)
    results = execute(sweep, _runner(workers, cluster), store=store, progress=progress)
    return Simulation(
        trials=sweep.trials,
        seed=sweep.seed,
        means=tuple(float(model.mean) for model in models),
        points=tuple(
            SweepPoint(setup=setup, guarantee=claim_of(setup, models), result=result)
            for setup, result in zip(setups, results, strict=True)
        ),
        link=link,
        most_bits=most_bits,
    )


def crossed(words: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of the listed values, the first word varying slowest, without repeats."""
    require_known(words, "a word of a sweep")
    lists = {word: value if isinstance(value, list) else [value] for word, value in words.items()}
    for word, values_of_word in lists.items():
        if not values_of_word:
            raise ConfigError(f"{word} is an empty list: there is no value of it to run")
    points: list[dict[str, Any]] = []
    for values in product(*lists.values()):
        point = _applicable(dict(zip(lists, values, strict=True)))
        if point not in points:
            points.append(point)
    for word in words:
        if not any(word in point for point in points):
            raise ConfigError(
                f"{word} applies to none of these settings; it is for {', '.join(users(word))}"
            )
    return points


def claim_of(setup: Setup, models: Iterable[RewardModel]) -> Guarantee:
    """What may be claimed for the answers of a setup on these models."""
    known = tuple(models)
    caveats = (*sigma_caveats(setup.spec, known), *resolution_caveats(known))
    return claim_ahead(setup, checkpoints(setup), caveats)


def setup_of(
    models: Sequence[RewardModel], point: Mapping[str, Any], *, sigma_from_models: bool = True
) -> Setup:
    """The setting that these words describe, with the σ of a run that is told the same.

    Where a run would refuse them, for want of σ and bounds, σ is the smallest that is valid.
    """
    for model in models:
        if not isinstance(model, RewardModel):
            raise ConfigError(
                f"an arm to simulate is a model of bitarm.sim.models, such as Bernoulli(mean=0.5), "
                f"got {model!r:.60}; `identify` takes functions and data"
            )
    problem, scheme, limits = split(point)
    needed = max((model.sigma for model in models), default=0.0)
    from_models = sigma_from_models and not {"sigma", "bounds"} & problem.keys()
    if from_models and 0 < needed < float("inf"):
        problem["sigma"] = needed  # 0 would be of rewards that never vary
    setup = build(
        tuple(f"arm-{number}" for number in range(len(models))),
        seed=0,
        problem=problem,
        scheme=scheme,
        limits=limits,
    )
    _check_bounds(models, setup.spec.bounds)  # after `build`, which refuses what are no bounds
    return setup


def _check_bounds(models: Sequence[RewardModel], bounds: tuple[float, float] | None) -> None:
    if bounds is None:
        return
    a, b = bounds
    for number, model in enumerate(models):
        own = model.bounds
        if own is None or own[0] < a or own[1] > b:
            raise ConfigError(
                f"arm {number} is {model.name}, whose rewards leave the bounds [{a}, {b}]"
            )


def _applicable(point: dict[str, Any]) -> dict[str, Any]:
    """The words that the chosen quantizer and policy have, or that belong to every run."""
    quantizer, policy = chosen_quantizer(point), chosen_policy(point)
    foreign = foreign_words(CHOICES, quantizer) | foreign_words(POLICIES, policy)
    foreign |= meaningless(policy, quantizer, point).keys()
    if policy.stride is Stride.JUDGED:
        foreign |= {*GRID}
    return {word: value for word, value in point.items() if word not in foreign}


def _runner(workers: int | None, cluster: str | None) -> Runner:
    if cluster is None:
        return run_local(1 if workers is None else workers)
    if workers is not None:
        raise ConfigError("workers does not apply to a cluster: it has its own")
    require("distributed", extra="cluster", what="a cluster")
    return run_on_cluster(cluster)


def _average(moments: Moments) -> dict[str, float | None]:
    """Mean and standard error; None where nothing was averaged."""
    return {"mean": moments.mean if moments.count else None, "sem": moments.sem}
