"""How words are varied: on ladders that end, and as their declarations allow."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from bitarm.core.words import Word, words_of
from bitarm.planner.axes import Ladder, axis_of, beside


@dataclass(frozen=True, kw_only=True)
class _Scheme:
    step: Annotated[float, Word("A step", above=0)] = 2.0
    factor: Annotated[float, Word("A factor", above=1)] = 1.5
    share: Annotated[float, Word("A share", least=0, most=1)] = 0.5
    none_yet: Annotated[float, Word("A number at its end", least=0)] = 0.0
    debt: Annotated[float, Word("A number below 0")] = -3.0
    bits: Annotated[int, Word("Few bits", least=1, most=4)] = 3
    depth: Annotated[int, Word("A large number", above=0)] = 1000
    eager: Annotated[bool, Word("A switch")] = False
    mode: Annotated[Literal["a", "b", "c"], Word("A choice")] = "b"
    title: Annotated[str, Word("Any text")] = "none"
    open_: Annotated[float | None, Word("May be left open")] = None


_DECLARED = words_of(_Scheme)


def _near(word: str, value: Any) -> list[Any]:
    return beside(axis_of(_DECLARED[word]), value)


def test_a_ladder_ends_at_its_ends() -> None:
    ladder = Ladder(factor=2.0, low=1.0, high=10.0)
    assert ladder.neighbours(3.0) == [1.5, 6.0]
    assert ladder.neighbours(1.0) == [2.0]
    assert ladder.neighbours(8.0) == [4.0, 10.0]


def test_a_number_moves_by_a_factor_of_its_distance_from_the_end_of_its_range() -> None:
    assert _near("step", 2.0) == [1.2, 3.2]
    assert _near("factor", 1.5) == pytest.approx([1.31, 1.8])
    assert _near("debt", -3.0) == [-1.9, -4.8]


def test_a_number_at_the_end_of_its_range_can_leave_it() -> None:
    assert _near("none_yet", 0.0) == [0.025, 1.0]


@pytest.mark.parametrize("word", ["step", "factor", "share", "none_yet", "bits", "depth"])
def test_however_far_one_goes_every_value_is_allowed_and_there_is_an_end(word: str) -> None:
    declared = _DECLARED[word]
    for furthest in (min, max):
        value = declared.default
        for _ in range(40):
            value = furthest([*_near(word, value), value])
            declared.check(value)
        assert furthest([*_near(word, value), value]) == value


def test_whole_numbers_are_whole_and_switches_and_choices_are_all_the_others() -> None:
    assert _near("bits", 3) == [1, 2, 4]
    assert _near("depth", 1000) == [998, 999, 1001, 1002]
    assert _near("depth", 1004) == [1002, 1003, 2000, 4000]
    assert _near("eager", False) == [True]
    assert _near("mode", "b") == ["a", "c"]


def test_what_has_no_order_and_no_default_is_left_as_it_is() -> None:
    assert _near("title", "none") == []
    assert axis_of(_DECLARED["open_"]) == ()
