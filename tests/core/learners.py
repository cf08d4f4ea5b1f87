"""A learner of three arms in any phase, and answers that fit it."""

import struct

from tapes import make_spec

from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase
from bitarm.core.messages import Fit, Report
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.question import Question
from bitarm.core.setup import Setup

SPEC = make_spec(sigma=0.25, schedule=None)
ARM = 1
NUMBER = {Fit.LATE: 1, Fit.REPEAT: 2, Fit.NEXT: 3, Fit.SKIPS: 4}  # after two reports
SETUP = Setup(spec=SPEC, policy=SuccessiveElimination())
FIELD = run_field(run_of_opening(f"{SETUP.fingerprint:08x}"), 1)


def symbol_of(mean: float) -> Symbol:
    return Symbol(int.from_bytes(struct.pack(">d", mean)), 64)


def report_of(arm: int, message: int, mean: float = 0.5) -> Report:
    return Report(run=FIELD, arm=arm, message=message, symbol=symbol_of(mean))


def question_until(until: int) -> Question:
    return Question(until=until, code=Raw())


def started() -> Learner:
    learner = Learner(SETUP)
    learner.start()
    return learner


def learner_in(phase: ArmPhase, *, dropped: bool = False) -> Learner:
    """A learner that has two reports of every arm, with arm 1 in `phase`."""
    learner = started()
    for message in (1, 2):
        for arm in (0, 1, 2):
            # nothing can be separated at 4 pulls by less than this
            far = -1e6 if dropped and message == 2 and arm == ARM else 0.5
            learner.receive(report_of(arm, message, far))
    if phase is ArmPhase.RESTING:
        learner.receive(report_of(ARM, 3))
    if phase is ArmPhase.OUT and not dropped:
        learner.interrupt()
    assert learner.arms[ARM].phase is phase
    return learner
