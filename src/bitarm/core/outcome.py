"""How a run ends, in one word that the journal, the wire and the exit code share; and in words."""

from enum import Enum


class Outcome(Enum):
    """How a run ended. Only `decided` and `budget_spent` name a best arm."""

    DECIDED = "decided"
    ROUND_LIMIT = "round_limit"
    SAMPLE_LIMIT = "sample_limit"
    BIT_LIMIT = "bit_limit"
    AGENT_LOST = "agent_lost"
    BUDGET_SPENT = "budget_spent"
    INTERRUPTED = "interrupted"
    DATA_EXHAUSTED = "data_exhausted"  # recorded rewards ended


FROM_OUTSIDE = (Outcome.INTERRUPTED, Outcome.DATA_EXHAUSTED)
"""How a run may be ended by who drives it."""

WHY_NO_ANSWER = {
    Outcome.ROUND_LIMIT: "the limit on rounds was reached",
    Outcome.SAMPLE_LIMIT: "the limit on samples was reached",
    Outcome.BIT_LIMIT: "the limit on bits was reached",
    Outcome.AGENT_LOST: "an agent was lost",
    Outcome.INTERRUPTED: "the run was interrupted",
    Outcome.DATA_EXHAUSTED: "there are no more rewards",
}
"""Why a run that ended so names no best arm, as a clause: of every outcome without an answer."""
