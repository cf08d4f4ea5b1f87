"""How a run ends, in one word that the journal, the wire and the exit code share."""

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
