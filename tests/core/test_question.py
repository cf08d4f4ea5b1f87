"""A question: answered from a mean, or from what was kept of the rewards, and read back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot, Task
from bitarm.core.question import BEATEN, Question, Told
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

_CODES: tuple[Code, ...] = (
    Bins(low=-1.0, step=0.25, bins=12),
    Bins(low=0.0, step=1.0, bins=1),
    Nearest(centre=0.5, step=0.125, divisor=2),
    Levels(step=0.25, centre=3, dither=0.5),
    Raw(),
    Above(low=-0.5, step=0.25),
)
means = st.floats(-3, 3)
every_code = pytest.mark.parametrize("code", _CODES, ids=repr)


@every_code
@given(mean=means)
def test_without_a_task_the_answer_is_the_codes_word(code: Code, mean: float) -> None:
    question = Question(until=5, code=code)
    assert question.answer(mean) == code.write(mean)
    assert question.read(question.answer(mean)) == Told(mean=code.read(code.write(mean)))


@every_code
@given(one=means, other=means)
def test_the_answers_to_one_question_are_prefix_free(code: Code, one: float, other: float) -> None:
    question = Question(until=1, code=code)
    first, second = str(question.answer(one)), str(question.answer(other))
    assert first == second or not second.startswith(first)


def test_a_mean_that_the_code_does_not_reach_is_a_reward_error() -> None:
    question = Question(until=1, code=Nearest(centre=0.0, step=1.0, divisor=1))
    with pytest.raises(RewardError, match="too far from 0"):
        question.answer(1e300)


@pytest.mark.parametrize("until", [0, -3, MAX_PULLS + 1])
def test_pulls_that_nobody_makes_are_refused(until: int) -> None:
    with pytest.raises(LocalProtocolError, match=rf"until must lie in \[1, {MAX_PULLS}\]"):
        Question(until=until, code=Raw())
    assert Question(until=MAX_PULLS, code=Raw()).until == MAX_PULLS


# -- tasks ----------------------------------------------------------------------------------------

_SCALE = Scale(bounded=True, low=0.0, unit=1.0)
_NEAREST = Nearest(centre=0.5, step=0.125, divisor=1)
_ABOVE = Above(low=0.25, step=0.125)
_CHALLENGE = Challenge(edge=0.75, first=1, hurdles=(20, 20, 20))
_TASKS: tuple[tuple[Task, Code], ...] = (
    (Pilot(), _NEAREST),
    (Edge(first=1, spread=0), _NEAREST),
    (_CHALLENGE, _ABOVE),
)
every_task = pytest.mark.parametrize(("task", "code"), _TASKS, ids=repr)


@every_task
def test_a_task_needs_a_scale_and_its_own_code(task: Task, code: Code) -> None:
    assert Question(until=5, code=code, scale=_SCALE, task=task).task == task
    with pytest.raises(LocalProtocolError, match="a task needs a scale"):
        Question(until=5, code=code, task=task)
    for other in (Raw(), _ABOVE if code is _NEAREST else _NEAREST):
        with pytest.raises(LocalProtocolError, match=f"a {task.name} is answered in the code"):
            Question(until=5, code=other, scale=_SCALE, task=task)


@every_task
def test_bets_that_were_not_kept_are_the_askers_fault(task: Task, code: Code) -> None:
    question = Question(until=5, code=code, scale=_SCALE, task=task)
    with pytest.raises(PeerProtocolError, match="of which none were kept"):
        question.answer(0.5)


@every_task
@given(rewards=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_what_is_answered_is_read(task: Task, code: Code, rewards: list[float]) -> None:
    question = Question(until=len(rewards), code=code, scale=_SCALE, task=task)
    mean = math.fsum(rewards) / len(rewards)
    symbol = question.answer(mean, Bets().after(rewards, 0))
    told = question.read(symbol)
    if isinstance(task, Challenge):
        assert (told is None) is (symbol == BEATEN)
        assert told is None or told.spread is None
    else:
        assert told is not None
        assert told.spread is not None
    for grown in (Symbol(symbol.value << 1, symbol.nbits + 1), Symbol(0, 0)):
        with pytest.raises(PeerProtocolError):
            question.read(grown)


@pytest.mark.parametrize(
    ("bits", "why"),
    [
        ("", "ends early"),
        ("00", "goes on after it gave up"),
        ("0101", "goes on after it gave up"),
        ("1", "ends early"),
        ("100000", "too long"),
    ],
)
def test_what_nobody_answers_is_the_peers_fault(bits: str, why: str) -> None:
    question = Question(until=1, code=_ABOVE, scale=_SCALE, task=_CHALLENGE)
    with pytest.raises(PeerProtocolError, match=why):
        question.read(Symbol(int(bits or "0", 2), len(bits)))


def test_a_scale_alone_changes_no_answer() -> None:
    plain = Question(until=5, code=_NEAREST)
    scaled = Question(until=5, code=_NEAREST, scale=_SCALE)
    assert scaled.answer(0.3) == plain.answer(0.3)
    assert not scaled.is_beaten(5, 0.3, Bets())
