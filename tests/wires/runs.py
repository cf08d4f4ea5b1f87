"""Who serves a run in tests, and what of a learner's state a restart must not change."""

from dataclasses import replace

from tapes import Problem

from bitarm.core.events import FleetAssigned, LostRule
from bitarm.core.learner_state import LearnerState

RUN = "lab"


def fleet_of(
    problem: Problem,
    gateways: int | None = None,
    *,
    lost: LostRule = LostRule.WAIT,
    lost_after: float = 60.0,
    join_within: float = float("inf"),
) -> FleetAssigned:
    """One agent for each arm, or so many gateways that share the arms."""
    arms = range(len(problem.spec.arms))
    return FleetAssigned(
        fleet=RUN,
        agents=tuple(f"gw-{arm % gateways if gateways else arm}" for arm in arms),
        lost=lost,
        lost_after=lost_after,
        join_within=join_within,
    )


def substance(state: LearnerState) -> LearnerState:
    """A learner's state without epochs, and without what holds in one epoch only: the numbers of
    questions, and the last answer, of which a repetition may come; nor what a claim takes for
    granted, since a run that was resumed takes more."""
    arms = tuple(replace(record, asked=0, symbol=None) for record in state.arms)
    ending = state.ending
    if ending is not None:
        ending = replace(ending, guarantee_reason="", assumptions=())
    return replace(state, epoch=0, resumed=False, arms=arms, ending=ending)
