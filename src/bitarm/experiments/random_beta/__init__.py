"""Gains over ICQ on random Beta instances."""
