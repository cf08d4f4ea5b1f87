"""Words share their names with nothing else: calls and commands have arguments of their own."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

import pytest
from typer.models import OptionInfo

from bitarm import identify, plan, simulate
from bitarm.cli.app import _WITH_WORDS
from bitarm.core.vocabulary import TAKEN, vocabulary

_CALLS: tuple[Callable[..., Any], ...] = (identify, simulate, plan)


def _names(function: Callable[..., Any]) -> set[str]:
    """Parameters, and flags that are spelt otherwise."""
    found: set[str] = set()
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        found.add(name)
        for option in get_args(parameter.annotation):
            if isinstance(option, OptionInfo):
                spelt = (it for text in option.param_decls or () for it in text.split("/"))
                found |= {it.removeprefix("--").replace("-", "_") for it in spelt}
    return found


@pytest.mark.parametrize("function", [*_CALLS, *_WITH_WORDS.values()], ids=lambda it: it.__name__)
def test_every_argument_and_flag_is_known_to_be_taken(function: Callable[..., Any]) -> None:
    assert _names(function) - vocabulary().words.keys() <= TAKEN


def test_nothing_is_taken_that_nobody_has() -> None:
    every = set().union(*map(_names, (*_CALLS, *_WITH_WORDS.values())))
    assert TAKEN - every <= {"csv", "help", "json"}
