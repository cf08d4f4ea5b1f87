"""Thin links: what they carry, and what a run costs on them."""
