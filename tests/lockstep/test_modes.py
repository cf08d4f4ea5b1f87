"""However a trial is run, its numbers are the same: forgotten, kept, traced, or by the machines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from lockstep.cases import blank_tape, setup
from scipy import stats

from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import CODES
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SuccessiveElimination,
    TopTwo,
)
from bitarm.core.policy import Action, PolicyContext
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import Exact, FedSel, Icq, QuBan
from bitarm.core.question import Question
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.sim.engine import Engine
from bitarm.sim.environment import Environment, environment_of
from bitarm.sim.machines import run_machines
from bitarm.sim.models import Bernoulli, Beta, Gaussian, Sampler
from bitarm.sim.twins import has_twin

Integers = npt.NDArray[np.int64]

_P_VALUE = 1e-4
_GAUSSIAN = environment_of([Gaussian(mean=mean, sd=0.4) for mean in (0.0, 0.3, 0.9)])
_BOUNDED = environment_of([Bernoulli(mean=0.2), Beta(mean=0.5), Bernoulli(mean=0.7)])
_BY_INTERVALS: tuple[Policy, ...] = (SuccessiveElimination(), Lucb(), LilUcb(), TopTwo())


def _rng(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _setup(
    quantizer: Quantizer, policy: Policy, environment: Environment, growth: float = 2.0
) -> Setup:
    bounds = None if environment is _GAUSSIAN else (0.0, 1.0)
    return setup(
        3,
        quantizer,
        policy,
        paper_schedule(growth),
        sigma=0.3,
        bounds=bounds,
        limits=Limits(samples=2000),
    )


@pytest.mark.parametrize("policy", _BY_INTERVALS, ids=lambda policy: str(policy.name))
@pytest.mark.parametrize(
    ("quantizer", "environment"),
    [
        (Exact(), _GAUSSIAN),
        (QuBan(), _GAUSSIAN),
        (Icq(prior="quban"), _GAUSSIAN),
        (Exact(), _BOUNDED),
        (Icq(), _BOUNDED),
        (QuBan(), _BOUNDED),
        (FedSel(), _BOUNDED),
    ],
    ids=["exact-g", "quban-g", "icq-g", "exact", "icq", "quban", "fed-sel"],
)
def test_a_trial_that_is_forgotten_and_one_that_is_kept_are_the_same(
    quantizer: Quantizer, policy: Policy, environment: Environment
) -> None:
    """Draw for draw: both ask for the same numbers in the same order."""
    one, trials = _setup(quantizer, policy, environment), 200
    (forgotten,) = Engine([one], environment).run(_rng(3), trials)
    rng = _rng(3)
    draws_priors = quantizer.prior_range(one.spec.bounds) is not None
    tape = blank_tape([one], rng, trials if draws_priors else 1)
    if not draws_priors:  # then the engine draws one row of units, which nobody reads
        tape = blank_tape([one], _rng(99), trials)
    ((kept, _),) = Engine([one], environment).run_tape(tape, rng)
    assert np.array_equal(forgotten.table, kept.table)
    assert len(np.unique(kept.rounds)) > 1  # not all alike: an order would show


@pytest.mark.parametrize(
    "policy", [*_BY_INTERVALS, LilUcbCount()], ids=lambda policy: str(policy.name)
)
def test_the_machines_draw_in_the_kernels_order_where_every_message_is_dithered(
    policy: Policy,
) -> None:
    one, trials = _setup(QuBan(), policy, _GAUSSIAN), 30
    by_kernel, by_machines = _rng(4), _rng(4)
    kept = blank_tape([one], by_kernel, trials)
    tape = blank_tape([one], by_machines, trials)
    ((kernel, _),) = Engine([one], _GAUSSIAN).run_tape(kept, by_kernel)
    machines = run_machines(one, tape, _GAUSSIAN, by_machines)
    assert np.array_equal(kernel.table, machines.table)
    assert by_kernel.random() == by_machines.random()  # and both go on from the same place


def test_a_scheme_on_a_shared_grid_has_the_distribution_that_it_has_alone() -> None:
    """A finer schedule beside it cuts its sums into more cells, so the draws differ."""
    alone = _setup(Exact(), SuccessiveElimination(), _GAUSSIAN)
    beside = _setup(Exact(), SuccessiveElimination(), _GAUSSIAN, growth=1.3)
    (first,) = Engine([alone], _GAUSSIAN).run(_rng(5), 4000)
    second, _ = Engine([alone, beside], _GAUSSIAN).run(_rng(6), 4000)
    assert not np.array_equal(first.table, second.table)
    assert _same_law(first.rounds, second.rounds) > _P_VALUE
    assert _same_law(first.samples, second.samples) > _P_VALUE
    _, other = Engine([alone, beside], _GAUSSIAN).run(_rng(6), 4000)
    assert _same_law(first.samples, other.samples) < _P_VALUE  # control: 1.3 is another schedule


def test_a_family_and_a_sampler_of_the_same_rewards_have_the_same_distribution() -> None:
    """The sampler's trials starve and are fed by Python; the family's are drawn in the kernel."""
    sampled = environment_of(
        [Sampler(sample=model.draw, mean=model.mean, sigma=0.4) for model in _GAUSSIAN.models]
    )
    one = _setup(Exact(), SuccessiveElimination(), _GAUSSIAN)
    (compiled,) = Engine([one], _GAUSSIAN).run(_rng(7), 1500)
    (fed,) = Engine([one], sampled).run(_rng(8), 1500)
    assert _same_law(compiled.rounds, fed.rounds) > _P_VALUE
    assert _same_law(compiled.samples, fed.samples) > _P_VALUE
    (other,) = Engine([_setup(Exact(), LilUcb(), _GAUSSIAN)], _GAUSSIAN).run(_rng(9), 1500)
    assert _same_law(other.samples, fed.samples) < _P_VALUE  # control


def _same_law(one: Integers, two: Integers) -> float:
    """Chi-square for equal laws; values seen fewer than 20 times are taken together."""
    values, counts = np.unique(np.concatenate([one, two]), return_counts=True)
    common = values[counts >= 20]
    table = np.array(
        [[np.count_nonzero(counts == value) for value in common] for counts in (one, two)]
    )
    rest = np.array([[counts.size] for counts in (one, two)]) - table.sum(axis=1, keepdims=True)
    table = np.hstack([table, rest]) if rest.sum() >= 20 else table
    return float(stats.chi2_contingency(table).pvalue)


# -- schemes without a kernel ---------------------------------------------------------------------


@dataclass(frozen=True)
class Unheard(Policy):
    """Somebody's own policy: in truth one of ours, which only this test knows."""

    inner: Policy
    name: ClassVar[str] = "somebody's"
    stride: ClassVar[Stride] = Stride.APART

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        return self.inner.decide(views, context)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        return self.inner.objection(spec, views)


@dataclass(frozen=True)
class Unseen(Quantizer):
    """Somebody's own quantizer: in truth one of ours."""

    inner: Quantizer = field(default_factory=QuBan)
    name: ClassVar[str] = "somebody's"
    stride: ClassVar[Stride] = Stride.APART
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = False
    codes: ClassVar[tuple[str, ...]] = tuple(CODES)
    has_intervals: ClassVar[bool] = True

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        return self.inner.prior_range(bounds)

    def objection(self) -> str | None:
        return self.inner.objection()

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        return self.inner.start(prior, bounds)

    def error(self, held: Estimate, step: Occasion) -> float:
        return self.inner.error(held, step)

    def least_bits(self, step: Occasion) -> int:
        return self.inner.least_bits(step)

    def question(self, held: Estimate, step: Occasion, dither: float) -> Question:
        return self.inner.question(held, step, dither)

    def read(self, symbol: Symbol, question: Question, held: Estimate, step: Occasion) -> Estimate:
        return self.inner.read(symbol, question, held, step)


@pytest.mark.parametrize(
    ("quantizer", "policy", "environment"),
    [
        (Exact(), SuccessiveElimination(), _GAUSSIAN),
        (QuBan(), Lucb(epsilon=0.05), _GAUSSIAN),
        (Icq(prior="midpoint"), LilUcb(), _BOUNDED),
        (FedSel(), SuccessiveElimination(), _BOUNDED),
        (Exact(), LilUcbCount(), _BOUNDED),
    ],
    ids=["exact-se", "quban-lucb", "icq-lil-ucb", "fed-sel-se", "exact-lil-ucb-count"],
)
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "with its equal"])
def test_a_scheme_without_a_kernel_gives_what_its_equal_with_one_gives(
    quantizer: Quantizer, policy: Policy, environment: Environment, *, alone: bool
) -> None:
    known = _setup(quantizer, policy, environment)
    mine = [
        _setup(quantizer, Unheard(policy), environment),
        _setup(Unseen(quantizer), policy, environment),
    ]
    assert has_twin(known)
    assert not any(map(has_twin, mine))
    if alone:  # on a tape that the kernel has filled before
        rng = _rng(10)
        tape = blank_tape([known], rng, 20)
        ((expected, _),) = Engine([known], environment).run_tape(tape, rng)
        results = [run_machines(one, tape, environment, rng) for one in mine]
    else:
        expected, *results = Engine([known, *mine], environment).run(_rng(11), 20)
    for result in results:
        assert np.array_equal(result.table, expected.table)


def test_a_scheme_without_a_kernel_may_come_first() -> None:
    known = _setup(Exact(), SuccessiveElimination(), _GAUSSIAN)
    mine = _setup(Exact(), Unheard(SuccessiveElimination()), _GAUSSIAN, growth=3.0)
    same = _setup(Exact(), SuccessiveElimination(), _GAUSSIAN, growth=3.0)
    first, *_, last = Engine([mine, known, same], _GAUSSIAN).run(_rng(12), 20)
    assert np.array_equal(first.table, last.table)


def test_a_trace_needs_a_kernel() -> None:
    mine = _setup(Exact(), Unheard(Lucb()), _GAUSSIAN)
    tape = blank_tape([mine], _rng(0), 1)
    with pytest.raises(ConfigError, match="somebody's with these settings has no kernel"):
        Engine([mine], _GAUSSIAN).run_tape(tape, _rng(0))
