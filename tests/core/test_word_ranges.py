"""The range of a word: which values it leaves out, and how a refusal says so."""

from dataclasses import dataclass
from typing import Annotated

import pytest

from bitarm.core.words import Word, check_words, words_of
from bitarm.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """A word of every range."""

    open: Annotated[float, Word("", above=0, below=1)] = 0.5
    half: Annotated[float, Word("", least=0, below=1)] = 0.0
    under: Annotated[float, Word("", below=1)] = 0.0
    closed: Annotated[int, Word("", least=1, most=3)] = 1
    named: Annotated[str, Word("", choices=("a", "b"))] = "a"

    def __post_init__(self) -> None:
        check_words(self)


@pytest.mark.parametrize(
    ("word", "value", "said"),
    [
        ("open", 0.0, "open must lie in (0, 1), got 0.0"),
        ("open", 1.0, "open must lie in (0, 1), got 1.0"),
        ("open", float("nan"), "open must lie in (0, 1), got nan"),
        ("half", 1.0, "half must lie in [0, 1), got 1.0"),
        ("half", -0.5, "half must lie in [0, 1), got -0.5"),
        ("under", 1.0, "under must be a finite number below 1, got 1.0"),
        ("under", float("-inf"), "under must be a finite number below 1, got -inf"),
        ("closed", 4, "closed must lie between 1 and 3, got 4"),
        ("named", "c", "named must be one of a, b, got 'c'"),
    ],
)
def test_a_value_outside_is_refused(word: str, value: float, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        words_of(Ranges)[word].check(value)
    assert str(caught.value) == said


def test_values_inside_are_taken() -> None:
    assert Ranges(open=1e-300, half=0, under=-5, closed=3, named="b").closed == 3
