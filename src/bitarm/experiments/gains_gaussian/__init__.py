"""Gains over ICQ on the Gaussian figure."""
