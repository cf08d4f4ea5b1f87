"""Reward families by number: what a kernel knows of a model beside its two parameters."""

GAUSSIAN, BERNOULLI, POISSON, EXPONENTIAL, BETA, SAMPLED = range(6)
"""SAMPLED is a user's own sampler: its sums are drawn by Python, outside the kernels."""
