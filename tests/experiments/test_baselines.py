import pytest
from experiments.fabricated import result

from bitarm.experiments.baselines import Baseline, compared, factors
from bitarm.experiments.results import ExperimentResult, published


def _made() -> ExperimentResult:
    return result({"icq": [8.0, 9.0], "new": [4.0, 1.0]}, quantizer="icq")


def test_a_factor_is_the_baseline_over_the_series() -> None:
    found = factors(_made(), "samples", "new", Baseline(series="icq"))
    assert found is not None
    assert found.points == ((1.0, 2.0), (2.0, 9.0))
    assert (found.least, found.most) == (2.0, 9.0)
    assert found.mean == pytest.approx(18**0.5)


def test_points_go_along_the_axis_whatever_the_order_of_its_values() -> None:
    made = result({"icq": [8.0, 9.0], "new": [4.0, 1.0]}, quantizer="icq", values=[5.0, 3.0])
    found = factors(made, "samples", "new", Baseline(series="icq"))
    assert found is not None
    assert found.points == ((3.0, 9.0), (5.0, 2.0))


def test_a_published_curve_is_a_baseline_too() -> None:
    made = result({"icq-b3": [2.0, 2.0]}, name="own", figure="hardness", values=[0.1, 1.0])
    over = Baseline(series="icq-b3", published=True)
    assert over.label == "ICQ-SE, B = 3, as published"
    found = factors(made, "rounds", "icq-b3", over)
    paper = [published("hardness", "rounds", "icq-b3", x) for x in (0.1, 1.0)]
    assert found is not None
    assert [factor for _, factor in found.points] == [
        mean / 2 for mean in paper if mean is not None
    ]


def test_means_that_are_not_quantized_have_no_bits_to_compare() -> None:
    made = result({"exact": [8.0, 9.0], "other": [4.0, 1.0]})
    assert factors(made, "payload_bits", "other", Baseline(series="exact")) is None
    assert factors(made, "samples", "other", Baseline(series="exact")) is not None


def test_a_series_is_not_compared_with_itself_but_with_what_was_published_of_it() -> None:
    assert compared(_made(), Baseline(series="icq")) == ["new"]
    assert compared(_made(), Baseline(series="icq", published=True)) == ["icq", "new"]
