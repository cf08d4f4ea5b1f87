"""Arms as programs have them: what is understood, what is refused, and what the data say."""

import inspect
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest

import bitarm
from bitarm.api.arms import sources_of
from bitarm.core.outcome import Outcome
from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import WordKind
from bitarm.errors import ConfigError, RewardError

_ROWS = 4000


def _columns(seed: int = 1) -> dict[str, list[float]]:
    rng = random.Random(seed)
    return {
        name: [float(rng.random() < mean) for _ in range(_ROWS)]
        for name, mean in (("red", 0.3), ("blue", 0.8), ("green", 0.5))
    }


class _Column:
    """A column as Polars has them: it can be gone through, and is no sequence."""

    def __init__(self, values: Sequence[float]) -> None:
        self._values = values

    def __iter__(self) -> Iterator[float]:
        return iter(self._values)


class _Table:
    """A table as Polars has them: names, and a column by its name."""

    def __init__(self, columns: Mapping[str, Sequence[float]]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> _Column:
        return _Column(self._columns[name])


_SHAPES: dict[str, Any] = {
    "lists": lambda columns: columns,
    "tuples": lambda columns: {name: tuple(column) for name, column in columns.items()},
    "arrays": lambda columns: {name: np.array(column) for name, column in columns.items()},
    "small floats": lambda columns: {
        name: np.array(column, dtype=np.float32) for name, column in columns.items()
    },
    "whole numbers": lambda columns: {
        name: np.array(column, dtype=np.int8) for name, column in columns.items()
    },
    "truth values": lambda columns: {
        name: np.array(column, dtype=bool) for name, column in columns.items()
    },
    "columns": lambda columns: {name: pd.Series(column) for name, column in columns.items()},
    "table": pd.DataFrame,
    "nullable": lambda columns: pd.DataFrame(columns).astype("Int64"),
    "other table": _Table,
    "generators": lambda columns: {
        name: (reward for reward in column) for name, column in columns.items()
    },
    "functions": lambda columns: {name: iter(column).__next__ for name, column in columns.items()},
}


_WITHOUT_END = ("generators", "functions")
"""Shapes of which nobody knows beforehand where they end."""


@pytest.mark.parametrize("shape", _SHAPES)
def test_all_shapes_of_the_same_rewards_give_the_same_run(shape: str) -> None:
    result = bitarm.identify(_SHAPES[shape](_columns()), bounds=(0, 1), seed=1)
    expected = bitarm.identify(_columns(), bounds=(0, 1), seed=1)
    ends = "how many rewards of an arm were recorded does not depend on them"
    assert ends in expected.assumptions
    if shape in _WITHOUT_END:
        assert ends not in result.assumptions
        # where rewards end is a part of the setup and of the claim, if it is known
        claim = ("fingerprint", "assumptions", "guarantee_reason", "excluded_reason")
        result = replace(result, **{field: getattr(expected, field) for field in claim})
    assert result == expected
    assert result.best_arm_name == "blue"


def test_arms_in_a_list_are_numbered() -> None:
    result = bitarm.identify(list(_columns().values()), bounds=(0, 1), seed=1)
    assert (result.best_arm, result.best_arm_name) == (1, "arm-1")
    rows = bitarm.identify(list(np.array(list(_columns().values()))), bounds=(0, 1), seed=1)
    assert rows == result


def test_names_may_be_numbers() -> None:
    arms = dict(zip((868, 915, 2400), _columns().values(), strict=True))
    assert bitarm.identify(arms, bounds=(0, 1)).best_arm_name == "915"


def test_an_endless_generator_is_read_as_far_as_it_is_needed() -> None:
    rng = random.Random(2)
    read = itertools.count()

    def rewards(mean: float) -> Iterator[float]:
        while True:
            next(read)
            yield float(rng.random() < mean)

    result = bitarm.identify([rewards(0.2), rewards(0.9)], bounds=(0, 1))
    assert result.best_arm == 1
    assert next(read) == result.samples


@pytest.mark.parametrize("shape", ["lists", "generators", "table"])
def test_data_that_end_are_an_outcome(shape: str) -> None:
    rng = random.Random(3)
    columns = {name: [rng.random() for _ in range(300)] for name in ("red", "blue")}
    columns["grey"] = [0.01] * 300
    given: dict[str, Any] = {"bounds": (0, 1), "policy": "se", "quantizer": "icq", "seed": 1}
    result = bitarm.identify(_SHAPES[shape](columns), **given)
    assert result.outcome is Outcome.DATA_EXHAUSTED
    assert (result.best_arm, result.guarantee) == (None, None)
    ended = "ran out of rewards" if shape == "generators" else "no more recorded rewards"
    assert ended in result.guarantee_reason
    assert result.leader_name in ("red", "blue")
    assert result.excluded == ("grey",)
    assert result.excluded_guarantee == 0.05
    assert result.to_json()["outcome"] == "data_exhausted"


_GOOD = [0.5, 0.25]
_REFUSED: dict[str, tuple[Any, str]] = {
    "one arm": ([_GOOD], "at least 2 arms are needed to tell which is best, got 1"),
    "text": ("red", "arms must be a mapping by name, a list or a table, got 'red'"),
    "number": (3, "arms must be a mapping by name, a list or a table, got 3"),
    "matrix": (np.ones((3, 9)), r"give list\(array\), or list\(array.T\)"),
    "cube": ([_GOOD, np.ones((3, 3))], r"arm-1 must be one row .*, got an array of .*\(3, 3\)"),
    "text for an arm": ([_GOOD, "red"], "arm 'arm-1' needs a function .*, got 'red'"),
    "mapping for an arm": ([_GOOD, {"a": 1}], "arm 'arm-1' needs a function .*, got {'a': 1}"),
    "nothing": ({"a": _GOOD, "b": []}, "the data of b is empty: b has no rewards"),
    "a gap": ({"a": _GOOD, "b": [0.5, None]}, "data of b must be finite .* index 1 is None"),
    "not a number": (
        [_GOOD, [float("nan")]],
        "arm-1 must be finite numbers, but at index 0 is nan",
    ),
    "a missing cell": (
        pd.DataFrame({"a": _GOOD, "b": [0.5, None]}),
        "data of b must be finite numbers, but at index 1 is nan",
    ),
    "texts": ([_GOOD, ["0.5", "0.7"]], "arm-1 must be finite numbers, but at index 0 is '0.5'"),
    "huge": ([_GOOD, [10**9999]], "arm-1 must be finite numbers, but at index 0 is inf"),
    "equal names": ({1: _GOOD, "1": _GOOD}, "two arms are called '1'"),
    "beyond the bounds": (
        {"a": _GOOD, "b": [0.5, 7.0, -3.0]},
        r"2 of 3 rewards in the data of b lie outside the bounds \[0.0, 1.0\], first number 2, "
        "which is 7; all reach from -3 to 7: widen the bounds, or ask for clipping",
    ),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_gives_no_rewards_is_refused_before_the_run(case: str) -> None:
    arms, message = _REFUSED[case]
    seen: list[Any] = []
    with pytest.raises((ConfigError, RewardError), match=message):
        bitarm.identify(arms, bounds=(0, 1), watch=seen.extend)
    assert seen == []


def test_a_generator_that_fails_is_named() -> None:
    def broken() -> Iterator[float]:
        yield 0.5
        raise OSError("no antenna")

    with pytest.raises(RewardError, match="the iterator of arm-1 raised OSError: no antenna"):
        bitarm.identify([itertools.repeat(0.5), broken()], bounds=(0, 1))


# -- σ and the data ------------------------------------------------------------------------------


def _normal(sd: float, seed: int = 1) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    return {
        "low": rng.normal(0.0, sd, 2000).tolist(),
        "high": rng.normal(2.0, sd, 2000).tolist(),
    }


def test_a_sigma_that_the_data_contradict_is_a_warning_and_no_guarantee() -> None:
    with pytest.warns(UserWarning, match=r"sigma = 0.5 is too small for the data") as told:
        result = bitarm.identify(_normal(1.0), sigma=0.5, seed=1)
    assert len(told) == 2  # one for each arm
    assert "is valid if rewards never leave the range of these data" in str(told[0].message)
    assert result.guarantee is None
    assert "sigma = 0.5 is too small for the data of low" in result.guarantee_reason


def test_with_bounds_the_warning_names_a_valid_sigma() -> None:
    given: dict[str, Any] = {"bounds": (0, 1), "sigma": 0.3, "seed": 1}
    with pytest.warns(UserWarning, match="0.5, half the range of the bounds, is valid"):
        bitarm.identify({"a": [0.0, 1.0] * 500, "b": [1.0] * 1000}, **given)


@pytest.mark.parametrize("seed", range(20))
def test_a_valid_sigma_is_not_contradicted(seed: int) -> None:
    """Warnings are errors here: 40 samples, each a false alarm once in ten thousand at most."""
    assert bitarm.identify(_normal(1.0, seed), sigma=1.0, seed=1).guarantee == 0.05


# -- parameters ----------------------------------------------------------------------------------

_TYPES: dict[WordKind, Any] = {
    WordKind.NUMBER: float,
    WordKind.WHOLE: int,
    WordKind.FLAG: bool,
    WordKind.RANGE: tuple[float, float],
    WordKind.WHOLES: Sequence[int],
}
_NO_WORDS = {"arms", "clip", "seed", "journal", "watch"}


def test_every_word_is_a_parameter_of_its_type_and_is_described() -> None:
    hints = get_type_hints(bitarm.identify)
    parameters = inspect.signature(bitarm.identify).parameters
    assert set(parameters) - _NO_WORDS == set(vocabulary().words)
    described = inspect.getdoc(bitarm.identify) or ""
    for name, declared in vocabulary().words.items():
        assert parameters[name].default is None
        assert f"    {name}: " in described
        alternatives = get_args(hints[name])
        if declared.choices:
            assert set(get_args(alternatives[0])) == set(declared.choices)
        else:
            assert _TYPES.get(declared.kind, str) in alternatives, name


def test_a_word_that_does_not_exist_is_no_parameter() -> None:
    with pytest.raises(TypeError, match="dleta"):
        bitarm.identify([_GOOD, _GOOD], bounds=(0, 1), dleta=0.1)  # type: ignore[call-arg]


def test_names_are_those_of_the_arms() -> None:
    assert list(sources_of({"x": _GOOD, 3: _GOOD})) == ["x", "3"]
