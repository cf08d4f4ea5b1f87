"""Rewards for pages.toml: whether a visitor clicked. Stands in for a call to your own system."""

import random

_VISITORS = random.Random(7)


def list_layout() -> float:
    """One visitor of the list: 1 if there was a click."""
    return float(_VISITORS.random() < 0.30)


def grid_layout() -> float:
    """One visitor of the grid."""
    return float(_VISITORS.random() < 0.55)


def map_layout() -> float:
    """One visitor of the map."""
    return float(_VISITORS.random() < 0.20)
