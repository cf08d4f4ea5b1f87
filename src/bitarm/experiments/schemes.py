"""The steps from ICQ as published to the best sound setting, one gain after the other.

Each is a series of the experiments that go beyond the paper, so that no gain is credited to the
wrong cause. All words are spelt out: what a default is now must not decide what was measured.
"""

from collections.abc import Mapping
from typing import Any

BETA_SIGMA = 0.3535533905932738
"""√(1/8), which Beta(γ, 1 − γ) arms need (Marchal and Arbel 2017)."""

_SE = {"policy": "se", "growth": 2}

BEST = "challenge"
"""The series with all gains."""

UNQUANTIZED = {"exact": {"quantizer": "exact", "width": "paper", **_SE}}
"""What the paper compares with."""

INNOVATIONS = {
    "dicq-pairwise": {"quantizer": "dicq", "width": "pairwise", **_SE},
    "dicq-mixture": {"quantizer": "dicq", "width": "pairwise-mixture", **_SE},
}
"""Another quantizer, and widths for pairs."""


_CHALLENGE = {"quantizer": "dyadic", "policy": "challenge"}

CHALLENGE = {"challenge": {**_CHALLENGE, "width": "sub-gaussian"}}
"""The default of `bitarm identify` with σ known: agents that judge themselves, and stay silent."""

CHALLENGE_IN_BOUNDS = {"challenge": {**_CHALLENGE, "width": "bounded"}}
"""The default where rewards have bounds: it is told no σ, and finds out how they spread."""


def with_sigma(sigma: float, *schemes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The words of these series, with σ among them."""
    return {name: {**words, "sigma": sigma} for series in schemes for name, words in series.items()}


def icq(**words: Any) -> dict[str, dict[str, Any]]:
    """ICQ at B = 3 as the paper runs it, and with the width for pairs alone."""
    return {
        "icq-b3": {"quantizer": "icq", "bits": 3, "width": "paper", **_SE, **words},
        "icq-b3-pairwise": {"quantizer": "icq", "bits": 3, "width": "pairwise", **_SE, **words},
    }
