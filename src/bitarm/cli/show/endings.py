"""Why a run ended without an answer, in words: for the learner and for its agents."""

from bitarm.core.outcome import Outcome

WHY_NO_ANSWER = {
    Outcome.ROUND_LIMIT: "the limit on rounds was reached",
    Outcome.SAMPLE_LIMIT: "the limit on samples was reached",
    Outcome.BIT_LIMIT: "the limit on bits was reached",
    Outcome.AGENT_LOST: "an agent was lost",
    Outcome.INTERRUPTED: "the run was interrupted",
    Outcome.DATA_EXHAUSTED: "there are no more rewards",
}
"""Of every outcome without an answer."""
