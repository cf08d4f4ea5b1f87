"""What a policy tells a quantizer of the other arms, so that the question makes answers shorter."""

from dataclasses import dataclass
from enum import Enum
from typing import final


class HintKind(Enum):
    """What a hint says of the other arms."""

    CENTRE = "centre"  # another arm's mean: ask how far this one is from it
    CUT = "cut"  # an arm whose mean is at or below this is out, and need not say more


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What is known of other arms when an arm is asked."""

    kind: HintKind
    value: float  # finite
