"""Problems on which the simulator's kernels and the machines are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tapes import make_spec

from bitarm.core.budget import has_phases
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import BudgetedDicq, Dicq, Exact, FedSel, FedSelPaper, Icq, QuBan
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, default_first
from bitarm.core.setup import Setup
from bitarm.core.widths import WIDTHS
from bitarm.sim.engine import union_grid
from bitarm.sim.environment import Environment, environment_of
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel
from bitarm.sim.tape import Tape, empty_tape, recorded_tape


def setup(
    arms: int,
    quantizer: Quantizer,
    policy: Policy,
    schedule: Schedule | None = None,
    *,
    limits: Limits | None = None,
    **words: Any,
) -> Setup:
    """A scheme from the core's own parts; `words` are those of `make_spec`."""
    spec = make_spec(arms=arms, quantizer=quantizer, schedule=schedule, **words)
    return Setup(spec=spec, policy=policy, limits=limits or Limits(samples=20_000))


def blank_tape(setups: Sequence[Setup], rng: np.random.Generator, trials: int) -> Tape:
    """A tape for these schemes on which only the priors are drawn."""
    grid = union_grid(setups)
    units = rng.random((trials, len(setups[0].spec.arms)))
    return empty_tape(grid, trials=trials, messages=grid.size, units=units)


@dataclass(frozen=True, kw_only=True)
class Case:
    """Schemes, what they are run on, and who goes first."""

    setups: tuple[Setup, ...]
    models: tuple[RewardModel, ...]
    seed: int
    lattice: bool  # sums on a coarse lattice, where ties are common, instead of drawn ones
    machines_first: bool

    @property
    def environment(self) -> Environment:
        return environment_of(self.models)

    def tape(self, trials: int) -> Tape:
        """A tape of its own; drawn cells come when they are asked for."""
        rng = np.random.default_rng(self.seed)
        if not self.lattice:
            return blank_tape(self.setups, rng, trials)
        grid = union_grid(self.setups)
        shape = trials, grid.size, len(self.models)
        counts = np.diff(grid, prepend=0)[None, :, None]
        return recorded_tape(
            grid.tolist(),
            rng.integers(0, 5, shape) / 4 * counts,
            dithers=rng.integers(0, 8, shape) / 8,
            units=rng.integers(0, 8, (trials, len(self.models))) / 8,
        )


POLICIES: dict[str, type[Any]] = {
    "se": SuccessiveElimination,
    "lucb": Lucb,
    "lil-ucb": LilUcb,
    "lil-ucb-count": LilUcbCount,
    "top-two": TopTwo,
    "sequential-halving": SequentialHalving,
    "successive-rejects": SuccessiveRejects,
}
_LEVEL = sorted(set(WIDTHS) - {"bounded"})  # that one is for agents that judge
_APART = ["intervals", "lil", "paper", "sub-gaussian"]
_BUDGETED = ("sequential-halving", "successive-rejects")
_BITS = st.integers(1, 8)
_EPSILONS = st.floats(0.05, 3.0)
BOUNDED: dict[str, st.SearchStrategy[Quantizer]] = {
    "exact": st.just(Exact()),
    "icq": st.builds(Icq, bits=_BITS, prior=st.sampled_from(["uniform", "midpoint", "lower"])),
    "icq-quban": st.builds(Icq, bits=_BITS, prior=st.just("quban")),
    "quban": st.builds(QuBan, epsilon_quban=_EPSILONS),
    "fed-sel": st.just(FedSel()),
    "fed-sel-paper": st.just(FedSelPaper()),
    "dicq": st.builds(
        Dicq,
        kappa=st.floats(0.1, 8.0),
        kappa_first=st.floats(0.1, 8.0),
    ),
    "dicq-budget": st.lists(
        st.tuples(st.integers(1, 12), st.floats(0.05, 5.0)), min_size=1, max_size=4
    ).map(lambda plan: _budgeted(plan)),
}
UNBOUNDED: dict[str, st.SearchStrategy[Quantizer]] = {
    name: BOUNDED[name] for name in ("exact", "icq-quban", "quban", "dicq", "dicq-budget")
}


def _budgeted(plan: list[tuple[int, float]]) -> Quantizer:
    """Bits and reaches that come again and again, for more messages than any schedule here has."""
    return BudgetedDicq(
        allowances=tuple(bits for bits, _ in plan) * 150,
        reaches=tuple(reach for _, reach in plan) * 150,
    )


def policies(name: str) -> st.SearchStrategy[Policy]:
    """A policy, with or without a tolerance where it knows one."""
    if name == "lil-ucb-count":
        return st.just(LilUcbCount())
    if name in _BUDGETED:  # the most arms here are 6
        return st.builds(POLICIES[name], pull_budget=st.integers(18, 40) | st.integers(18, 2000))
    return st.builds(POLICIES[name], epsilon=st.just(0.0) | st.floats(0.001, 0.5))


def schedules() -> st.SearchStrategy[Schedule]:
    """Geometric with whole or real growth, from the paper's first checkpoint or another; listed."""
    growths = st.integers(2, 5).map(float) | st.floats(1.3, 5.0)
    return st.one_of(
        growths.map(lambda growth: GeometricSchedule(growth=growth, first=default_first(growth))),
        st.builds(GeometricSchedule, growth=growths, first=st.integers(1, 20)),
        st.sampled_from(
            [
                ListedSchedule(checkpoints=tuple(range(1, 40))),
                ListedSchedule(checkpoints=(1, 2, 30, 31, 500)),
            ]
        ),
    )


def limits() -> st.SearchStrategy[Limits]:
    """Always some limit on samples: equal arms would never be told apart."""
    return st.builds(
        Limits,
        rounds=st.none() | st.integers(1, 40),
        samples=st.sampled_from([4000, 4000, 400, 30]),
        bits=st.none() | st.integers(1, 60) | st.integers(100, 3000),
    )


def _level(policy: str) -> bool:
    return POLICIES[policy].stride is not Stride.APART


@st.composite
def _setups(
    draw: st.DrawFn,
    arms: int,
    quantizer: st.SearchStrategy[Quantizer],
    policy: str,
    *,
    bounded: bool,
) -> Setup:
    bounds = draw(st.sampled_from([(0.0, 1.0), (-1.0, 1.5), (-0.3, 7.0)])) if bounded else None
    rules, schedule = draw(policies(policy)), draw(schedules())
    if has_phases(rules):
        schedule = ListedSchedule(checkpoints=tuple(phase.until for phase in rules.phases(arms)))
    return setup(
        arms,
        draw(quantizer),
        rules,
        schedule,
        limits=draw(limits()),
        delta=draw(st.floats(1e-9, 0.5)),
        sigma=draw(st.floats(0.005, 1.0)),
        bounds=bounds,
        # a kernel that moves arms apart has no twin of `pairwise`: it goes through the machines
        width=draw(st.sampled_from(_LEVEL if _level(policy) else _APART)),
    )


@st.composite
def cases(draw: st.DrawFn, *settings: tuple[str, str], bounded: bool) -> Case:
    """Problems for schemes with these quantizers and policies, which share one tape."""
    arms = draw(st.integers(2, 6))
    family = BOUNDED if bounded else UNBOUNDED
    if bounded:
        means = st.sampled_from([0.05, 0.25, 0.5, 0.5, 0.75, 0.95])
        model: st.SearchStrategy[RewardModel] = st.one_of(
            st.builds(Beta, mean=means, concentration=st.sampled_from([0.5, 1.0, 30.0])),
            st.builds(Bernoulli, mean=means | st.sampled_from([0.0, 1.0])),
        )
    else:
        model = st.builds(
            Gaussian, mean=st.sampled_from([-20.0, 0.0, 0.0, 0.1, 1.0]), sd=st.floats(0.01, 2.0)
        )
    return Case(
        setups=tuple(
            draw(_setups(arms, family[quantizer], policy, bounded=bounded))
            for quantizer, policy in settings
        ),
        models=tuple(draw(model) for _ in range(arms)),
        seed=draw(st.integers(0, 2**32)),
        lattice=draw(st.booleans()),
        machines_first=draw(st.booleans()),
    )
