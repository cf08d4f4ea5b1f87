import pytest

from bitarm.experiments.random_instances import ARMS, RandomInstances

_SCATTER = RandomInstances(best=(0.5, 0.9), gap=(0.1, 0.4), floor=0.02)


def test_instances_are_a_function_of_their_seed() -> None:
    assert _SCATTER.draw(10, seed=1) == _SCATTER.draw(10, seed=1)
    assert _SCATTER.draw(10, seed=1) != _SCATTER.draw(10, seed=2)


def test_means_keep_to_what_is_said_of_them() -> None:
    instances = _SCATTER.draw(500, seed=3)
    for means in instances:
        best, *others = sorted(means, reverse=True)
        assert 0.5 <= best <= 0.9
        assert others[0] <= best - 0.1 + 1e-4  # rounded to four digits
        assert others[-1] >= 0.02
    sizes = [len(means) for means in instances]
    assert (min(sizes), max(sizes)) == ARMS
    assert sum(size < 10 for size in sizes) / 500 == pytest.approx(0.49, abs=0.08)
    assert {means.index(max(means)) for means in instances if len(means) == 2} == {0, 1}


def test_without_a_floor_they_spread_below_the_nearest() -> None:
    (means,) = RandomInstances(best=(5.0, 5.0), gap=(1.0, 1.0), spread=2.0).draw(1, seed=4)
    assert all(mean == 5.0 or 2.0 <= mean <= 4.0 for mean in means)
