import pytest
from experiments.fabricated import result

from bitarm.experiments.catalog import load_study
from bitarm.experiments.results import ExperimentResult
from bitarm.experiments.run import run_experiments
from bitarm.experiments.theory_bounds import floors, message_floors, promises
from bitarm.theory import lower_bound


def _run(name: str, trials: int) -> ExperimentResult:
    experiment = load_study(name).experiment
    (found,) = run_experiments(
        [experiment], trials=trials, seed=1, full=False, workers=1, cache=None
    )
    return found


def test_the_lower_bound_is_that_of_the_arms() -> None:
    (bound,) = floors(result({"a": [9.0, 8.0]}), "samples")
    expected = lower_bound([0.0, 2.0], sigma=0.5, delta=0.1).samples
    assert bound.points[1][0] == 2.0
    assert bound.points[1][1] == pytest.approx(expected)


def test_the_lower_bound_on_bits_counts_the_arms() -> None:
    (bound,) = floors(result({"a": [9.0, 8.0]}), "payload_bits")
    assert [bits for _, bits in bound.points] == [pytest.approx(1.6)] * 2
    assert floors(result({"a": [9.0, 8.0]}), "rounds") == []


@pytest.mark.parametrize("series", ["exact", "icq-b3"])
def test_measured_samples_lie_between_their_bounds(series: str) -> None:
    found = _run("hardness", 50)
    (floor,) = floors(found, "samples")
    lower = dict(floor.points)
    upper = {
        bound.label.split()[0]: dict(bound.points) for bound in promises(found, "samples", series)
    }
    assert set(upper) == {"explicit", "closed"}
    for row in found.curve("samples", series):
        assert lower[row.x] < row.mean < upper["explicit"][row.x]
        assert upper["explicit"][row.x] < upper["closed"][row.x]


def test_bits_of_a_code_whose_length_varies_have_no_upper_bound() -> None:
    found = _run("hardness", 1)
    assert promises(found, "payload_bits", "quban-eps2") == []
    assert promises(found, "rounds", "quban-eps2") != []


def test_a_width_for_pairs_promises_nothing_but_has_the_same_floor() -> None:
    found = _run("gains_hardness", 1)
    assert promises(found, "samples", "dicq-pairwise") == []
    assert floors(found, "samples") == floors(_run("hardness", 1), "samples")


def test_beta_arms_have_no_floor_for_samples_but_one_for_bits() -> None:
    found = _run("random_beta", 1)
    assert floors(found, "samples") == []
    (bound,) = floors(found, "payload_bits")
    sizes = [len(means) for means in found.experiment.instance.each]
    assert [bits for _, bits in bound.points] == [pytest.approx(0.98 * size) for size in sizes]


@pytest.mark.slow
def test_messages_with_a_law_have_floors_of_their_own() -> None:
    found = _run("gains_offset", 16)
    assert [bound.label for bound in message_floors(found, "dicq-pairwise")] == [
        "its messages in the best prefix code",
        "any code as near in mean square",
    ]
    assert message_floors(found, "icq-b3") == []
