"""The loop of docs/boundary.md runs as it stands, and what it keeps can be replayed."""

import random
import re
from pathlib import Path
from typing import Any

from tapes import make_spec

from bitarm.core.agent import Agent
from bitarm.core.epochs import after
from bitarm.core.events import LearnerEvent
from bitarm.core.learner import Learner
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Dicq
from bitarm.core.replay import replay
from bitarm.core.setup import Setup

_PAGE = (Path(__file__).parents[1] / "docs" / "boundary.md").read_text("utf-8")
(_LOOP,) = re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL)


def _run(kept: list[LearnerEvent]) -> Learner:
    rng = random.Random(1)

    def sum_of_next_rewards(arm: int, count: int) -> float:
        return sum(float(rng.random() < (0.2, 0.5, 0.9)[arm]) for _ in range(count))

    given: dict[str, Any] = {
        "Agent": Agent,
        "Learner": Learner,
        "keep": kept.extend,
        "setup": Setup(
            spec=make_spec(arms=3, quantizer=Dicq(), width="pairwise-mixture", sigma=0.5),
            policy=SuccessiveElimination(),
        ),
        "sum_of_next_rewards": sum_of_next_rewards,
    }
    exec(_LOOP, given)
    learner: Learner = given["learner"]
    return learner


def test_the_loop_ends_and_what_it_keeps_is_the_run() -> None:
    kept: list[LearnerEvent] = []
    learner = _run(kept)
    assert learner.ending is not None
    assert learner.ending.best_arm == 2
    assert replay(kept).save() == learner.save()


def test_any_beginning_of_what_it_keeps_can_be_gone_on_from() -> None:
    kept: list[LearnerEvent] = []
    _run(kept)
    for length in range(2, len(kept), 7):
        learner = replay(kept[:length])
        again = learner.begin(after(learner.epoch))
        assert [request.arm for request in again.messages] == [
            request.arm for request in learner.pending
        ]
