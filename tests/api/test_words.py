"""The words of a problem: the type of each, where it belongs, and what is said of a wrong one."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bitarm.api.words import LIMITS, split
from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import Taker, flag, typed, unknown
from bitarm.errors import ConfigError

_NUMBERS = (
    "delta",
    "sigma",
    "epsilon",
    "epsilon_quban",
    "kappa",
    "kappa_first",
    "kappa_cut",
    "kappa_pilot",
    "kappa_place",
    "cap",
    "patience",
    "behind",
    "aim",
    "growth",
    "interval_delta",
)
_WHOLE_NUMBERS = ("bits", "first", "start", "rounds", "samples", "pull_budget", "bit_budget")
_TEXTS = ("prior", "width")
_SCHEMES = ("quantizer", "policy")  # by name, or as a value: see test_values.py
_PROBLEM, _SCHEME = vocabulary().of_table("problem"), vocabulary().of_table("scheme")
_EVERY: dict[str, Taker] = {**_PROBLEM, **_SCHEME, **LIMITS}


def _taken(word: str, value: Any) -> Any:
    return typed({word: value}, _EVERY, "a test")[word]


def _refusal(word: str, value: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        _taken(word, value)
    return str(caught.value)


# -- types ----------------------------------------------------------------------------------------


def test_every_word_has_a_type_that_is_tested_here() -> None:
    tested = {*_NUMBERS, *_WHOLE_NUMBERS, *_TEXTS, *_SCHEMES, "bounds", "checkpoints"}
    assert set(_EVERY) == tested


@pytest.mark.parametrize("word", _NUMBERS)
@pytest.mark.parametrize("value", [0.5, 2, Fraction(1, 2), np.float32(0.5), np.int64(2)], ids=repr)
def test_a_number_becomes_a_float(word: str, value: Any) -> None:
    taken = _taken(word, value)
    assert type(taken) is float
    assert taken == value


@pytest.mark.parametrize("word", _NUMBERS)
@pytest.mark.parametrize(
    "value", ["high", "1", True, None, [1.0], 1j, Decimal("0.5"), np.True_], ids=repr
)
def test_what_is_no_number_is_refused(word: str, value: Any) -> None:
    assert _refusal(word, value) == f"{word} must be a number, got {value!r}"


def test_a_switch_is_true_or_false_and_nothing_else() -> None:
    assert flag("clip", value=True) is True
    assert flag("clip", value=False) is False
    for value in (1, 0, "yes", None):
        with pytest.raises(ConfigError, match=f"^clip must be true or false, got {value!r}$"):
            flag("clip", value)


@pytest.mark.parametrize("word", _WHOLE_NUMBERS)
@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)], ids=repr)
def test_a_whole_number_becomes_an_int(word: str, value: Any) -> None:
    taken = _taken(word, value)
    assert type(taken) is int
    assert taken == 3


@pytest.mark.parametrize("word", _WHOLE_NUMBERS)
@pytest.mark.parametrize("value", [1.5, 3.0, "3", True, None, [3], np.float64(3)], ids=repr)
def test_what_is_no_whole_number_is_refused(word: str, value: Any) -> None:
    said = f"write 3, not {value!r}" if value == 3 else f"got {value!r}"
    assert _refusal(word, value).startswith(f"{word} must be a whole number")
    assert _refusal(word, value).endswith(said)


@pytest.mark.parametrize("word", _TEXTS)
def test_a_text_is_a_string_and_nothing_else(word: str) -> None:
    assert _taken(word, "icq") == "icq"
    for value in (3, None, ["icq"], b"icq", True):
        assert _refusal(word, value) == f"{word} must be a text, got {value!r}"


def test_a_flag_is_true_or_false_and_nothing_else() -> None:
    assert flag("clip", True) is True
    assert flag("clip", False) is False
    for value in (0, 1, "true", None):
        with pytest.raises(ConfigError, match=f"^clip must be true or false, got {value!r}$"):
            flag("clip", value)


@pytest.mark.parametrize("value", [(0, 1), [0, 1], [0.0, np.float64(1)]], ids=repr)
def test_bounds_become_a_pair_of_floats(value: Any) -> None:
    taken = _taken("bounds", value)
    assert taken == (0.0, 1.0)
    assert [type(taken), *map(type, taken)] == [tuple, float, float]


def test_bounds_may_be_none() -> None:
    assert _taken("bounds", None) is None


@pytest.mark.parametrize("value", [1, "01", (), (0,), (0, 1, 2), {0, 1}, True], ids=repr)
def test_what_is_no_pair_is_refused(value: Any) -> None:
    assert _refusal("bounds", value) == f"bounds must be two numbers, got {value!r}"


@pytest.mark.parametrize("value", [("a", "b"), (0, "b"), (None, 1), (0, True)], ids=repr)
def test_a_pair_of_something_else_is_refused(value: Any) -> None:
    assert re.match("(each of )?bounds must be ", _refusal("bounds", value))


def test_checkpoints_become_a_tuple_of_ints() -> None:
    taken = _taken("checkpoints", [1, np.int64(5), 9])
    assert taken == (1, 5, 9)
    assert [type(item) for item in taken] == [int, int, int]
    assert _taken("checkpoints", range(1, 4)) == (1, 2, 3)


@pytest.mark.parametrize("value", [3, "123", None, {1, 2}], ids=repr)
def test_what_is_no_list_is_refused(value: Any) -> None:
    said = _refusal("checkpoints", value)
    assert said == f"checkpoints must be a list of whole numbers, got {value!r}"


@pytest.mark.parametrize("value", [1.5, "2", True], ids=repr)
def test_a_list_of_something_else_is_refused(value: Any) -> None:
    said = _refusal("checkpoints", [1, value])
    assert said == f"each of checkpoints must be a whole number, got {value!r}"


# -- which words there are ------------------------------------------------------------------------


def test_typed_keeps_what_was_given_and_adds_nothing() -> None:
    given: Mapping[str, Any] = {"sigma": 1, "delta": 0.1}
    taken = typed(given, _PROBLEM, "[problem]")
    assert list(taken.items()) == [("sigma", 1.0), ("delta", 0.1)]
    assert given == {"sigma": 1, "delta": 0.1}
    assert typed({}, _PROBLEM, "[problem]") == {}


def test_a_word_of_another_table_is_refused_before_any_value_is_looked_at() -> None:
    with pytest.raises(ConfigError, match=r"^a word of \[problem\] must be one of delta, sigma, "):
        typed({"delta": "high", "bits": 3}, _PROBLEM, "[problem]")


def test_split_gives_every_word_to_its_table() -> None:
    given = {word: number for number, word in enumerate(vocabulary().words)}
    problem, scheme, limits = split(given)
    assert set(problem) == set(_PROBLEM)
    assert set(scheme) == set(_SCHEME)
    assert set(limits) == set(LIMITS)
    spelt_out = {**problem, **scheme, **{f"max_{word}": limits[word] for word in limits}}
    assert spelt_out == given


def test_split_tells_the_bits_of_a_message_from_their_limit() -> None:
    assert split({"bits": 3, "max_bits": 99}) == ({}, {"bits": 3}, {"bits": 99})
    assert split({"max_bits": 99}) == ({}, {}, {"bits": 99})
    assert split({}) == ({}, {}, {})


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("dleta", "; did you mean delta?"),
        ("max_round", "; did you mean max_rounds?"),
        ("samples", "; did you mean max_samples?"),
        ("clip", ". If a package of its own offers it, install that"),  # of files alone
        ("colour", ". If a package of its own offers it, install that"),
    ],
)
def test_split_refuses_a_word_that_does_not_exist(word: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        split({"delta": 0.1, word: 1})
    assert str(caught.value) == (
        f"a word must be one of {', '.join(vocabulary().words)}, got {word!r}{hint}"
    )


# -- what is said ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "hint"),
    [
        ("lcub", "; did you mean lucb?"),
        ("lil-ucb-cuont", "; did you mean lil-ucb-count?"),
        ("xyz", ""),
        (3, ""),
        (["lucb"], "; did you mean lucb?"),
    ],
)
def test_a_name_that_is_none_of_those_allowed_gets_the_nearest(got: object, hint: str) -> None:
    allowed = (name for name in ("lucb", "lil-ucb-count"))  # read only once
    assert unknown("policy", got, allowed) == (
        f"policy must be one of lucb, lil-ucb-count, got {got!r}{hint}"
    )
