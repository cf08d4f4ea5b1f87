"""One point of a sweep: a spec, a policy and limits, to be run over many trials."""

from dataclasses import dataclass
from typing import final

from bitarm.core.limits import Limits
from bitarm.core.policy import Policy
from bitarm.core.spec import RunSpec


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """What a learner would run. The spec's priors and seed are placeholders: a tape has its own."""

    spec: RunSpec
    policy: Policy
    limits: Limits
