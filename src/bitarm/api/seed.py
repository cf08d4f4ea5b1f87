"""The seed of a run: the one that was given, or a new one."""

import secrets
from numbers import Integral

from bitarm.core.spec import check_seed


def new_seed() -> int:
    """A seed from the system, short enough to type again."""
    return secrets.randbits(32)


def seed_of(seed: int | None) -> int:
    """The seed that was given, or a new one; NumPy's whole numbers will do."""
    if seed is None:
        return new_seed()
    check_seed(seed if isinstance(seed, bool) or not isinstance(seed, Integral) else int(seed))
    return int(seed)
