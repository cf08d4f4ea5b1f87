"""The problems that are attacked: small, quick, and one of each kind of protocol."""

from collections.abc import Callable

from tapes import Problem, Tape, make_spec

from bitarm.core.limits import Limits
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    Lucb,
    Policy,
    SuccessiveElimination,
)
from bitarm.core.quantizers import Dicq, Dyadic, Exact, Icq, Quantizer, QuBan
from bitarm.core.schedule import LooksSchedule, Schedule

DELTA = 0.05


def _problem(
    seed: int,
    quantizer: Quantizer,
    policy: Policy,
    width: str,
    *,
    arms: int = 3,
    schedule: Schedule | None = None,
) -> Problem:
    spec = make_spec(
        arms=arms, delta=DELTA, quantizer=quantizer, width=width, schedule=schedule, seed=seed
    )
    means = (200, 700, 450, 320)[:arms]
    tape = Tape(seed=seed, means=means, spread=150, bounds=(0, 1024))
    return Problem(spec=spec, policy=policy, limits=Limits(rounds=80), tape=tape)


SCHEMES: dict[str, Callable[[int], Problem]] = {
    # Agents that judge themselves by what the leader tells: without σ, and with it.
    "challenge": lambda seed: _problem(
        seed, Dyadic(), ChallengeElimination(), "bounded", schedule=LooksSchedule()
    ),
    "challenge-sigma": lambda seed: _problem(
        seed, Dyadic(), ChallengeElimination(), "sub-gaussian", schedule=LooksSchedule()
    ),
    # A width along a path.
    "pairs": lambda seed: _problem(seed, Dicq(), SuccessiveElimination(), "pairwise-mixture"),
    "pairs-many": lambda seed: _problem(
        seed, Dicq(), SuccessiveElimination(), "pairwise-mixture", arms=4
    ),
    # The paper's own; a width that is a union over checkpoints.
    "paper": lambda seed: _problem(
        seed, Icq(bits=3, prior="uniform"), SuccessiveElimination(), "paper"
    ),
    # Policies that ask arms one by one, and the other codes.
    "lucb": lambda seed: _problem(seed, Icq(bits=2, prior="midpoint"), Lucb(), "paper"),
    "lil": lambda seed: _problem(seed, Exact(), LilUcb(), "lil"),
    "quban": lambda seed: _problem(
        seed, QuBan(epsilon_quban=0.5), SuccessiveElimination(), "paper"
    ),
}
"""A problem of each kind, for any seed."""
