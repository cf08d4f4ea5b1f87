from dataclasses import replace

import pytest

from bitarm.api.simulate import setup_of
from bitarm.sim.execute import execute, execute_all, run_here
from bitarm.sim.models import Beta, Sampler
from bitarm.sim.processor_time import ProcessorTime, measurable, measured_chunk
from bitarm.sim.sweep import Sweep, run_chunk

_MODELS = (Beta(mean=0.7), Beta(mean=0.4))
_SETUPS = tuple(
    setup_of(_MODELS, {"delta": 0.05, "sigma": 0.2, "bounds": (0.0, 1.0), **words})
    for words in ({"quantizer": "exact"}, {"quantizer": "quban", "epsilon_quban": 1.0})
)
_SWEEP = Sweep(setups=_SETUPS, models=_MODELS, trials=1200, seed=5)


@pytest.mark.parametrize("index", [0, 2])
def test_measuring_does_not_change_a_chunk(index: int) -> None:
    chunk, cost = measured_chunk(_SWEEP, index)
    assert chunk == run_chunk(_SWEEP, index)
    assert cost.draw_seconds > 0
    assert cost.seconds > 0


def test_every_chunk_of_a_measured_sweep_has_a_cost() -> None:
    costs: list[ProcessorTime] = []
    (measured,) = execute_all(
        [_SWEEP], run_here, stores=[None], progress=lambda done, trials: None, costs=costs
    )
    assert measured == execute(_SWEEP, run_here, store=None, progress=lambda done, trials: None)
    assert len(costs) == _SWEEP.chunks


def test_draws_take_most_of_the_time_where_every_reward_is_drawn() -> None:
    """Two schemes on Beta arms: what they do with a tape is little beside filling it."""
    costs = [measured_chunk(_SWEEP, 0)[1] for _ in range(3)]
    least = min(cost.seconds / cost.draw_seconds for cost in costs)
    assert 0.5 < least < 3


def test_what_keeps_no_tape_cannot_be_measured() -> None:
    own = Sampler(sample=lambda rng, count: rng.random(count), mean=0.5, sigma=0.5)
    assert measurable(_SWEEP)
    assert not measurable(replace(_SWEEP, setups=_SETUPS[:1]))
    assert not measurable(replace(_SWEEP, models=(own, own)))
