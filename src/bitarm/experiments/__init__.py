"""The paper's experiments, and anybody's own: what to run, and how to score it.

A folder is an experiment: `sweep.py` says what is run, `analysis.py` which panels are drawn and
which claims are checked. Nothing here simulates: settings are words of a problem file, handed to
the simulator.
"""
