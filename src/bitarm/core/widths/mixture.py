"""How far a sum of rewards ever strays: a mixture of supermartingales over rates.

Shared by the widths that hold at any time: of differences (`pairwise.py`) and of single means
(`intervals.py`).
"""

import math

MIXTURE_RHO = 0.3
"""ρ of the mixture: the number of pulls for which it is tightest, roughly, is a few times this."""


def deviations(pulls: int, level: float) -> float:
    """The deviations from which on a mixture's logarithm is at `level`, found from above.

    S_t is a sum of t independent terms with variance proxy v and a mean of at most 0, z = S_t/√(vt)
    its deviations. The mixture is ∫exp(λS_t − λ²vt/2)dF(λ), F half-normal with variance 1/(ρv); it
    depends on z and t only, and grows with z. It ever reaches exp(level) with probability at most
    exp(−level).
    """
    low, high = 0.0, 2.0 * math.sqrt(level + math.log1p(pulls / MIXTURE_RHO) + 1)
    assert _log_mixture(high, pulls) >= level
    while low < (middle := (low + high) / 2) < high:
        if _log_mixture(middle, pulls) < level:
            low = middle
        else:
            high = middle
    return high


def _log_mixture(z: float, pulls: int) -> float:
    """½ ln(ρ/(t + ρ)) + z²t/(2(t + ρ)) + ln 2Φ(z√(t/(t + ρ)))."""
    total = pulls + MIXTURE_RHO
    share = pulls / total
    return (
        math.log(MIXTURE_RHO / total) / 2
        + z * z * share / 2
        + math.log(math.erfc(-z * math.sqrt(share / 2)))
    )
