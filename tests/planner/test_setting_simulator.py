"""Measuring settings: as the simulator does, on the same environments for all."""

from typing import Any

import numpy as np
import pytest
from planner.plugins import Timid, installed
from planner.tasks import task_of

from bitarm.api.simulate import simulate
from bitarm.planner.candidates import starting_settings
from bitarm.planner.guessed_gaps import GapPrior, GuessedGaps
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort
from bitarm.sim.models import Bernoulli, Gaussian

pytestmark = pytest.mark.slow  # compiles kernels

_DICQ = SchemeWords.of(
    {
        "quantizer": "dicq",
        "policy": "se",
        "width": "pairwise-mixture",
        "kappa": 2.0,
        "kappa_first": 4.0,
        "growth": 2.0,
        "first": 8,
    }
)
_CHALLENGE = SchemeWords.of(
    {
        "quantizer": "dyadic",
        "policy": "challenge",
        "width": "bounded",
        "kappa": 1.2,
        "start": 40,
    }
)
_EFFORT = Effort(environments=20, runs=100)


def test_figures_are_those_of_a_simulation() -> None:
    simulator = SettingSimulator(task_of(gap=0.5, offset=0.0, per_bit=1, per_pull=0), seed=1)
    ours = simulator.measure(_DICQ, simulator.testbed(0, _EFFORT))
    assert ours is not None
    models = [Gaussian(mean=mean, sd=1.0) for mean in (0.0, -0.5, -0.5, -0.5)]
    words = {**_DICQ.words, "sigma": 1.0, "delta": 0.05, "max_samples": 100_000}
    theirs = simulate(models, trials=2000, seed=5, **words).points[0].result
    for mine, other in (
        (ours.samples, theirs.samples),
        (ours.rounds, theirs.rounds),
        (ours.payload_bits, theirs.payload_bits),
    ):
        assert other.sem is not None
        assert abs(mine.mean - other.mean) < 5 * (mine.sem + other.sem)
    assert ours.cost == ours.payload_bits


def test_figures_of_agents_that_bet_are_those_of_a_simulation() -> None:
    task = task_of(gap=0.2, bounds=(0.0, 1.0), per_bit=1, per_pull=0)
    simulator = SettingSimulator(task, seed=1)
    ours = simulator.measure(_CHALLENGE, simulator.testbed(0, _EFFORT))
    assert ours is not None
    assert ours.stretch == 1.0
    models = [Bernoulli(mean=mean) for mean in (0.6, 0.4, 0.4, 0.4)]  # the best in any place
    words = {**_CHALLENGE.words, "bounds": (0.0, 1.0), "max_samples": 100_000}
    theirs = simulate(models, trials=500, seed=5, **words).points[0].result
    for mine, other in ((ours.samples, theirs.samples), (ours.payload_bits, theirs.payload_bits)):
        assert other.sem is not None
        assert abs(mine.mean - other.mean) < 5 * (mine.sem + other.sem)


def test_a_rehearsal_counts_its_pulls_up_to_those_of_the_guess() -> None:
    task = task_of(gap=0.04, bounds=(0.0, 1.0), per_pull=1)
    simulator = SettingSimulator(task, seed=1)
    real = simulator.testbed(0, Effort(environments=20, runs=60, draws=10**8))
    rehearsed = simulator.testbed(0, Effort(environments=20, runs=60, draws=500_000, fewest=200))
    assert real.judged.stretch == 1.0
    assert rehearsed.judged.stretch > 3
    late = _CHALLENGE.with_word("start", 800)
    one, two = (simulator.measure(late, testbed) for testbed in (real, rehearsed))
    assert one is not None
    assert two is not None
    assert two.samples.mean == pytest.approx(one.samples.mean, rel=0.15)
    assert two.payload_bits.mean == pytest.approx(one.payload_bits.mean, rel=0.2)


def test_a_rehearsal_has_gaps_that_the_bounds_hold() -> None:
    task = task_of(gap=1e-4, bounds=(-2.0, 2.0))
    stage = SettingSimulator(task, seed=1).testbed(0, Effort(environments=4, runs=9, draws=1))
    for environment in stage.judged.environments:
        assert 0 < environment.means.min() < environment.means.max() < 1
        assert np.ptp(environment.means) == pytest.approx(0.4)


def test_the_price_of_a_run_is_the_sum_of_its_parts() -> None:
    prices: dict[str, Any] = {
        "per_bit": 2.0,
        "per_message": 3.0,
        "per_downlink": 5.0,
        "per_pull": 0.25,
        "per_round": 7.0,
    }
    simulator = SettingSimulator(task_of(**prices), seed=1)
    figures = simulator.measure(_DICQ, simulator.testbed(0, _EFFORT))
    assert figures is not None
    expected = (
        2 * figures.payload_bits.mean
        + 3 * figures.messages.mean
        + 5 * (figures.messages.mean + 4)  # questions, and a dismissal for each arm
        + 0.25 * figures.samples.mean
        + 7 * figures.rounds.mean
    )
    assert figures.cost.mean == pytest.approx(expected)


def test_the_last_arm_alone_is_dismissed_where_devices_judge_themselves() -> None:
    """On LoRaWAN; elsewhere, and under other policies, everybody is."""
    judged = next(one for one in starting_settings(task_of(gap=0.5)) if one.is_judged)
    for link, setting, dismissals in (
        ("lorawan-eu868-dr0", judged, 1),
        ("lorawan-eu868-dr0", _DICQ, 4),
        ("nb-iot", judged, 4),
        (None, judged, 4),
    ):
        assert task_of(link=link, per_downlink=1.0).dismissals(setting) == dismissals


def test_frames_have_their_price_beside_the_others() -> None:
    dear = SettingSimulator(task_of(link="nb-iot", per_frame_unit=2.0, per_bit=1.0), seed=1)
    cheap = SettingSimulator(task_of(link="nb-iot", per_frame_unit=0.0, per_bit=1.0), seed=1)
    costs = [simulator.measure(_DICQ, simulator.testbed(0, _EFFORT)) for simulator in (dear, cheap)]
    assert costs[0] is not None
    assert costs[1] is not None
    per_message = (costs[0].cost.mean - costs[1].cost.mean - 2 * 4 * 12) / costs[1].messages.mean
    assert 2 * 30 <= per_message <= 2 * 46  # 11 bytes up, 19 to 35 down; 4 dismissals of 12


def test_the_same_seed_gives_the_same_figures_and_another_others() -> None:
    def measured(seed: int) -> object:
        simulator = SettingSimulator(task_of(), seed=seed)
        return simulator.measure(_DICQ, simulator.testbed(0, _EFFORT))

    assert measured(1) == measured(1)
    assert measured(1) != measured(2)


def test_banks_of_other_numbers_have_other_environments() -> None:
    simulator = SettingSimulator(task_of(), seed=1)
    one, two = simulator.testbed(0, _EFFORT), simulator.testbed(1, _EFFORT)
    assert not np.array_equal(one.plain.environments[0].means, two.plain.environments[0].means)


def test_runs_that_lost_the_best_arm_are_left_out() -> None:
    simulator = SettingSimulator(task_of(arms=6, gap=0.5, delta=0.45), seed=1)
    figures = simulator.measure(
        _DICQ.with_word("kappa", 0.2), simulator.testbed(0, Effort(environments=40, runs=500))
    )
    assert figures is not None
    assert figures.wrong + figures.undecided > 0
    assert figures.samples.mean < 100 * simulator.task.longest


def test_a_setting_that_does_not_decide_has_no_figures() -> None:
    simulator = SettingSimulator(task_of(gap=1.5e-5), seed=1)
    late = SchemeWords.of(
        {"quantizer": "icq", "prior": "quban", "bits": 1, "policy": "se", "width": "paper"}
        | {"growth": 10.0, "first": 10**6}
    )
    assert simulator.measure(late, simulator.testbed(0, _EFFORT)) is None


def test_an_answer_within_the_tolerance_is_right() -> None:
    simulator = SettingSimulator(task_of(gaps=[0.01, 0.5, 0.5], epsilon=0.1, per_bit=1), seed=1)
    figures = simulator.measure(_DICQ, simulator.testbed(0, _EFFORT))
    assert figures is not None
    assert figures.wrong == 0


def test_many_arms_get_fewer_runs_and_a_prior_more_environments() -> None:
    effort = Effort(environments=16, runs=48)
    assert effort.for_arms(8) == effort
    many = effort.for_arms(5000)
    assert 4 <= many.environments * many.runs <= 16
    assert effort.for_guess(GuessedGaps(gaps=(0.1, 0.2))) == effort
    assert effort.for_guess(GapPrior(law="uniform", low=0.1, high=1.0)).environments == 32


def test_bounds_of_any_width_cost_the_same() -> None:
    unit = SettingSimulator(task_of(gap=0.25, bounds=(0.0, 1.0), per_bit=1), seed=1)
    wide = SettingSimulator(task_of(gap=10.0, bounds=(-20.0, 20.0), per_bit=1), seed=1)
    one, two = (
        simulator.measure(_DICQ, simulator.testbed(0, _EFFORT)) for simulator in (unit, wide)
    )
    assert one == two


def test_machines_measure_a_sixteenth_of_the_runs_and_say_what_kernels_say() -> None:
    task = task_of(gap=1.0)
    apart = _DICQ.with_word("policy", "timid")
    with installed(Timid):
        simulator = SettingSimulator(task, seed=1)
        by_kernels = simulator.measure(_DICQ, simulator.testbed(0, _EFFORT))
        by_machines = simulator.measure(apart, simulator.testbed(0, _EFFORT))
    assert by_kernels is not None
    assert by_machines is not None
    assert (by_kernels.measured_by, by_machines.measured_by) == ("kernels", "machines")
    assert (by_kernels.runs, by_machines.runs) == (2000, 120)
    for mine, other in (
        (by_machines.samples, by_kernels.samples),
        (by_machines.payload_bits, by_kernels.payload_bits),
    ):
        assert abs(mine.mean - other.mean) < 5 * (mine.sem + other.sem)
