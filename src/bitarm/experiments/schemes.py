"""The steps from ICQ as published to the best sound setting, one gain after the other.

Each is a series of the experiments that go beyond the paper, so that no gain is credited to the
wrong cause. All words are spelt out: what a default is now must not decide what was measured.
"""

from typing import Any

_SE = {"policy": "se", "growth": 2}

BEST = "quiet"
"""The series with all gains."""

UNQUANTIZED = {"exact": {"quantizer": "exact", "width": "paper", **_SE}}
"""What the paper compares with."""

INNOVATIONS = {
    "dicq-pairwise": {"quantizer": "dicq", "width": "pairwise", **_SE},
    "dicq-mixture": {"quantizer": "dicq", "width": "pairwise-mixture", **_SE},
}
"""Another quantizer, and widths for pairs."""


_QUIET = {"quantizer": "dicq", "width": "pairwise-mixture", "policy": "quiet"}

QUIET = {
    "quiet-jumps": {**_QUIET, "leader_first": False, "pilot": False},
    "quiet-leader": {**_QUIET, "leader_first": True, "pilot": False},
    "quiet": {**_QUIET, "leader_first": True, "pilot": True},
}
"""What the learner can leave unasked, at the defaults of `bitarm identify`."""


def icq(**words: Any) -> dict[str, dict[str, Any]]:
    """ICQ at B = 3 as the paper runs it, and with the width for pairs alone."""
    return {
        "icq-b3": {"quantizer": "icq", "bits": 3, "width": "paper", **_SE, **words},
        "icq-b3-pairwise": {"quantizer": "icq", "bits": 3, "width": "pairwise", **_SE, **words},
    }
