"""Trials through the machines: the tape they read is the tape they leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from lockstep.cases import blank_tape, setup

from bitarm.api.simulate import setup_of
from bitarm.core.bits import Symbol
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.events import LearnerEvent, ReportAccepted, RunEnded, RunOpened
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb, Lucb, Policy, SuccessiveElimination
from bitarm.core.policy import Action, Advance, PolicyContext, Stop, advance, unheard
from bitarm.core.quantizers import Exact, Icq, QuBan
from bitarm.core.question import BEYOND
from bitarm.core.schedule import ListedSchedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.machines import run_machines, run_trial
from bitarm.sim.models import Bernoulli, Gaussian
from bitarm.sim.tape import empty_tape, recorded_tape
from bitarm.sim.trials import OUTCOMES

_MODELS = [Gaussian(mean=mean, sd=0.4) for mean in (0.0, 0.3, 0.9)]
_ENVIRONMENT = environment_of(_MODELS)


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


@pytest.mark.parametrize(
    "policy", [SuccessiveElimination(), Lucb(), LilUcb()], ids=lambda policy: str(policy.name)
)
def test_cells_are_drawn_up_to_each_arms_last_report_and_no_more(policy: Policy) -> None:
    one = setup(3, Exact(), policy, sigma=0.3, bounds=None)
    tape = blank_tape([one], _rng(), 10)
    tape.cells.fill(np.nan)
    trials = run_machines(one, tape, _ENVIRONMENT, _rng(2))
    assert np.array_equal(np.count_nonzero(~np.isnan(tape.cells), axis=1), tape.filled)
    assert np.array_equal(tape.grid[tape.filled - 1].sum(axis=1), trials.samples)


def test_a_second_run_over_the_same_tape_gives_the_same_and_draws_nothing() -> None:
    one = setup(3, QuBan(), Lucb(), sigma=0.3, bounds=None)
    tape = blank_tape([one], _rng(), 10)
    first = run_machines(one, tape, _ENVIRONMENT, _rng(2))
    cells, dithers = tape.cells.copy(), tape.dithers.copy()
    generator = _rng(3)
    again = run_machines(one, tape, _ENVIRONMENT, generator)
    assert np.array_equal(first.table, again.table)
    assert np.array_equal(tape.cells, cells, equal_nan=True)
    assert np.array_equal(tape.dithers, dithers, equal_nan=True)
    assert generator.random() == _rng(3).random()


def test_a_uniform_prior_lies_where_the_tape_says() -> None:
    one = setup(2, Icq(bits=1), SuccessiveElimination(), sigma=0.3, bounds=(-1.0, 3.0))
    units = np.array([[0.0, 0.25], [0.5, 1 - 2**-53]])
    tape = empty_tape(np.array([2**i for i in range(1, 40)]), trials=2, messages=39, units=units)
    environment = environment_of([Bernoulli(mean=0.0), Bernoulli(mean=1.0)])
    priors = []
    for trial in range(2):
        seen: list[LearnerEvent] = []
        run_trial(one, tape, environment, _rng(), trial, seen.extend)
        assert isinstance(seen[0], RunOpened)
        priors.append(list(seen[0].setup.spec.priors))
    assert priors[0] == [-1.0, 0.0]
    assert priors[1][0] == 1.0
    assert 3 - 1e-9 < priors[1][1] <= 3.0


def test_every_event_is_seen_in_order() -> None:
    one = setup(3, Exact(), SuccessiveElimination(), sigma=0.3, bounds=None)
    events: list[LearnerEvent] = []
    tape = blank_tape([one], _rng(), 1)
    learner, pulls = run_trial(one, tape, _ENVIRONMENT, _rng(), 0, events.extend)
    assert isinstance(events[0], RunOpened)
    assert isinstance(events[-1], RunEnded)
    assert events[-1] == learner.ending
    last = {event.arm: event.pulls for event in events if isinstance(event, ReportAccepted)}
    assert sum(last.values()) == events[-1].samples == pulls


@pytest.mark.parametrize(
    ("limits", "outcome"),
    [
        (Limits(rounds=2), Outcome.ROUND_LIMIT),
        (Limits(samples=20), Outcome.SAMPLE_LIMIT),
        (Limits(bits=500), Outcome.BIT_LIMIT),
        (Limits(), Outcome.DECIDED),
    ],
    ids=["rounds", "samples", "bits", "none"],
)
def test_outcomes_have_the_same_codes_as_in_kernels(limits: Limits, outcome: Outcome) -> None:
    one = setup(3, Exact(), SuccessiveElimination(), sigma=0.5, bounds=None, limits=limits)
    tape = blank_tape([one], _rng(), 4)
    machines = run_machines(one, tape, _ENVIRONMENT, _rng())
    ((kernel, _),) = Engine([one], _ENVIRONMENT).run_tape(tape, _rng())
    assert {OUTCOMES[code] for code in machines.outcome.tolist()} == {outcome}
    assert np.array_equal(machines.table, kernel.table)
    assert np.array_equal(machines.best_arm >= 0, machines.outcome == 0)


def test_recorded_rewards_are_run_as_they_were_recorded() -> None:
    points = ListedSchedule(checkpoints=(2, 4, 8))
    one = setup(2, Exact(), SuccessiveElimination(), points, sigma=0.25)
    tape = recorded_tape([2, 4, 8], [[[2.0, 0.0], [2.0, 0.0], [4.0, 0.0]]])
    trials = run_machines(one, tape, environment_of([Bernoulli(mean=0.5)] * 2), _rng())
    assert trials.best_arm.tolist() == [0]
    assert trials.samples.tolist() == [8]


@dataclass(frozen=True)
class Leaping(Policy):
    """A policy that leaves out every other checkpoint, as a schedule allows."""

    name: ClassVar[str] = "leaping"
    stride: ClassVar[Stride] = Stride.EVEN

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        if unheard(views):
            return advance(views, context)
        actions: list[Action] = []
        for view in views:
            until = context.schedule.pulls_at(view.index + 2)
            if until is None:
                return (Stop(outcome=Outcome.SAMPLE_LIMIT),)
            actions.append(Advance(arm=view.arm, until=until))
        return tuple(actions)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        return None


def _leaping(limits: Limits) -> Setup:
    return setup(3, Exact(), Leaping(), paper_schedule(2.0), bounds=None, limits=limits)


def test_a_policy_may_leave_out_checkpoints() -> None:
    one = _leaping(Limits(samples=3 * 2**11))
    (trials,) = Engine([one], _ENVIRONMENT).run(_rng(), 3)
    assert trials.rounds.tolist() == [6] * 3  # 2, 8, 32, 128, 512, 2048
    assert trials.samples.tolist() == [3 * 2**11] * 3


def test_a_policy_may_leave_out_checkpoints_under_a_limit_on_rounds() -> None:
    (trials,) = Engine([_leaping(Limits(rounds=6))], _ENVIRONMENT).run(_rng(), 3)
    assert trials.samples.tolist() == [3 * 2**11] * 3


def _dyadic(**words: Any) -> Setup:
    return setup_of(_MODELS, {"quantizer": "dyadic", **words})


def _longest_and_beyond(most_bits: int | None) -> tuple[int, int]:
    """Bits of the longest answer of some trials, and how many answers did not fit."""
    one = _dyadic(policy="challenge", sigma=0.4)
    tape, symbols = blank_tape([one], _rng(), 5), list[Symbol]()

    def watch(events: tuple[LearnerEvent, ...]) -> None:
        symbols.extend(event.symbol for event in events if isinstance(event, ReportAccepted))

    for trial in range(tape.trials):
        learner, _ = run_trial(one, tape, _ENVIRONMENT, _rng(2), trial, watch, most_bits)
        assert learner.ending is not None
        assert learner.ending.best_arm == 2
    return max(symbol.nbits for symbol in symbols), symbols.count(BEYOND)


def test_no_answer_is_longer_than_the_link_carries() -> None:
    longest, beyond = _longest_and_beyond(None)
    assert longest > 2
    assert beyond == 0
    longest, beyond = _longest_and_beyond(2)
    assert longest <= 2
    assert beyond > 0


def test_only_schemes_that_ask_again_leave_their_kernels_for_a_longest_answer() -> None:
    asks = _dyadic(policy="se", sigma=0.4)
    never = setup(3, Exact(), SuccessiveElimination(), sigma=0.4, bounds=None)
    assert Engine([never], _ENVIRONMENT, most_bits=3).has_kernels
    assert not Engine([asks], _ENVIRONMENT, most_bits=3).has_kernels
    elsewhere = Engine([asks], _ENVIRONMENT, most_bits=3).elsewhere(_ENVIRONMENT)
    assert not elsewhere.has_kernels
