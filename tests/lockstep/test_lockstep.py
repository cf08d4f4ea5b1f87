"""The simulator is the machines: on one tape, kernels and machines agree to the last bit."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lockstep.cases import BOUNDED, POLICIES, UNBOUNDED, Case, blank_tape, cases, setup
from lockstep.stories import told_by_kernels, told_by_machines

from bitarm.core.confidence import ArmView
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SuccessiveElimination,
    TopTwo,
)
from bitarm.core.policy import tolerance_of
from bitarm.core.quantizers import Dicq, Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.schedule import GeometricSchedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Beta, Gaussian, Sampler
from bitarm.sim.tables import Table, table_of
from bitarm.sim.tape import recorded_tape

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_SETTINGS = settings(
    max_examples=15,
    # a failing case is small enough as it is; the time goes into more cases instead
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def _with_kernel(quantizers: Iterable[str]) -> list[tuple[str, str]]:
    return [(quantizer, policy) for quantizer in quantizers for policy in POLICIES]


def assert_lockstep(case: Case, trials: int = 2) -> None:
    """Kernels and machines tell the same stories of the same tape."""
    environment, tape = case.environment, case.tape(trials)
    rng = np.random.default_rng(case.seed + 1)
    engine = Engine(case.setups, environment)
    if case.machines_first:
        told = [told_by_machines(one, tape, environment, rng) for one in case.setups]
        drawn = tape.filled.copy(), tape.cells.copy()
        assert told_by_kernels(engine, tape, rng) == told
    else:
        told = told_by_kernels(engine, tape, rng)
        drawn = tape.filled.copy(), tape.cells.copy()
        assert [told_by_machines(one, tape, environment, rng) for one in case.setups] == told
    # who comes second needs not one cell more, and changes none
    assert tape.filled.tolist() == drawn[0].tolist()
    for trial, arm in np.ndindex(*tape.filled.shape):
        depth = int(tape.filled[trial, arm])
        assert np.array_equal(tape.cells[trial, :depth, arm], drawn[1][trial, :depth, arm])


@pytest.mark.parametrize(("quantizer", "policy"), _with_kernel(BOUNDED))
@given(data=st.data())
@_SETTINGS
def test_kernel_and_machines_agree_on_bounded_rewards(
    quantizer: str, policy: str, data: st.DataObject
) -> None:
    assert_lockstep(data.draw(cases((quantizer, policy), bounded=True)))


@pytest.mark.parametrize(("quantizer", "policy"), _with_kernel(UNBOUNDED))
@given(data=st.data())
@_SETTINGS
def test_kernel_and_machines_agree_on_gaussian_rewards(
    quantizer: str, policy: str, data: st.DataObject
) -> None:
    assert_lockstep(data.draw(cases((quantizer, policy), bounded=False)))


@pytest.mark.slow
@given(
    case=cases(("icq", "se"), ("dicq", "se"), ("quban", "lucb"), ("exact", "lil-ucb"), bounded=True)
)
@settings(_SETTINGS, max_examples=30)
def test_schemes_with_different_schedules_agree_on_one_bounded_tape(case: Case) -> None:
    assert_lockstep(case)


@pytest.mark.slow
@given(
    case=cases(
        ("dicq", "top-two"), ("exact", "se"), ("icq-quban", "lucb"), ("exact", "lil-ucb-count"),
        bounded=False,
    )
)  # fmt: skip
@settings(_SETTINGS, max_examples=30)
def test_schemes_with_different_schedules_agree_on_one_gaussian_tape(case: Case) -> None:
    assert_lockstep(case)


# -- rewards that Python draws --------------------------------------------------------------------


def _triangular(rng: np.random.Generator, count: int) -> Any:
    return rng.triangular(0.0, 0.6, 1.0, count)


def _uniform(rng: np.random.Generator, count: int) -> Any:
    return rng.random(count)


@pytest.mark.parametrize(
    "policy", [SuccessiveElimination(), Lucb(epsilon=0.02)], ids=lambda value: str(value.name)
)
@pytest.mark.parametrize("machines_first", [False, True])
def test_starved_trials_are_fed_and_agree(policy: Policy, *, machines_first: bool) -> None:
    models = (
        Sampler(sample=_triangular, mean=1.6 / 3, sigma=0.25, bounds=(0.0, 1.0)),
        Beta(mean=0.4),
        Sampler(sample=_uniform, mean=0.5, sigma=0.5, bounds=(0.0, 1.0)),
    )
    setups = tuple(
        setup(3, Icq(bits=2), policy, paper_schedule(growth), sigma=0.1, limits=Limits(rounds=12))
        for growth in (2.0, 1.5)
    )
    for seed in range(10):
        case = Case(
            setups=setups,
            models=models,
            seed=seed,
            lattice=False,
            machines_first=machines_first,
        )
        assert_lockstep(case, trials=5)


# -- controls: the comparison is sharp ------------------------------------------------------------


def _up(values: Any) -> Any:
    return np.nextafter(values, np.inf)


_T1 = GeometricSchedule(growth=2.0, first=1)


_EPSILON = 0.25
_BY_INTERVALS: tuple[Policy, ...] = (
    SuccessiveElimination(),
    SuccessiveElimination(epsilon=_EPSILON),
    Lucb(),
    Lucb(epsilon=_EPSILON),
    LilUcb(),
    LilUcb(epsilon=_EPSILON),
)


def _tied(policy: Policy) -> tuple[Setup, list[float]]:
    """Two arms whose exact means are apart by what is asked for, to the last bit."""
    one = setup(2, Exact(), policy, _T1, limits=Limits(rounds=1), bounds=None)
    table = table_of(one)
    u = float(table.radius[0])
    return one, [(u + u) - table.epsilon, 0.0]


def _assert_found_where_tied(
    one: Setup,
    rewards: list[float],
    monkeypatch: pytest.MonkeyPatch,
    **mutation: Callable[[Any], Any],
) -> None:
    """Kernels tell what machines tell of two arms, until a number of the table is changed."""
    environment = environment_of([Gaussian(mean=0.0, sd=1.0)] * 2)
    tape = recorded_tape([1, 2], [[rewards, rewards]])
    rng = np.random.default_rng(0)
    told = [told_by_machines(one, tape, environment, rng)]
    assert told[0][0].best_arm == 0
    assert told_by_kernels(Engine([one], environment), tape, rng) == told
    _mutate(monkeypatch, **mutation)
    assert told_by_kernels(Engine([one], environment), tape, rng) != told


@pytest.mark.parametrize("policy", _BY_INTERVALS, ids=repr)
@pytest.mark.parametrize("mutation", [_up, lambda radius: radius * (1 + 1e-12)])
def test_a_radius_that_is_an_ulp_off_is_found(
    policy: Policy, mutation: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, rewards = _tied(policy)
    _assert_found_where_tied(one, rewards, monkeypatch, radius=mutation)


@pytest.mark.parametrize(
    "policy",
    [
        Lucb(),
        Lucb(epsilon=_EPSILON),
        LilUcb(),
        LilUcb(epsilon=_EPSILON),
        TopTwo(),
        TopTwo(epsilon=_EPSILON),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "mutation",
    [
        lambda pairs: pairs._replace(sigma=pairs.sigma * (1 + 1e-12)),
        lambda pairs: pairs._replace(level=pairs.level * (1 + 1e-9)),
        lambda pairs: pairs._replace(error=pairs.error + 1e-12),
        lambda pairs: pairs._replace(shares=pairs.shares - 1e-9),
    ],
    ids=["sigma", "level", "error", "shares"],
)
def test_a_margin_that_is_off_is_found(
    policy: Policy, mutation: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two arms whose exact means are apart by what the pair needs, to the last bit."""
    one = setup(2, Exact(), policy, _T1, limits=Limits(rounds=1), bounds=None, width="sub-gaussian")
    error = one.spec.quantizer.error(one.spec.start(0), one.spec.occasion(1, 1))
    view = ArmView(arm=0, mean=0.0, pulls=1, messages=1, index=1, error=error)
    needed = one.spec.sampling.confidence(policy.stride).separation(view, view)
    rewards = [needed - tolerance_of(policy), 0.0]
    _assert_found_where_tied(one, rewards, monkeypatch, pairs=mutation)


@pytest.mark.parametrize(
    ("policy", "quantizer", "column", "mutation"),
    [
        (SuccessiveElimination(), Icq(bits=2), "k0", _up),
        (SuccessiveElimination(), Icq(bits=2), "k1", _up),
        (SuccessiveElimination(), Icq(bits=2), "last", lambda last: last - 1),
        (SuccessiveElimination(), QuBan(), "k0", _up),
        (SuccessiveElimination(), FedSel(), "k1", _up),
        (SuccessiveElimination(), FedSel(), "nbits", lambda nbits: nbits + 1),
        (SuccessiveElimination(), Exact(), "limits", lambda limits: limits // 20),
        (SuccessiveElimination(epsilon=0.1), Exact(), "epsilon", lambda epsilon: 0.11),
        (Lucb(), Icq(bits=2), "k0", _up),
        (LilUcb(), Icq(bits=2), "k1", _up),
        (LilUcbCount(), Exact(), "ratio", lambda ratio: 0.9 * ratio),
        (TopTwo(), Icq(bits=2), "level", lambda level: 0.8 * level),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "name", "-"),
)
def test_any_other_number_of_a_table_that_is_off_is_found(
    policy: Policy,
    quantizer: Quantizer,
    column: str,
    mutation: Callable[[Any], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = setup(3, quantizer, policy, sigma=0.1, limits=Limits(samples=3000))
    environment = environment_of([Beta(mean=mean) for mean in (0.7, 0.5, 0.3)])
    rng = np.random.default_rng(5)
    tape = blank_tape([one], rng, trials=40)
    told = [told_by_machines(one, tape, environment, rng)]
    assert told_by_kernels(Engine([one], environment), tape, rng) == told
    _mutate(monkeypatch, **{column: mutation})
    assert told_by_kernels(Engine([one], environment), tape, rng) != told


def test_a_word_that_is_off_is_found_where_mean_and_length_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another divisor of Golomb's code changes no mean."""
    one = setup(3, Dicq(), SuccessiveElimination(), sigma=0.1, limits=Limits(samples=3000))
    environment = environment_of([Beta(mean=mean) for mean in (0.7, 0.6, 0.3)])
    rng = np.random.default_rng(5)
    tape = blank_tape([one], rng, trials=40)
    told = told_by_machines(one, tape, environment, rng)
    assert told_by_kernels(Engine([one], environment), tape, rng) == [told]
    _mutate(monkeypatch, k1=lambda divisors: divisors + (divisors > 0))
    (off,) = told_by_kernels(Engine([one], environment), tape, rng)
    alike = [
        (word, other)
        for story, changed in zip(told, off, strict=True)
        for key, (mean, word) in story.reports.items()
        for changed_mean, other in [changed.reports[key]]
        if (mean, word.nbits) == (changed_mean, other.nbits)
    ]
    assert any(word != other for word, other in alike)


def _mutate(monkeypatch: pytest.MonkeyPatch, **mutations: Callable[[Any], Any]) -> None:
    def mutated(one: Setup) -> Table:
        table = table_of(one)
        changed = {name: change(getattr(table, name)) for name, change in mutations.items()}
        return replace(table, **changed)

    monkeypatch.setattr("bitarm.sim.engine.table_of", mutated)
