"""Gains over ICQ on random Gaussian instances."""
