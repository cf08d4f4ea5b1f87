"""Which schemes have a kernel, their vectorised twin, and at which checkpoints they may report.

By exact type: what only resembles a scheme that is listed here has no twin, and the machines run it
(`machines.py`), slower and with no other difference.
"""

from functools import lru_cache

from bitarm.core.budget import BudgetPolicy, has_phases
from bitarm.core.confidence import Intervals, Stride
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.sub_gaussian import Leads
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    LilUcbCount,
    Lucb,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import (
    BudgetedDicq,
    Dicq,
    Dyadic,
    Exact,
    FedSel,
    FedSelPaper,
    Icq,
    QuBan,
)
from bitarm.core.schedule import ListedSchedule, LooksSchedule, Schedule
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.sim.kernels import indexed

MOST_CHECKPOINTS = 1 << 16
"""Finer schedules are refused: their tapes would not fit into memory."""

MOST_PAIRED = 1 << 10
"""With more checkpoints the machines run pairs: the table of all pairs would be over 8 MB."""

INDEXED: dict[type[Policy], int] = {
    Lucb: indexed.LUCB,
    LilUcb: indexed.LIL_UCB,
    LilUcbCount: indexed.LIL_UCB_COUNT,
    TopTwo: indexed.TOP_TWO,
}
"""Policies of the kernel that moves each arm on its own, with their numbers there."""

_BUDGETED: tuple[type[Policy], ...] = (SequentialHalving, SuccessiveRejects)
_QUANTIZERS: tuple[type[Quantizer], ...] = (
    Exact,
    Icq,
    QuBan,
    FedSel,
    FedSelPaper,
    Dicq,
    BudgetedDicq,
)


def has_twin(setup: Setup) -> bool:
    """Whether a kernel runs this scheme; otherwise the machines do, with no other difference."""
    quantizer, policy = type(setup.spec.quantizer), type(setup.policy)
    if policy is ChallengeElimination:
        return quantizer is Dyadic and isinstance(setup.spec.schedule, LooksSchedule)
    known_quantizer = quantizer in _QUANTIZERS
    if has_phases(setup.policy):
        grid = _schedule(setup, setup.policy)
        return policy in _BUDGETED and known_quantizer and setup.spec.schedule == grid
    known_policy = policy is SuccessiveElimination or policy in INDEXED
    return known_policy and known_quantizer and _is_tabled(setup)


def _is_tabled(setup: Setup) -> bool:
    """Whether what separates two arms fits into a table."""
    if setup.policy.stride is Stride.TOGETHER:
        return True  # any two arms compare alike at a checkpoint
    confidence = setup.spec.sampling.confidence(setup.policy.stride)
    if isinstance(confidence, Leads):
        rounds, schedule = setup.limits.rounds, setup.spec.schedule
        limited = rounds is not None and rounds < MOST_PAIRED
        return limited or schedule.pulls_at(MOST_PAIRED + 1) is None
    return isinstance(confidence, Intervals)


def _schedule(setup: Setup, policy: BudgetPolicy) -> ListedSchedule:
    """The schedule that a budget follows; on any other the machines show what happens."""
    phases = policy.phases(len(setup.spec.arms))
    return ListedSchedule(checkpoints=tuple(phase.until for phase in phases))


def checkpoints(setup: Setup) -> tuple[int, ...]:
    """The checkpoints that the scheme may reach."""
    depth = MOST_CHECKPOINTS
    if setup.limits.rounds is not None and _visits_all(setup):
        depth = min(depth, setup.limits.rounds + 1)  # one more shows the limit at work
    grid = _first_of(setup.spec.schedule, depth)
    if len(grid) >= MOST_CHECKPOINTS:
        raise ConfigError(
            f"a simulation keeps at most {MOST_CHECKPOINTS} checkpoints an arm: "
            "let the schedule grow faster, or limit the rounds"
        )
    return grid


@lru_cache(maxsize=64)  # a planner tries hundreds of settings on a few schedules
def _first_of(schedule: Schedule, depth: int) -> tuple[int, ...]:
    grid: list[int] = []
    while len(grid) < depth and (t := schedule.pulls_at(len(grid) + 1)) is not None:
        grid.append(t)
    return tuple(grid)


def _visits_all(setup: Setup) -> bool:
    """Whether message n of an arm is at checkpoint n; a policy unknown to us may leap."""
    return has_twin(setup) and setup.policy.stride not in (Stride.EVEN, Stride.JUDGED)


def is_bet_on(setup: Setup) -> bool:
    """Whether agents need every reward, so that sums on a tape are no use to them."""
    evidence = setup.spec.sampling.confidence(setup.policy.stride)
    return isinstance(evidence, Evidence) and evidence.scale.bounded
