"""Who serves a run in tests, and what of a learner's state a restart must not change."""

from tapes import Problem

from bitarm.core.events import FleetAssigned, LostRule

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
