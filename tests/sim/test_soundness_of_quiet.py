"""Quiet elimination chooses from the data when to look and who speaks: its guarantee is tested.

Every drop is checked against the tape: the true means of the rewards must differ by the margin.
Then exact binomial tests, mutations that must fail, and δ = 1e-5 by importance sampling.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bitarm.api.simulate import SweepPoint, setup_of, simulate
from bitarm.core.codes import Nearest
from bitarm.core.events import ArmDropped, LearnerEvent, ReportAccepted, RoundOpened
from bitarm.core.quantizers import Dicq
from bitarm.core.setup import Setup
from bitarm.core.widths import pairwise
from bitarm.core.widths.pairwise import mixture_margin
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of
from bitarm.sim.machines import run_trial
from bitarm.sim.models import Bernoulli, Gaussian, RewardModel
from bitarm.sim.tape import Tape, empty_tape

pytestmark = pytest.mark.slow

_LEVEL = 1e-4
_TRIALS = 20_000
_QUIET: dict[str, Any] = {
    "quantizer": "dicq",
    "policy": "quiet",
    "width": "pairwise-mixture",
    "growth": 1.3,
    "first": 2,
}
_TINY = (Gaussian(mean=0.02, sd=1.0), Gaussian(mean=0.0, sd=1.0))
_INSTANCES: dict[str, tuple[RewardModel, ...]] = {
    "tiny gap": _TINY,
    "coins": (Bernoulli(mean=0.5), Bernoulli(mean=0.49), Bernoulli(mean=0.49)),
    "equal seconds": tuple(Gaussian(mean=mean, sd=0.5) for mean in (0.0, 0.0, 0.1, 0.0, 0.0)),
    "20 arms": tuple(Gaussian(mean=mean, sd=0.25) for mean in (*[0.0] * 19, 0.2)),
}
_SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "jumps only": {"leader_first": False, "pilot": False},
    "leader first, every checkpoint": {"cap": 1.0, "growth": 1.1},
    "hasty": {"patience": 0.3},
    "coarse": {"kappa": 8.0, "kappa_first": 8.0, "kappa_cut": 8.0},
    "round-indexed": {"width": "pairwise"},
    "intervals": {"width": "paper"},
}


# -- each drop, against the rewards ---------------------------------------------------------------


def _story(setup: Setup, tape: Tape, models: Any, trial: int) -> list[LearnerEvent]:
    events: list[LearnerEvent] = []
    run_trial(
        setup, tape, environment_of(models), np.random.default_rng(trial), trial, events.extend
    )
    return events


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    means=st.lists(st.floats(-2, 2), min_size=2, max_size=8),
    delta=st.sampled_from([0.3, 0.05, 1e-6]),
    kappa=st.floats(0.5, 8.0),
    patience=st.floats(0.2, 1.5),
)
def test_what_falls_is_a_margin_below_by_the_rewards_themselves(
    seed: int, means: list[float], delta: float, kappa: float, patience: float
) -> None:
    models = tuple(Gaussian(mean=mean, sd=1.0) for mean in means)
    words = {**_QUIET, "delta": delta, "kappa": kappa, "kappa_cut": kappa, "patience": patience}
    setup = setup_of(models, {**words, "max_samples": 10**6})
    grid = union_grid([setup])
    tape = empty_tape(grid, trials=1, messages=grid.size, units=np.full((1, len(models)), 0.5))
    rng = np.random.default_rng(seed)
    events: list[LearnerEvent] = []
    run_trial(setup, tape, environment_of(models), rng, 0, events.extend)
    drawn = np.arange(grid.size)[:, None] < tape.filled[0]
    sums = np.cumsum(np.where(drawn, tape.cells[0], 0.0), axis=0)
    pulls = dict.fromkeys(range(len(models)), 0)
    for event in events:
        match event:
            case ReportAccepted():
                pulls[event.arm] = event.pulls
                mu_hat = sums[np.searchsorted(grid, event.pulls), event.arm] / event.pulls
                if event.ceiling is None:
                    assert abs(mu_hat - event.mean) <= event.error * (1 + 1e-9)
                else:
                    assert mu_hat <= event.ceiling
            case ArmDropped():
                t = pulls[event.arm]
                assert pulls[event.because] == t
                at = sums[np.searchsorted(grid, t)] / t
                margin = mixture_margin(t, len(models), delta, 1.0)
                assert at[event.because] - at[event.arm] >= margin * (1 - 1e-12)


def test_hints_are_given_and_concessions_made() -> None:
    """The laws above would hold just as well if nobody ever conceded."""
    # far from 0, where an arm starts: then a centre that was told shows
    models = tuple(Gaussian(mean=mean, sd=0.25) for mean in (*[5.0] * 19, 5.2))
    setup = setup_of(models, {**_QUIET, "sigma": 0.25, "delta": 0.05})
    grid = union_grid([setup])
    tape = empty_tape(grid, trials=1, messages=grid.size, units=np.full((1, 20), 0.5))
    events = _story(setup, tape, models, 0)
    asked = [
        request.question
        for event in events
        if isinstance(event, RoundOpened)
        for request in event.requests
    ]
    first = [question for question in asked if question.until == asked[0].until]
    start = setup.spec.start(0).mean
    centres = [question.code.centre for question in first if isinstance(question.code, Nearest)]
    assert sum(centre != start for centre in centres) == 19
    reports = [event for event in events if isinstance(event, ReportAccepted)]
    conceded = [report for report in reports if report.ceiling is not None]
    assert sum(question.cut is not None for question in asked) >= len(conceded) > 10
    assert all(report.symbol.nbits == 1 for report in conceded)


# -- P(wrong) ≤ δ ---------------------------------------------------------------------------------


def _run(models: tuple[RewardModel, ...], trials: int = _TRIALS, **words: Any) -> SweepPoint:
    words = {**_QUIET, **words}
    if all(model.bounds for model in models):
        words["bounds"] = (0.0, 1.0)
    words.setdefault("max_samples", 10**9)
    return simulate(models, trials=trials, seed=1, workers=1, **words).points[0]


def _rejects(point: SweepPoint) -> bool:
    """Whether wrong answers, and runs that never answer, rule out P(wrong) ≤ δ."""
    trials, delta = point.result.samples.count, point.setup.spec.delta
    wrong = point.result.errors + trials - dict(point.result.outcomes)["decided"]
    return bool(stats.binomtest(wrong, trials, delta, alternative="greater").pvalue < _LEVEL)


@pytest.mark.parametrize("setting", _SETTINGS)
@pytest.mark.parametrize("name", _INSTANCES)
def test_it_is_mistaken_no_more_often_than_claimed(name: str, setting: str) -> None:
    for delta in (0.2, 0.05):
        point = _run(_INSTANCES[name], delta=delta, **_SETTINGS[setting])
        assert point.guarantee.delta == delta
        assert not _rejects(point), (delta, point.result.errors, point.result.outcomes)


def test_within_a_tolerance_too() -> None:
    arms = tuple(Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.3, 0.28, 0.0))
    for delta in (0.2, 0.05):
        assert not _rejects(_run(arms, delta=delta, epsilon=0.1))


@pytest.mark.parametrize("quantizer", ["icq", "quban", "exact"])
def test_quantizers_without_hints_under_jumps(quantizer: str) -> None:
    """Through the machines, hence few trials."""
    arms = (Gaussian(mean=0.5, sd=1.0), Gaussian(mean=0.0, sd=1.0), Gaussian(mean=0.2, sd=1.0))
    assert not _rejects(_run(arms, trials=300, delta=0.2, quantizer=quantizer, max_samples=10**6))


# -- what must fail -------------------------------------------------------------------------------


@contextmanager
def _replaced(owner: object, name: str, value: object) -> Iterator[None]:
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


_FINE: dict[str, Any] = {"kappa": 0.2, "kappa_cut": 0.2, "cap": 1.0, "growth": 1.1}  # many looks


def test_a_sigma_that_is_too_small_is_noticed() -> None:
    point = _run(_TINY, delta=0.2, sigma=0.25)
    assert point.guarantee.delta is None
    assert _rejects(point)


def test_margins_scaled_down_are_noticed() -> None:
    margin = pairwise.mixture_margin
    with _replaced(pairwise, "mixture_margin", lambda *words: 0.5 * margin(*words)):
        assert _rejects(_run(_TINY, delta=0.2, **_FINE))


def test_errors_left_out_are_noticed() -> None:
    for first in (True, False):
        words = {**_FINE, "kappa": 4.0, "kappa_cut": 4.0, "leader_first": first}
        assert not _rejects(_run(_TINY, delta=0.05, **words))
        with _replaced(Dicq, "error", lambda self, held, step: 0.0):
            assert _rejects(_run(_TINY, delta=0.05, **words)), first


# -- one error in a hundred thousand --------------------------------------------------------------


def _weighted_errors(*, sigma: float, **words: Any) -> tuple[float, float]:
    """P(wrong) of two Gaussian arms, with its standard error, by sampling where errors happen.

    Trials are drawn with the means swapped, where the wrong answer is the right one, and weighed
    by the likelihood ratio of what the arms had shown when the run ended.
    """
    trials, gap = 20_000, 0.5
    swapped = environment_of((Gaussian(mean=0.0, sd=1.0), Gaussian(mean=gap, sd=1.0)))
    setup = setup_of(swapped.models, {**_QUIET, "sigma": sigma, "delta": 1e-5, **words})
    grid = union_grid([setup])
    tape = empty_tape(grid, trials=trials, messages=grid.size, units=np.full((trials, 2), 0.5))
    ((outcome, _),) = Engine([setup], swapped).run_tape(tape, np.random.default_rng(11))
    pulls = outcome.samples // 2  # both arms are level when one of them falls
    last = np.searchsorted(grid, pulls)
    assert np.array_equal(grid[last], pulls)
    drawn = np.arange(grid.size)[None, :, None] < tape.filled[:, None, :]
    sums = np.cumsum(np.where(drawn, tape.cells, 0.0), axis=1)[np.arange(trials), last]
    # ln of the density of N(gap, 1) × N(0, 1) over that of N(0, 1) × N(gap, 1)
    ratio = np.exp(gap * (sums[:, 0] - sums[:, 1]))
    weights = np.where(outcome.best_arm == 1, ratio, 0.0)
    return float(weights.mean()), float(weights.std() / np.sqrt(trials))


@pytest.mark.parametrize("setting", ["default", "hasty", "jumps only"])
def test_one_error_in_a_hundred_thousand(setting: str) -> None:
    rate, error = _weighted_errors(sigma=1.0, **_SETTINGS[setting])
    assert 0 < rate + 4 * error < 1e-5
    rate, error = _weighted_errors(sigma=0.3, **_SETTINGS[setting])  # the control
    assert rate - 4 * error > 1e-5
