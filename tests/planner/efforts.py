"""Searches that try each setting a few times only.

For tests of what a plan takes, says and keeps; how good plans are is in `test_plan_quality.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from bitarm.planner import search


@contextmanager
def quick_searches() -> Iterator[None]:
    """Plans of this process are made with a fraction of the runs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SCREEN", "COMPARE", "FINAL", "FRESH", "ON_LINK"):
            effort = getattr(search, name)
            few = replace(effort, environments=3, draws=effort.draws // 10, fewest=24)
            patch.setattr(search, name, few)
        yield
