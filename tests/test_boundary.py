"""The loop of docs/boundary.md runs as it stands, and what it keeps can be replayed."""

import math
import random
from typing import Any

import pytest
from docs_blocks import blocks_run_by
from tapes import make_spec

import bitarm
from bitarm.core.agent import Agent
from bitarm.core.epochs import after
from bitarm.core.events import LearnerEvent
from bitarm.core.learner import Learner
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Dicq
from bitarm.core.replay import replay
from bitarm.core.setup import Setup

(_LOOP,) = blocks_run_by("tests/test_boundary.py")


_SETUPS = {
    "told means": Setup(
        spec=make_spec(arms=3, quantizer=Dicq(), width="pairwise-mixture", sigma=0.5),
        policy=SuccessiveElimination(),
    ),
    "the default": bitarm.setup(["low", "middle", "high"], bounds=(0, 1), seed=1),
}


def _run(kept: list[LearnerEvent], setup: Setup) -> Learner:
    rng = random.Random(1)

    def next_rewards(arm: int, count: int) -> list[float]:
        return [float(rng.random() < (0.2, 0.5, 0.9)[arm]) for _ in range(count)]

    given: dict[str, Any] = {
        "Agent": Agent,
        "Learner": Learner,
        "keep": kept.extend,
        "math": math,
        "next_rewards": next_rewards,
        "setup": setup,
    }
    exec(_LOOP.text, given)
    learner: Learner = given["learner"]
    return learner


@pytest.mark.parametrize("setup", _SETUPS.values(), ids=_SETUPS)
def test_the_loop_ends_and_what_it_keeps_is_the_run(setup: Setup) -> None:
    kept: list[LearnerEvent] = []
    learner = _run(kept, setup)
    assert learner.ending is not None
    assert learner.ending.best_arm == 2
    assert replay(kept).save() == learner.save()


@pytest.mark.parametrize("setup", _SETUPS.values(), ids=_SETUPS)
def test_any_beginning_of_what_it_keeps_can_be_gone_on_from(setup: Setup) -> None:
    kept: list[LearnerEvent] = []
    _run(kept, setup)
    for length in range(2, len(kept), 7):
        learner = replay(kept[:length])
        again = learner.begin(after(learner.epoch))
        assert [request.arm for request in again.messages] == [
            request.arm for request in learner.pending
        ]
