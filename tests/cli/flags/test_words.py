"""Words share their names with nothing else: calls and commands have arguments of their own."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

import pytest
from typer.models import OptionInfo

from bitarm import identify, plan, simulate
from bitarm.cli.commands.identify import identify_command
from bitarm.cli.commands.learner import learner_command
from bitarm.cli.commands.plan import plan_command
from bitarm.cli.commands.simulate import simulate_command
from bitarm.cli.flags.plan import with_plan_flags
from bitarm.core.vocabulary import TAKEN, vocabulary

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(identify, simulate, plan),
    *(with_plan_flags(identify_command), with_plan_flags(plan_command)),
    *(simulate_command, learner_command),
)


def _names(function: Callable[..., Any]) -> set[str]:
    """Parameters, and flags that are spelt otherwise."""
    found: set[str] = set()
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        found.add(name)
        for option in get_args(parameter.annotation):
            if isinstance(option, OptionInfo):
                spelt = (flag for text in option.param_decls or () for flag in text.split("/"))
                found |= {flag.removeprefix("--").replace("-", "_") for flag in spelt}
    return found


@pytest.mark.parametrize("function", _FUNCTIONS, ids=lambda function: function.__name__)
def test_every_argument_and_flag_is_known_to_be_taken(function: Callable[..., Any]) -> None:
    assert _names(function) - vocabulary().words.keys() <= TAKEN


def test_nothing_is_taken_that_nobody_has() -> None:
    every = set().union(*map(_names, _FUNCTIONS))
    assert TAKEN - every <= {"csv", "help", "json"}
