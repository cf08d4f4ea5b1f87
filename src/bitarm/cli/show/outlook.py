"""Where a run without an answer stands, in a sentence: for the live table and for a pipe."""

import math

from bitarm.core.outlook import (
    Outlook,
    likely_epsilon,
    outlook_of,
    rivals_left,
    sufficient_epsilon,
)
from bitarm.core.standings import Standings
from bitarm.core.words import values_of

_FEW = 3  # arms that may still win, from which on a tie among them is what holds a run up
_FAR_AWAY = 10  # times the samples until now, from which on an answer is not in sight


def near_tie(standings: Standings) -> str | None:
    """A warning that the best arms are nearly level, and what would end the run; else None.

    It comes where an answer would cost many times what was spent, by the estimate of the outlook.
    The tolerance that it names is the one by which the policy itself would stop now, where all arms
    advance together; with other policies, one by which it would likely have stopped.
    """
    if standings.ending is not None or rivals_left(standings) >= _FEW:
        return None
    outlook = outlook_of(standings)
    if not _is_far_away(standings, outlook):
        return None
    assert outlook.leader is not None  # two arms were heard
    assert outlook.runner_up is not None
    epsilon, likely = sufficient_epsilon(standings), likely_epsilon(standings)
    if (epsilon or likely or 0.0) >= standings.opened.setup.spec.sigma:
        return None  # half of all that rewards may differ by: means are not known yet
    arms = standings.arms
    leader, other = arms[outlook.leader].name, arms[outlook.runner_up].name
    text = f"{leader} and {other} are nearly level"
    if not epsilon:
        if likely:
            return f"{text}: --epsilon {_rounded_up(likely)} would likely have ended this by now"
        has_tolerance = "epsilon" in values_of(standings.opened.setup.policy)
        return f"{text}: --epsilon says how close is close enough" if has_tolerance else text
    enough = _rounded_up(epsilon)
    delta = standings.opened.setup.spec.delta
    return (
        f"{text}: at δ = {delta:g}, {leader} is at most {enough} below the best. "
        f"--epsilon {enough} would end this now"
    )


def progress_line(standings: Standings) -> str:
    """Where a run stands, in one line."""
    active = sum(arm.active for arm in standings.arms)
    price = f"{standings.samples:,} samples, {standings.payload_bits:,} bits"
    text = f"round {standings.round}, {price}, {active:,} arms in the race"
    if standings.leader is not None:
        text += f", {standings.arms[standings.leader].name} leads"
    tie = near_tie(standings)
    return text if tie is None else f"{text}; {tie}"


def _is_far_away(standings: Standings, outlook: Outlook) -> bool:
    if outlook.lead is None:
        return False
    if outlook.to_decide is None:
        return outlook.lead <= 0
    return outlook.to_decide.samples > _FAR_AWAY * standings.samples


def _rounded_up(number: float) -> str:
    """A number in two digits, rounded up."""
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / step * (1 + 1e-9)) * step:.2g}"
