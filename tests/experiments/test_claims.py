import pytest
from experiments.fabricated import result

from bitarm.experiments.baselines import Baseline
from bitarm.experiments.claims import (
    Claim,
    ends_lower,
    falls,
    fewer,
    rises,
    times_fewer,
    times_fewer_on_average,
)


def _failures(claim: Claim, sem: float = 0.0, **means: list[float]) -> list[str]:
    return claim.failures(result(means, sem=sem))


def test_fewer_needs_every_point() -> None:
    claim = fewer("samples", "a", ("b", "c"))
    assert claim.text == "a needs fewer samples than b and c"
    assert _failures(claim, a=[1, 1], b=[2, 2], c=[3, 3]) == []
    (failure,) = _failures(claim, a=[1, 2], b=[2, 2], c=[3, 3])
    assert failure == "samples at x = 2: 2 against 2 of b"
    assert len(_failures(claim, a=[5, 5], b=[2, 2], c=[3, 3])) == 4


@pytest.mark.parametrize(
    ("means", "held"),
    [
        ([3.0, 2.0, 1.0], True),
        ([3.0, 2.0, 2.5], True),  # 0.5 up is under 4·√2 standard errors of 0.1
        ([3.0, 2.0, 2.6], False),  # 0.6 is over
        ([3.0, 3.1, 3.2], False),  # each step is noise, all of them together are no fall
    ],
)
def test_a_fall_may_be_interrupted_by_chance_alone(means: list[float], *, held: bool) -> None:
    assert (_failures(falls("rounds", "a"), sem=0.1, a=means) == []) is held
    mirrored = [-mean for mean in means]
    assert (_failures(rises("rounds", "a"), sem=0.1, a=mirrored) == []) is held


def test_without_spread_any_step_up_counts() -> None:
    assert _failures(falls("rounds", "a"), a=[3, 1, 2]) == [
        "rounds of a from x = 2 to 3: 1, then 2"
    ]


def test_a_curve_is_read_along_the_axis_whatever_the_order_of_its_values() -> None:
    backwards = result({"a": [1.0, 2.0, 3.0]}, values=[3.0, 2.0, 1.0])
    assert falls("rounds", "a").failures(backwards) == []
    assert rises("rounds", "a").failures(backwards) != []


def test_ends_lower_looks_at_the_ends_only() -> None:
    claim = ends_lower("payload_bits", "icq-b3")
    assert claim.text == "bits of ICQ-SE, B = 3 end lower than they begin"
    assert claim.failures(result({"icq-b3": [3, 9, 2]})) == []
    assert claim.failures(result({"icq-b3": [3, 1, 3]})) != []


def test_times_fewer_needs_every_point() -> None:
    claim = times_fewer("samples", "a", Baseline(series="b"), least=3)
    assert claim.text == "a needs at least 3 times fewer samples than b, rerun, at every point"
    assert _failures(claim, a=[1, 2], b=[3, 8]) == []
    assert _failures(claim, a=[1, 2], b=[3, 5]) == ["samples at x = 2: 2.50 times fewer"]
    only = times_fewer("samples", "a", Baseline(series="b"), least=1)
    assert only.text == "a needs fewer samples than b, rerun, at every point"
    assert _failures(only, a=[1, 3], b=[1, 2]) == ["samples at x = 2: 0.67 times fewer"]


def test_on_average_a_point_may_make_up_for_another() -> None:
    claim = times_fewer_on_average("samples", "a", Baseline(series="b"), least=4)
    assert claim.text.endswith("than b, rerun, in the geometric mean")
    assert _failures(claim, a=[1, 1], b=[2, 8]) == []
    assert _failures(claim, a=[1, 1], b=[2, 7]) == ["3.74 times fewer samples"]
