"""Reward families by number: what a kernel knows of a model beside its two parameters."""

GAUSSIAN, BERNOULLI, POISSON, EXPONENTIAL, BETA = range(5)
