"""How a message's number fits, and what a message is."""

from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.messages import Cause, Dismiss, Fit, Message, Position, Report, Request, fit
from bitarm.core.question import Question


@pytest.mark.parametrize(
    ("message", "completed", "expected"),
    [
        (1, 0, Fit.NEXT),
        (2, 0, Fit.SKIPS),
        (0, 0, Fit.REPEAT),
        (1, 1, Fit.REPEAT),
        (2, 1, Fit.NEXT),
        (3, 1, Fit.SKIPS),
        (1, 2, Fit.LATE),
        (2, 2, Fit.REPEAT),
        (3, 2, Fit.NEXT),
        (4, 2, Fit.SKIPS),
        (0, 2, Fit.LATE),
        (1, 99, Fit.LATE),
    ],
)
def test_a_number_fits_in_one_way(message: int, completed: int, expected: Fit) -> None:
    assert fit(message, completed) is expected


@given(message=st.integers(0, 2**40), completed=st.integers(0, 2**40))
def test_fit_orders_numbers_around_the_one_that_is_due(message: int, completed: int) -> None:
    distance = message - (completed + 1)
    assert (fit(message, completed) is Fit.NEXT) == (distance == 0)
    assert (fit(message, completed) is Fit.SKIPS) == (distance > 0)
    assert (fit(message, completed) is Fit.REPEAT) == (distance == -1)
    assert (fit(message, completed) is Fit.LATE) == (distance < -1)


_MESSAGES: list[Message] = [
    Request(run=1, arm=0, message=1, question=Question(until=2, code=Raw())),
    Report(run=1, arm=0, message=1, symbol=Symbol(5, 3)),
    Position(run=1, arm=0, message=1, pulls=9),
    Dismiss(run=1, arm=0, cause=Cause.DROPPED),
]


@pytest.mark.parametrize("message", _MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_cannot_be_changed_and_names_its_run_and_arm(message: Message) -> None:
    names = [field.name for field in fields(message)]
    assert names[:2] == ["run", "arm"]
    for name in names:
        with pytest.raises(FrozenInstanceError):
            setattr(message, name, 0)


def test_every_kind_of_message_is_in_the_table() -> None:
    assert {type(message) for message in _MESSAGES} == set(get_args(Message))


def test_messages_are_equal_by_value() -> None:
    first, later = (Question(until=until, code=Raw()) for until in (2, 3))
    assert Request(run=1, arm=0, message=1, question=first) == _MESSAGES[0]
    assert Request(run=1, arm=0, message=1, question=later) != _MESSAGES[0]
    assert len({*_MESSAGES, *_MESSAGES}) == len(_MESSAGES)
