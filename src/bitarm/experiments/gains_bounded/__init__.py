"""Gains over ICQ on the bounded figure, at a valid σ."""
