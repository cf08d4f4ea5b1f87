"""Bets on every reward, seen in one place: as the core has them, and wrong seldom enough."""

import math

import numpy as np
import pytest

from bitarm.core.evidence.bets import Bets, above, below
from bitarm.core.evidence.bounded import MIDDLE
from bitarm.core.evidence.ladder import RUNGS, log_weights
from bitarm.core.schedule import is_look
from bitarm.experiments.full_bets import run_full_bets
from bitarm.sim.statistics import clopper_pearson

pytestmark = pytest.mark.slow  # compiles a kernel


def _one(bets: Bets, line: str, rung: int) -> float:
    evidence = above if line == "above" else below
    return evidence(rung, bets.total, bets.predicted, bets.squares, bets.fortunes, bets.logs)


def _run(rng: np.random.Generator, means: list[float], delta: float) -> tuple[int, int]:
    """One run, by the core's own values: samples, and the answer."""
    held = {arm: Bets() for arm in range(len(means))}
    level, pulls, samples = math.log((len(means) - 1) / delta), 0, 0
    while len(held) > 1:
        for arm, bets in held.items():
            reward = 1.0 if rng.random() < means[arm] else 0.0
            held[arm] = bets.after([reward], pulls)
            samples += 1
        pulls += 1
        if not is_look(pulls):
            continue
        top = max(held, key=lambda arm: held[arm].total)
        for arm in set(held) - {top}:
            terms = [
                weight + _one(held[top], "above", rung) + _one(held[arm], "below", rung)
                for rung, weight in zip(range(RUNGS), log_weights(MIDDLE), strict=True)
            ]
            if math.log(math.fsum(map(math.exp, terms))) >= level:
                del held[arm]
    return samples, next(iter(held))


def test_runs_are_those_of_the_cores_own_bets() -> None:
    means, delta, trials = [0.2, 0.8, 0.55], 0.1, 12
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(5)))
    runs = [_run(rng, means, delta) for _ in range(trials)]
    found = run_full_bets(means, delta=delta, trials=trials, seed=5)
    right = [samples for samples, answer in runs if answer == 1]
    assert found.wrong == trials - len(right)
    assert found.samples.count == len(right)
    assert found.samples.mean == pytest.approx(np.mean(right))


def test_no_more_than_delta_is_wrong() -> None:
    found = run_full_bets([0.5, 0.42], delta=0.4, trials=1500, seed=2)
    assert clopper_pearson(found.wrong, 1500).low <= 0.4
    assert found.wrong > 0  # at such a δ, or it would be no test


def test_who_looks_after_every_pull_is_done_sooner() -> None:
    often, seldom = (
        run_full_bets([0.6, 0.5, 0.5], delta=0.1, trials=300, seed=3, every_pull=every)
        for every in (True, False)
    )
    assert often.samples.mean < seldom.samples.mean


def test_what_the_evidence_can_do_beside_published_strategies() -> None:
    """Fewer samples than KL-LUCB and KL-Racing took, with no more known than the bounds."""
    hard = run_full_bets([0.5, 0.45, 0.43, 0.4], delta=0.1, trials=400, seed=1)
    easy = run_full_bets([0.3, 0.21, 0.2, 0.19, 0.18], delta=0.1, trials=400, seed=1)
    assert hard.samples.mean < 6200 + 2 * (hard.samples.sem or 0)
    assert easy.samples.mean < 2500
