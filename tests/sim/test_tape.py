"""Tapes: cells are drawn when they are needed, in order, once."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lockstep.cases import blank_tape, setup

from bitarm.core.limits import Limits
from bitarm.core.policies import LilUcb, Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, QuBan
from bitarm.core.running_sum import add
from bitarm.core.schedule import ListedSchedule, paper_schedule
from bitarm.errors import ConfigError
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of, fill
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel
from bitarm.sim.tape import Tape, empty_tape, recorded_tape

_GAUSSIAN: tuple[RewardModel, ...] = tuple(Gaussian(mean=m, sd=0.4) for m in (0.0, 0.3, 0.9))
_COINS: tuple[RewardModel, ...] = tuple(Bernoulli(mean=m) for m in (0.1, 0.5, 0.9))


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _parts(**changed: Any) -> dict[str, Any]:
    whole = {
        "grid": np.array([2, 4, 9]),
        "cells": np.zeros((5, 3, 2)),
        "filled": np.zeros((5, 2), dtype=np.int64),
        "wanted": np.zeros((5, 2), dtype=np.int64),
        "dithers": np.zeros((5, 3, 2)),
        "dithered": np.zeros((5, 2), dtype=np.int64),
        "units": np.zeros((5, 2)),
    }
    return whole | changed


def test_a_tape_counts_trials_and_arms() -> None:
    tape = Tape(**_parts())
    assert (tape.trials, tape.arms) == (5, 2)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("grid", np.array([2, 4]), "grid must increase, with one pull count for each cell"),
        ("grid", np.array([2, 4, 4]), "grid must increase"),
        ("grid", np.array([2, 9, 4]), "grid must increase"),
        ("grid", np.array([0, 4, 9]), "grid must increase"),
        ("grid", np.array([[2], [4], [9]]), "grid must increase"),
        ("filled", np.zeros((5, 3)), r"filled must have the shape \(5, 2\)"),
        ("wanted", np.zeros((4, 2)), r"wanted must have the shape \(5, 2\)"),
        ("dithered", np.zeros(5), r"dithered must have the shape \(5, 2\)"),
        ("units", np.zeros((2, 5)), r"units must have the shape \(5, 2\)"),
        ("dithers", np.zeros((5, 3, 1)), r"dithers must have the shape"),
        ("dithers", np.zeros((4, 3, 2)), r"dithers must have the shape"),
    ],
)
def test_parts_that_do_not_fit_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Tape(**_parts(**{name: value}))


# -- growth ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("models", [_GAUSSIAN, _COINS], ids=["gaussian", "coins"])
@pytest.mark.parametrize(
    "policy", [SuccessiveElimination(), Lucb(), LilUcb()], ids=lambda policy: str(policy.name)
)
def test_a_kernel_draws_the_cells_up_to_each_arms_last_report_and_no_more(
    policy: Policy, models: tuple[RewardModel, ...]
) -> None:
    one = setup(3, Exact(), policy, sigma=0.3, bounds=None, limits=Limits(samples=3000))
    tape = blank_tape([one], _rng(), 50)
    tape.cells.fill(np.nan)
    ((trials, trace),) = Engine([one], environment_of(models)).run_tape(tape, _rng(2))
    reports = np.count_nonzero(~np.isnan(trace.mean), axis=1)
    assert np.array_equal(tape.filled, reports)
    assert np.array_equal(np.count_nonzero(~np.isnan(tape.cells), axis=1), tape.filled)
    assert np.all(tape.filled < tape.grid.size)
    assert np.array_equal(tape.grid[tape.filled - 1].sum(axis=1), trials.samples)
    assert not tape.dithered.any()  # exact means are not dithered


def test_dithers_are_drawn_only_for_messages_that_are_rounded() -> None:
    one = setup(3, QuBan(), SuccessiveElimination(), sigma=0.3, bounds=None)
    tape = blank_tape([one], _rng(), 20)
    Engine([one], environment_of(_GAUSSIAN)).run_tape(tape, _rng(2))
    assert np.array_equal(tape.dithered, tape.filled)
    drawn = np.arange(tape.grid.size)[None, :, None] < tape.dithered[:, None, :]
    assert np.all((tape.dithers[drawn] >= 0) & (tape.dithers[drawn] < 1))


@pytest.mark.parametrize("models", [_GAUSSIAN, _COINS], ids=["gaussian", "coins"])
def test_a_cell_that_is_drawn_never_changes(models: tuple[RewardModel, ...]) -> None:
    """A scheme that stops early draws little; one that asks for more adds to it."""
    schedule = paper_schedule(2.0)
    hasty, careful = (
        setup(3, QuBan(), SuccessiveElimination(), schedule, sigma=sigma, bounds=None)
        for sigma in (0.02, 0.5)
    )
    environment = environment_of(models)
    tape = blank_tape([hasty, careful], _rng(), 50)
    rng = _rng(3)
    Engine([hasty], environment).run_tape(tape, rng)
    filled, cells, dithers = tape.filled.copy(), tape.cells.copy(), tape.dithers.copy()
    Engine([careful], environment).run_tape(tape, rng)
    assert np.all(tape.filled >= filled)
    assert tape.filled.sum() > 2 * filled.sum()
    before = np.arange(tape.grid.size)[None, :, None] < filled[:, None, :]
    assert np.array_equal(tape.cells[before], cells[before])
    assert np.array_equal(tape.dithers[before], dithers[before])
    assert tape.cells[~before].size  # and there was something that could have changed


def test_cells_are_filled_in_order_from_the_first_that_is_missing() -> None:
    environment = environment_of(_COINS)
    tape = empty_tape(np.array([2, 4, 9, 20]), trials=1, messages=4, units=np.zeros((1, 3)))
    tape.cells.fill(np.nan)
    fill(tape, environment, _rng(), 0, 1, 2)
    assert tape.filled.tolist() == [[0, 2, 0]]
    first = tape.cells[0, :2, 1].tolist()
    fill(tape, environment, _rng(), 0, 1, 1)  # fewer than there are: nothing happens
    assert tape.filled.tolist() == [[0, 2, 0]]
    fill(tape, environment, _rng(2), 0, 1, 4)
    assert tape.filled.tolist() == [[0, 4, 0]]
    assert tape.cells[0, :2, 1].tolist() == first
    assert np.all(np.isnan(tape.cells[0, :, [0, 2]]))
    assert np.all(tape.cells[0, :, 1] <= np.diff(tape.grid, prepend=0))


# -- one tape, several schedules ------------------------------------------------------------------


@given(seed=st.integers(0, 2**32), growths=st.lists(st.floats(1.2, 4), min_size=2, max_size=3))
def test_a_mean_is_the_same_whichever_schedule_reads_it(seed: int, growths: list[float]) -> None:
    """At a checkpoint that two schedules share, both have added the same cells in one order."""
    models = [Gaussian(mean=0.1, sd=1.0), Gaussian(mean=0.0, sd=1.0)]
    setups = [
        setup(
            2,
            Exact(),
            SuccessiveElimination(),
            paper_schedule(growth),
            sigma=1.0,
            bounds=None,
            limits=Limits(samples=1000),
        )
        for growth in growths
    ]
    tape = blank_tape(setups, _rng(seed), 3)
    results = Engine(setups, environment_of(models)).run_tape(tape, _rng(seed + 1))
    for one, (_, trace) in zip(setups, results, strict=True):
        for trial, message, arm in np.argwhere(~np.isnan(trace.mean)).tolist():
            pulls = one.spec.schedule.pulls_at(message + 1)
            cell = tape.grid.tolist().index(pulls)
            total = rest = 0.0
            for reward_sum in tape.cells[trial, : cell + 1, arm].tolist():
                total, rest = add(total, rest, reward_sum)
            assert trace.mean[trial, message, arm] == (total + rest) / tape.grid[cell]


def test_a_union_grid_holds_every_checkpoint_once_in_order() -> None:
    setups = [
        setup(2, Exact(), Lucb(), ListedSchedule(checkpoints=points))
        for points in ((2, 4, 8), (3, 4, 9), (1, 100))
    ]
    assert union_grid(setups).tolist() == [1, 2, 3, 4, 8, 9, 100]
    assert union_grid(setups[:1]).tolist() == [2, 4, 8]


# -- a user's own rewards -------------------------------------------------------------------------


def test_recorded_rewards_are_run_as_they_were_recorded() -> None:
    """Two trials of two arms: pulls 1–2, 3–4 and 5–8 were added up beforehand."""
    cells = [
        [[2.0, 0.0], [2.0, 0.0], [4.0, 0.0]],  # the first arm is better at once
        [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]],  # no difference at all
    ]
    points = ListedSchedule(checkpoints=(2, 4, 8))
    one = setup(2, Exact(), SuccessiveElimination(), points, sigma=0.25)
    engine = Engine([one], environment_of([Bernoulli(mean=0.5)] * 2))
    ((trials, trace),) = engine.run_tape(recorded_tape([2, 4, 8], cells), _rng())
    assert trials.best_arm.tolist() == [0, -1]
    assert trials.samples.tolist() == [8, 16]
    assert trace.mean[0, :2].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert trace.mean[1].tolist() == [[0.5, 0.5]] * 3


def test_a_recorded_tape_is_full_and_dithers_and_priors_default_to_one_half() -> None:
    tape = recorded_tape([2, 4], np.ones((3, 2, 2)))
    assert np.all(tape.filled == 2)
    assert np.all(tape.dithered == 2)
    assert np.all(tape.dithers == 0.5)
    assert np.all(tape.units == 0.5)


def test_recorded_dithers_and_priors_are_kept() -> None:
    dithers, units = _rng().random((3, 2, 2)), _rng(2).random((3, 2))
    tape = recorded_tape([2, 4], np.ones((3, 2, 2)), dithers=dithers, units=units)
    assert np.array_equal(tape.dithers, dithers)
    assert np.array_equal(tape.units, units)


@pytest.mark.parametrize(
    ("grid", "cells", "message"),
    [
        ([2, 4], np.ones((3, 3, 2)), "grid must increase, with one pull count for each cell"),
        ([4, 2], np.ones((3, 2, 2)), "grid must increase"),
        ([2, 2], np.ones((3, 2, 2)), "grid must increase"),
        ([0, 2], np.ones((3, 2, 2)), "grid must increase"),
        ([2, 4], np.ones((2, 2)), "indexed by trial, cell and arm"),
        ([2, 4], [[[1.0, float("nan")], [1.0, 1.0]]], "cells must be finite numbers"),
        ([2, 4], [[[1.0, float("inf")], [1.0, 1.0]]], "cells must be finite numbers"),
    ],
)
def test_a_recording_that_is_no_tape_is_refused(grid: list[int], cells: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        recorded_tape(grid, cells)


@pytest.mark.parametrize(
    ("dithers", "units", "message"),
    [
        (np.zeros((3, 2, 1)), np.zeros((3, 2)), "dithers must have the shape"),
        (np.zeros((3, 2, 2)), np.zeros((3, 1)), "units must have the shape"),
    ],
)
def test_dithers_and_priors_that_do_not_fit_a_recording_are_refused(
    dithers: Any, units: Any, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        recorded_tape([2, 4], np.ones((3, 2, 2)), dithers=dithers, units=units)


def test_a_recorded_tape_needs_the_grid_of_the_schemes() -> None:
    one = setup(2, Exact(), Lucb(), ListedSchedule(checkpoints=(2, 4, 8)))
    engine = Engine([one], environment_of([Beta(mean=0.5)] * 2))
    with pytest.raises(ConfigError, match=r"need a tape with the grid \[2, 4, 8\]"):
        engine.run_tape(recorded_tape([2, 4], np.ones((1, 2, 2))), _rng())


def test_fewer_dithers_than_cells_are_refused() -> None:
    """A kernel draws what is missing into dithers[trial, message, arm], which would not exist."""
    with pytest.raises(ConfigError, match="dithers"):
        recorded_tape([2, 4], np.ones((3, 2, 2)), dithers=np.zeros((3, 1, 2)))


@pytest.mark.parametrize("dithers", [0.5, [0.5, 0.5]])
def test_dithers_without_their_three_axes_are_refused(dithers: Any) -> None:
    with pytest.raises(ConfigError, match="dithers"):
        recorded_tape([2, 4], np.ones((3, 2, 2)), dithers=dithers)


@pytest.mark.parametrize(("name", "shape"), [("dithers", (3, 2, 2)), ("units", (3, 2))])
@pytest.mark.parametrize("value", [-0.1, 1.0, 7.0, float("nan")])
def test_dithers_and_priors_outside_the_unit_interval_are_refused(
    name: str, shape: tuple[int, ...], value: float
) -> None:
    with pytest.raises(ConfigError, match=name):
        recorded_tape([2, 4], np.ones((3, 2, 2)), **{name: np.full(shape, value)})


def test_a_grid_of_broken_numbers_is_refused() -> None:
    grid: Any = [1.5, 2.7]
    with pytest.raises(ConfigError, match="grid"):
        recorded_tape(grid, np.ones((3, 2, 2)))


def test_a_recording_that_cannot_be_written_to_is_run_all_the_same() -> None:
    cells = np.ones((1, 3, 2))
    cells.flags.writeable = False  # as from numpy.load(..., mmap_mode="r")
    one = setup(2, Exact(), SuccessiveElimination(), ListedSchedule(checkpoints=(2, 4, 8)))
    engine = Engine([one], environment_of([Beta(mean=0.5)] * 2))
    ((trials, _),) = engine.run_tape(recorded_tape([2, 4, 8], cells), _rng())
    assert trials.samples.tolist() == [16]


def test_a_recording_of_another_number_of_arms_is_refused() -> None:
    """With fewer arms than the schemes have, the kernel reads what is not there."""
    one = setup(2, Exact(), SuccessiveElimination(), ListedSchedule(checkpoints=(2, 4, 8)))
    engine = Engine([one], environment_of([Beta(mean=0.5)] * 2))
    with pytest.raises(ConfigError, match="arms"):
        engine.run_tape(recorded_tape([2, 4, 8], np.ones((1, 3, 3))), _rng())
