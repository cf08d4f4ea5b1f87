"""Runs over a broker. A learner's process loads no agent, and an agent's no learner."""
