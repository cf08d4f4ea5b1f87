"""The engine: refusals, blocks, feeding of starved trials, and kernels that are not stale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from lockstep.cases import blank_tape, setup

import bitarm
from bitarm.core.limits import Limits
from bitarm.core.policies import Lucb, SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, Icq, QuBan
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.engine import Engine, start_means
from bitarm.sim.environment import Environment, environment_of
from bitarm.sim.machines import run_machines
from bitarm.sim.models import Beta, Gaussian, RewardModel, Sampler

_GAUSSIAN = environment_of([Gaussian(mean=mean, sd=0.4) for mean in (0.0, 0.3, 0.9)])


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _se(arms: int = 3, growth: float = 2.0) -> Setup:
    return setup(
        arms, Exact(), SuccessiveElimination(), paper_schedule(growth), sigma=0.3, bounds=None
    )


def test_a_scheme_for_another_number_of_arms_is_refused() -> None:
    with pytest.raises(ConfigError, match="a scheme for 2 arms met 3 models"):
        Engine([_se(), _se(arms=2)], _GAUSSIAN)


def test_an_engine_elsewhere_is_one_made_there() -> None:
    there = environment_of([Gaussian(mean=mean, sd=0.2) for mean in (0.5, 0.1, 0.0)])
    moved = Engine([_se()], _GAUSSIAN).elsewhere(there).run(_rng(), 50)[0]
    made = Engine([_se()], there).run(_rng(), 50)[0]
    assert np.array_equal(moved.table, made.table)


def test_an_engine_does_not_go_where_arms_are_more() -> None:
    there = environment_of([Gaussian(mean=mean, sd=0.2) for mean in (0.5, 0.1)])
    with pytest.raises(ConfigError, match="an environment of 3 arms was left for 2"):
        Engine([_se()], _GAUSSIAN).elsewhere(there)


def test_every_scheme_has_its_results_in_the_order_given() -> None:
    slow, fast = _se(growth=1.2), _se(growth=4.0)
    results = Engine([slow, fast], _GAUSSIAN).run(_rng(), 50)
    swapped = Engine([fast, slow], _GAUSSIAN).run(_rng(), 50)
    assert results[0].rounds.mean() > 2 * results[1].rounds.mean()
    assert swapped[1].rounds.mean() > 2 * swapped[0].rounds.mean()


def test_schemes_are_paired_trial_by_trial() -> None:
    """Twice the same scheme: twice the same trials, however they differ among themselves."""
    first, second = Engine([_se(), _se()], _GAUSSIAN).run(_rng(), 200)
    assert np.array_equal(first.table, second.table)
    assert len(np.unique(first.samples)) > 3


def test_the_first_of_several_schemes_gives_what_it_gives_alone() -> None:
    """On its own grid the draws are the same, whether or not they are kept for the others."""
    one = setup(3, Icq(), SuccessiveElimination(), sigma=0.3)
    environment = environment_of([Beta(mean=mean) for mean in (0.2, 0.5, 0.7)])
    other = setup(3, FedSel(), SuccessiveElimination(), sigma=0.3)
    (alone,) = Engine([one], environment).run(_rng(), 100)
    first, _ = Engine([one, other], environment).run(_rng(), 100)
    assert np.array_equal(alone.table, first.table)


@pytest.mark.parametrize("models", ["gaussian", "sampler"])
def test_the_same_generator_gives_the_same_trials(models: str) -> None:
    environment = _GAUSSIAN if models == "gaussian" else _sampled()
    (first,) = Engine([_se()], environment).run(_rng(7), 20)
    (again,) = Engine([_se()], environment).run(_rng(7), 20)
    (other,) = Engine([_se()], environment).run(_rng(8), 20)
    assert np.array_equal(first.table, again.table)
    assert not np.array_equal(first.table, other.table)


@pytest.mark.parametrize(
    ("quantizer", "bounds", "expected"),
    [
        (Icq(), (-1.0, 3.0), [[-1.0, 0.0, 1.0]]),
        (Icq(prior="midpoint"), (-1.0, 3.0), [[1.0, 1.0, 1.0]]),
        (Icq(prior="quban"), None, [[0.0, 0.0, 0.0]]),
        (QuBan(), None, [[0.0, 0.0, 0.0]]),
        (Exact(), None, [[0.0, 0.0, 0.0]]),
    ],
)
def test_a_prior_is_where_the_quantizer_puts_it(
    quantizer: Icq | QuBan | Exact, bounds: tuple[float, float] | None, expected: list[list[float]]
) -> None:
    one = setup(3, quantizer, Lucb(), bounds=bounds)
    assert start_means(one, np.array([[0.0, 0.25, 0.5]])).tolist() == expected


# -- rewards that Python draws --------------------------------------------------------------------

_ASKED: list[int] = []


def _counted(rng: np.random.Generator, count: int) -> npt.ArrayLike:
    _ASKED.append(count)
    return rng.normal(0.1, 0.4, count)


def _sampled() -> Environment:
    models: list[RewardModel] = [Sampler(sample=_counted, mean=0.1, sigma=0.4)]
    return environment_of([*models, *_GAUSSIAN.models[1:]])


def test_a_sampler_is_asked_for_no_reward_beyond_the_last_report() -> None:
    _ASKED.clear()
    one, environment = _se(), _sampled()
    tape = blank_tape([one], _rng(), 10)
    Engine([one], environment).run_tape(tape, _rng())
    assert np.array_equal(tape.wanted, tape.filled)
    assert sum(_ASKED) == tape.grid[tape.filled[:, 0] - 1].sum()


def test_an_error_of_a_sampler_comes_out_as_it_is() -> None:
    def broken(rng: np.random.Generator, count: int) -> npt.ArrayLike:
        return [float("nan")] * count

    environment = environment_of(
        [Sampler(sample=broken, mean=0.1, sigma=0.4), *_GAUSSIAN.models[1:]]
    )
    with pytest.raises(RewardError, match="finite rewards"):
        Engine([_se()], environment).run(_rng(), 5)


# -- where a kernel must not go on in silence -----------------------------------------------------


@pytest.mark.parametrize(
    ("quantizer", "means"),
    [(QuBan(), (1e17, 2e17)), (Icq(prior="quban"), (1e17, 2e17)), (Exact(), (1e308, 1e300))],
    ids=["quban", "icq", "overflow"],
)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_rewards_that_the_machines_refuse_are_refused_by_kernels(
    quantizer: QuBan | Icq | Exact, means: tuple[float, float]
) -> None:
    one = setup(2, quantizer, SuccessiveElimination(), bounds=None, limits=Limits(rounds=9))
    environment = environment_of([Gaussian(mean=mean, sd=1.0) for mean in means])
    with pytest.raises(RewardError):
        run_machines(one, blank_tape([one], _rng(), 1), environment, _rng())
    with pytest.raises(RewardError):
        Engine([one], environment).run(_rng(), 1)


_RUN = """
from bitarm.api.simulate import simulate
from bitarm.sim.models import Gaussian
models = [Gaussian(mean=0.0, sd=1.0), Gaussian(mean=1.0, sd=1.0)]
(point,) = simulate(models, trials=5, seed=1, workers=1, quantizer="quban").points
print(point.result.payload_bits.mean)
"""


@pytest.mark.slow
def test_a_kernel_is_compiled_anew_when_a_function_it_calls_has_changed(tmp_path: Path) -> None:
    """Compiled kernels are kept on disk; a changed quantizer must not be run in its old form."""
    # with what is compiled already: this is what must not be run
    shutil.copytree(Path(bitarm.__file__).parent, tmp_path / "bitarm")
    before = _bits(tmp_path)
    quantize = tmp_path / "bitarm" / "sim" / "kernels" / "quantize.py"
    text = quantize.read_text(encoding="utf-8")
    assert "nbits, level" in text
    quantize.write_text(text.replace("nbits, level", "nbits + 1000, level"), encoding="utf-8")
    assert _bits(tmp_path) > before + 1000


def _bits(folder: Path) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    ran = subprocess.run(
        [sys.executable, "-c", _RUN],
        env=environment | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ran.stdout)
