"""What is claimed beyond the paper, checked as the report checks it, with the trials it states."""

import pytest

from bitarm.experiments.catalog import BEYOND, load_study
from bitarm.experiments.run import run_experiments
from bitarm.sim.statistics import clopper_pearson

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", BEYOND)
def test_every_claim_holds_and_no_answer_contradicts_its_guarantee(name: str) -> None:
    study = load_study(name)
    (found,) = run_experiments(
        [study.experiment], trials=None, seed=1, full=True, workers=1, cache=None
    )
    assert {
        claim.text: failures
        for claim in study.analysis.claims
        if (failures := claim.failures(found))
    } == {}
    for (series, x), point in found.points.items():
        assert point.guarantee.delta is not None, (series, x, point.guarantee.reason)
        rate = clopper_pearson(point.result.errors, point.result.trials)
        assert rate.low <= point.guarantee.delta
