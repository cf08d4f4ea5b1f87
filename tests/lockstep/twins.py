"""What a trial says, told twice: by the machines' events and by a kernel's trace.

A story holds every symbol, decoded mean, drop and the ending. Two stories are compared with `==`:
there is no tolerance anywhere.
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tapes import make_spec

from bitarm.core.bits import Symbol, concat
from bitarm.core.budget import has_phases
from bitarm.core.codes.prefix import write_golomb, zigzag
from bitarm.core.confidence import Stride
from bitarm.core.events import ArmDropped, LearnerEvent, ReportAccepted, RoundOpened
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    QuietElimination,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
)
from bitarm.core.policy import Outcome
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import BudgetedDicq, Dicq, Exact, FedSel, FedSelPaper, Icq, QuBan
from bitarm.core.quantizers.dicq import FIRST_ESCAPE
from bitarm.core.quantizers.icq import FIRST_MESSAGE
from bitarm.core.question import Question
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, default_first
from bitarm.core.setup import Setup
from bitarm.core.widths import WIDTHS
from bitarm.sim.engine import Engine, Trace, start_means, union_grid
from bitarm.sim.environment import Environment, environment_of
from bitarm.sim.machines import run_trial
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel
from bitarm.sim.tape import Tape, empty_tape, recorded_tape
from bitarm.sim.trials import OUTCOMES, Trials


@dataclass(frozen=True, kw_only=True)
class Story:
    """Everything that two runs of one trial must agree on."""

    reports: dict[tuple[int, int], tuple[float, Symbol]]  # (arm, message): mean, symbol
    drops: dict[int, int]  # arm: round
    outcome: Outcome
    best_arm: int | None
    rounds: int
    samples: int
    payload_bits: int
    cuts: int  # questions with one
    messages: int


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


# -- the two tellers ------------------------------------------------------------------------------


def told_by_machines(
    one: Setup, tape: Tape, environment: Environment, rng: np.random.Generator
) -> list[Story]:
    """Every trial through a learner and its agents."""
    stories = []
    for trial in range(tape.trials):
        events: list[LearnerEvent] = []
        ending = run_trial(one, tape, environment, rng, trial, events.extend).ending
        assert ending is not None
        accepted = [event for event in events if isinstance(event, ReportAccepted)]
        asked = {
            (event.round, request.arm): request.question
            for event in events
            if isinstance(event, RoundOpened)
            for request in event.requests
        }
        stories.append(
            Story(
                reports={
                    (report.arm, report.message): (
                        report.mean,
                        _kept(one, report, asked[report.round, report.arm]),
                    )
                    for report in accepted
                },
                drops={event.arm: event.round for event in events if isinstance(event, ArmDropped)},
                outcome=ending.outcome,
                best_arm=ending.best_arm,
                rounds=ending.rounds,
                samples=ending.samples,
                payload_bits=ending.payload_bits,
                cuts=sum(question.cut is not None for question in asked.values()),
                messages=len(accepted),
            )
        )
    return stories


def _kept(one: Setup, report: ReportAccepted, question: Question) -> Symbol:
    """The symbol; of a policy that gives hints only its length, which is what its kernel keeps.

    There too it is the mean and the length that stand for the symbol: one follows from the other.
    """
    if not isinstance(one.policy, QuietElimination):
        return report.symbol
    if report.ceiling is not None:
        assert report.symbol == Symbol(0, 1)
    else:
        above = () if question.cut is None else (Symbol(1, 1),)
        assert report.symbol == concat(*above, question.code.write(report.mean))
    return Symbol(0, report.symbol.nbits)


def told_by_kernels(engine: Engine, tape: Tape, rng: np.random.Generator) -> list[list[Story]]:
    """Every trial of every scheme through its kernel."""
    return [
        [_traced(one, tape, trials, trace, trial) for trial in range(tape.trials)]
        for one, (trials, trace) in zip(engine._setups, engine.run_tape(tape, rng), strict=True)
    ]


def _traced(one: Setup, tape: Tape, trials: Trials, trace: Trace, trial: int) -> Story:
    best_arm = int(trials.best_arm[trial])
    return Story(
        reports={
            (arm, message): report
            for arm in range(tape.arms)
            for message, report in _reports(one, tape, trace, trial, arm)
        },
        drops={arm: int(n) for arm, n in enumerate(trace.dropped[trial].tolist()) if n},
        outcome=OUTCOMES[int(trials.outcome[trial])],
        best_arm=None if best_arm < 0 else best_arm,
        rounds=int(trials.rounds[trial]),
        samples=int(trials.samples[trial]),
        payload_bits=int(trials.payload_bits[trial]),
        cuts=int(trials.cuts[trial]),
        messages=int(trials.messages[trial]),
    )


def _reports(
    one: Setup, tape: Tape, trace: Trace, trial: int, arm: int
) -> list[tuple[int, tuple[float, Symbol]]]:
    """Means as the kernel put them down; symbols follow from them and the codewords' lengths."""
    spec = one.spec
    first = np.broadcast_to(start_means(one, tape.units), tape.units.shape)[trial, arm]
    start = spec.start(0)
    held = Estimate(mean=float(first), error=start.error, radius=start.radius)
    reports = []
    for message, mean in enumerate(trace.mean[trial, :, arm].tolist(), start=1):
        if math.isnan(mean):
            break
        if isinstance(one.policy, QuietElimination):
            reports.append((message, (mean, Symbol(0, int(trace.nbits[trial, message - 1, arm])))))
            continue
        pulls = spec.schedule.pulls_at(message)
        assert pulls is not None
        step = spec.occasion(message, pulls)
        nbits = int(trace.nbits[trial, message - 1, arm])
        reports.append((message, (mean, _symbol(spec.quantizer, held, step, mean, nbits))))
        held = Estimate.after(step, mean=mean, error=spec.quantizer.error(held, step))
    assert np.all(np.isnan(trace.mean[trial, len(reports) :, arm]))
    return reports


def _symbol(
    quantizer: Quantizer, held: Estimate, step: Occasion, mean: float, nbits: int
) -> Symbol:
    """The symbol that decodes to `mean`; of QuBan's, the one of that length."""
    match quantizer:
        case Exact():
            return Symbol(int.from_bytes(struct.pack(">d", mean)), 64)
        case QuBan():
            return _quban_word(quantizer, held, step, mean, nbits)
        case Icq(prior="quban") if step.message == 1:
            return _quban_word(FIRST_MESSAGE, held, step, mean, nbits)
        case Icq():
            low, bin_width = quantizer.bins(held, step)
            return Symbol(round((mean - low) / bin_width - 0.5), quantizer.bits)
        case BudgetedDicq():
            low, cell = quantizer.cells(held, step)
            return Symbol(round((mean - low) / cell - 0.5), quantizer.least_bits(step))
        case Dicq():
            return _dicq_word(quantizer, held, step, mean, nbits)
        case FedSel() | FedSelPaper():
            assert step.bounds is not None
            cell = round((mean - step.bounds[0]) / step.u_prime - 0.5)
            return Symbol(cell, quantizer.least_bits(step))
    raise AssertionError(quantizer)


def _quban_word(quban: QuBan, held: Estimate, step: Occasion, mean: float, nbits: int) -> Symbol:
    """QuBan's codeword of `nbits` bits for a level, from the table in the notes on the paper."""
    size = quban.step_size(step)
    level = round(mean / size) - math.floor(held.mean / size)
    if nbits == 3:
        return Symbol(level + 2, 3)
    escape, beyond = (0b111, level - 4) if level >= 4 else (0b110, -3 - level)
    if nbits == 4:
        assert beyond == 0
        return Symbol(escape << 1, 4)
    index = {6: 1, 7: 2}.get(nbits, (nbits - 3) // 2)
    low = 0 if index == 1 else 1 << (index - 2)
    return concat(
        Symbol(escape << 1 | 1, 4), Symbol(1, index), Symbol(beyond - low, nbits - 4 - index)
    )


def _dicq_word(quantizer: Dicq, held: Estimate, step: Occasion, mean: float, nbits: int) -> Symbol:
    """D-ICQ's codeword for the steps between two means; the kernel only counted its bits."""
    folded = zigzag(round((mean - held.mean) / quantizer.step_size(step)))
    if not held.pulls:
        word = write_golomb(folded, 1, FIRST_ESCAPE)
    else:
        word = write_golomb(folded, quantizer.divisor(held, step))
    assert word.nbits == nbits
    return word


# -- problems -------------------------------------------------------------------------------------


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
    "quiet": QuietElimination,
    "sequential-halving": SequentialHalving,
    "successive-rejects": SuccessiveRejects,
}
_BUDGETED = ("sequential-halving", "successive-rejects")
NEEDS_DICQ = ("quiet",)  # with other quantizers it has no kernel
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
        kappa_cut=st.floats(0.1, 8.0),
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
    if name == "quiet":
        return st.builds(
            QuietElimination,
            epsilon=st.just(0.0) | st.floats(0.001, 0.5),
            cap=st.floats(1.0, 20.0),
            patience=st.floats(0.3, 2.0),
            leader_first=st.booleans(),
            pilot=st.booleans(),
        )
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
        # a kernel that moves arms apart judges by intervals: pairs go through the machines there
        width=draw(st.sampled_from(sorted(WIDTHS) if _level(policy) else ["lil", "paper"])),
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
