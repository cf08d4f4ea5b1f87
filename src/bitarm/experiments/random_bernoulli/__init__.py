"""Gains over ICQ on random Bernoulli instances."""
