"""How a trial ended, and where its figures stand in a kernel's output."""

DECIDED, ROUND_LIMIT, SAMPLE_LIMIT, BIT_LIMIT, STARVED, TOO_FAR, BUDGET_SPENT = range(7)
"""Endings; a starved trial needs a longer tape and runs again, one that is too far is refused."""

ROUNDS, SAMPLES, BITS, BEST, OUTCOME, MESSAGES, CUTS = range(7)
"""Columns of the output, one row a trial; BEST is −1 without an answer."""
COLUMNS = 7
