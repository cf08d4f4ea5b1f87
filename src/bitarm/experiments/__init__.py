"""The paper's experiments, and anybody's own: what to run, and how to score it.

A file is an experiment: its SWEEP says what is run, its ANALYSIS which panels are drawn and which
claims are checked. Nothing here simulates: settings are words of a problem file, handed to the
simulator.
"""
