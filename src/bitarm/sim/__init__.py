"""Simulation: reward models that stand in for the world. Needs numpy (extra `sim`)."""
