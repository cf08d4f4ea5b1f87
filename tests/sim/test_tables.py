"""Tables: what a kernel reads is what the core computes, message by message."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lockstep.cases import Case, blank_tape, cases, setup

from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SuccessiveElimination,
    TopTwo,
)
from bitarm.core.policies.lil_ucb_count import stop_ratio
from bitarm.core.quantizers import Exact, FedSel, FedSelPaper, Icq, Quantizer, QuBan
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, paper_schedule
from bitarm.errors import ConfigError
from bitarm.sim.machines import run_trial
from bitarm.sim.tables import table_of
from bitarm.sim.twins import MOST_CHECKPOINTS, MOST_PAIRED, checkpoints, has_twin


@pytest.mark.parametrize(
    "quantizer", ["exact", "icq", "icq-quban", "quban", "fed-sel", "fed-sel-paper"]
)
@given(data=st.data())
@settings(max_examples=10)
def test_pulls_radii_and_lengths_are_those_of_the_machines(
    quantizer: str, data: st.DataObject
) -> None:
    case: Case = data.draw(cases((quantizer, "lucb"), bounded=True))
    (one,), table = case.setups, table_of(case.setups[0])
    rng = np.random.default_rng(case.seed)
    events: list[LearnerEvent] = []
    run_trial(one, blank_tape([one], rng, 1), case.environment, rng, 0, events.extend)
    reports = [event for event in events if isinstance(event, ReportAccepted)]
    for report in reports:
        row = report.message - 1
        assert report.pulls == table.pulls[row]
        assert report.radius == table.radius[row]
        assert report.symbol.nbits >= table.least[row]
        if quantizer not in ("quban", "icq-quban"):
            assert report.symbol.nbits == table.nbits[row]
    assert np.all(table.least <= table.nbits)


_SCHEDULES: list[tuple[Schedule, Limits, list[int]]] = [
    (paper_schedule(2.0), Limits(rounds=3), [2, 4, 8, 16]),  # one more shows the limit at work
    (paper_schedule(3.0), Limits(rounds=1), [3, 9]),
    (ListedSchedule(checkpoints=(1, 5, 6)), Limits(), [1, 5, 6]),
    (ListedSchedule(checkpoints=(1, 5, 6)), Limits(rounds=2), [1, 5, 6]),
    (ListedSchedule(checkpoints=(1, 5, 6)), Limits(rounds=9), [1, 5, 6]),
    (paper_schedule(10.0), Limits(samples=5), [10**i for i in range(1, 13)]),
]


@pytest.mark.parametrize(("schedule", "limits", "expected"), _SCHEDULES)
def test_a_scheme_may_reach_the_schedule_up_to_its_end_or_the_limit_on_rounds(
    schedule: Schedule, limits: Limits, expected: list[int]
) -> None:
    one = setup(2, Exact(), Lucb(), schedule, limits=limits)
    assert list(checkpoints(one)) == expected
    assert table_of(one).pulls.tolist() == expected


@pytest.mark.parametrize(
    ("schedule", "rounds", "refused"),
    [
        (GeometricSchedule(growth=1 + 1e-9, first=1), None, True),
        (GeometricSchedule(growth=1 + 1e-9, first=1), MOST_CHECKPOINTS - 1, True),
        (GeometricSchedule(growth=1 + 1e-9, first=1), MOST_CHECKPOINTS - 2, False),
        (ListedSchedule(checkpoints=tuple(range(1, MOST_CHECKPOINTS + 1))), None, True),
        (ListedSchedule(checkpoints=tuple(range(1, MOST_CHECKPOINTS))), None, False),
        (GeometricSchedule(growth=1.001, first=1), None, False),
    ],
)
def test_a_schedule_too_fine_for_memory_is_refused(
    schedule: Schedule, rounds: int | None, *, refused: bool
) -> None:
    one = setup(2, Exact(), Lucb(), schedule, limits=Limits(rounds=rounds))
    if refused:
        with pytest.raises(ConfigError, match="at most 65536 checkpoints an arm"):
            checkpoints(one)
    else:
        assert len(checkpoints(one)) < MOST_CHECKPOINTS


@pytest.mark.parametrize(
    "policy",
    [SuccessiveElimination(), Lucb(), LilUcb(), LilUcbCount(), TopTwo()],
    ids=lambda policy: policy.name,
)
@pytest.mark.parametrize(
    "quantizer",
    [Exact(), Icq(), QuBan(), FedSel(), FedSelPaper()],
    ids=lambda quantizer: quantizer.name,
)
@pytest.mark.parametrize("width", ["paper", "lil", "sub-gaussian"])
def test_everything_that_the_project_ships_has_a_kernel(
    policy: Policy, quantizer: Quantizer, width: str
) -> None:
    assert has_twin(setup(2, quantizer, policy, width=width))


def test_a_kernel_of_its_own_for_every_policy_and_quantizer() -> None:
    policies = [SuccessiveElimination(), Lucb(), LilUcb(), LilUcbCount(), TopTwo()]
    assert len({table_of(setup(2, Exact(), policy)).policy for policy in policies}) == 5
    quantizers: list[Quantizer] = [Exact(), Icq(), Icq(prior="quban"), QuBan(), FedSel()]
    tables = [table_of(setup(2, quantizer, Lucb())) for quantizer in quantizers]
    assert len({(table.first, table.rest) for table in tables}) == 5


@pytest.mark.parametrize(
    ("checkpoints", "rounds", "fits"),
    [
        (MOST_PAIRED, None, True),
        (MOST_PAIRED + 1, None, False),
        (MOST_PAIRED + 1, MOST_PAIRED - 1, True),
        (MOST_PAIRED + 1, MOST_PAIRED, False),  # one more shows the limit at work
    ],
)
def test_pairs_of_too_many_checkpoints_are_left_to_the_machines(
    checkpoints: int, rounds: int | None, *, fits: bool
) -> None:
    schedule = ListedSchedule(checkpoints=tuple(range(1, checkpoints + 1)))
    one = setup(2, Exact(), Lucb(), schedule, limits=Limits(rounds=rounds), width="sub-gaussian")
    assert has_twin(one) is fits
    assert has_twin(setup(2, Exact(), Lucb(), schedule, width="paper"))
    assert has_twin(
        setup(2, Exact(), SuccessiveElimination(), schedule, width="sub-gaussian")
    )  # arms advance together: no two have different pulls


def test_tolerance_ratio_and_limits_are_handed_on() -> None:
    table = table_of(setup(7, Exact(), Lucb(epsilon=0.3), delta=0.01, limits=Limits(samples=77)))
    assert table.epsilon == 0.3
    assert table.ratio == stop_ratio(7, 0.01)
    assert table.level == pytest.approx(math.log(6 / 0.01))
    assert table.limits.tolist() == [2**63 - 1, 77, 2**63 - 1]
    assert table_of(setup(2, Exact(), LilUcbCount())).epsilon == 0.0


def test_a_limit_beyond_64_bits_is_as_good_as_none() -> None:
    """The learner takes it, so a simulation should."""
    table = table_of(setup(2, Exact(), Lucb(), limits=Limits(samples=10**19)))
    assert table.limits.tolist() == [2**63 - 1] * 3
