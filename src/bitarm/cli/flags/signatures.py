"""A parameter that stands for many flags: they come from a table, not from a function's signature.

@expanded("words", {"kappa": Annotated[float | None, typer.Option(…)], …}, dict)
def identify(context: typer.Context, …, words: dict[str, Any]) -> None: …
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import typer

Command = Callable[..., None]


def expanded(
    parameter: str, flags: Mapping[str, Any], collected: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """A decorator that puts flags in place of one parameter of a command's function.

    `flags` has their types by name, each optional. The function gets, as `parameter`, what
    `collected` makes of those that were given, in the order in which they were typed. Typer reads a
    command's flags from the signature of its function, so one is made.
    """

    def decorated(function: Command) -> Command:
        def command(context: typer.Context, **given: Any) -> None:
            typed = [name for name in context.params if name in flags and given[name] is not None]
            own = {name: value for name, value in given.items() if name not in flags}
            own[parameter] = collected({name: given[name] for name in typed})
            function(context, **own)

        own = inspect.signature(function, eval_str=True).parameters
        parameters = [
            known.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, known in own.items()
            if name != parameter
        ]
        parameters += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
            for name, annotation in flags.items()
        ]
        sign(command, parameters)
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        return command

    return decorated


def sign(command: Command, parameters: list[inspect.Parameter]) -> None:
    """Give a function the signature that Typer is to read."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
