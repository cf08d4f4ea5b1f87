"""Where a learner goes on that knows less than its agents: it was restored from an older journal.

Nobody is asked at or below a checkpoint that may have been read before, and nothing that the lost
past hinted at is told again. Skipping checkpoints is sound, since bounds hold at all of them at
once; going back to one is not.
"""

from collections.abc import Sequence

from bitarm.core.confidence import Stride
from bitarm.core.learner_state import ArmPhase, ArmRecord
from bitarm.core.policy import Advance
from bitarm.core.schedule import Schedule

NO_BUDGET = (
    "agents have made pulls that this journal knows nothing of: it is older than they are, and a "
    "fixed budget that was spent in part cannot be spent as planned"
)


def catch_up(arms: Sequence[ArmRecord], schedule: Schedule, stride: Stride) -> list[Advance] | None:
    """The advances that bring all arms to where the agents are; None past the end of the grid.

    Where arms are compared at equally many pulls, all go to the first checkpoint that nobody has
    passed; otherwise each arm that is ahead goes to its own next one.
    """
    made = {
        arm: max(record.ahead or 0, record.pulls)
        for arm, record in enumerate(arms)
        if record.phase is not ArmPhase.OUT
    }
    if stride is not Stride.APART:
        made = dict.fromkeys(made, max(made.values()))
    advances = []
    for arm, pulls in made.items():
        if pulls == arms[arm].pulls:
            continue  # it told its mean there: nothing new to ask
        until = schedule.pulls_at(schedule.index_at(pulls - 1) + 1)
        if until is None:
            return None
        advances.append(Advance(arm=arm, until=until))
    return advances
