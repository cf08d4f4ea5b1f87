"""Frozen values as plain JSON types and back."""

import json
import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Literal, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tapes import make_spec

from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerState
from bitarm.core.limits import Limits
from bitarm.core.plain import Families, dumps, from_plain, to_plain
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.setup import Setup
from bitarm.core.spec import SPEC_FAMILIES
from bitarm.errors import ConfigError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Shape(Protocol):
    name: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    name: ClassVar[str] = "circle"

    radius: float
    area: float = field(init=False, default=0.0)  # derived: not part of the value


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    name: ClassVar[str] = "dot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    title: str
    count: int
    scale: float
    visible: bool
    colour: Colour
    mode: Literal["fast", "slow"]
    shape: Shape
    corner: tuple[float, float] | None
    tags: tuple[str, ...]
    limit: int | None


FAMILIES: Families = {Shape: {"circle": Circle, "dot": Dot}}

SCENE = Scene(
    title="naïve",
    count=3,
    scale=0.1,
    visible=True,
    colour=Colour.BLUE,
    mode="slow",
    shape=Circle(radius=2.0),
    corner=(1.0, -0.5),
    tags=("x", "y"),
    limit=None,
)
PLAIN = {
    "title": "naïve",
    "count": 3,
    "scale": 0.1,
    "visible": True,
    "colour": "blue",
    "mode": "slow",
    "shape": {"name": "circle", "radius": 2.0},
    "corner": [1.0, -0.5],
    "tags": ["x", "y"],
    "limit": None,
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def test_the_plain_form_of_a_value() -> None:
    assert to_plain(SCENE) == PLAIN


def test_canonical_text_is_sorted_and_without_spaces() -> None:
    assert dumps(SCENE) == (
        '{"colour":"blue","corner":[1.0,-0.5],"count":3,"limit":null,"mode":"slow",'
        '"scale":0.1,"shape":{"name":"circle","radius":2.0},"tags":["x","y"],'
        '"title":"naïve","visible":true}'
    )


@given(
    title=st.text(st.characters(exclude_categories=["Cs"])),
    count=st.integers(),
    scale=st.floats(allow_nan=False),
    corner=st.none() | st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
    tags=st.lists(st.text()).map(tuple),
    shape=st.just(Dot()) | st.builds(Circle, radius=st.floats(allow_nan=False)),
    colour=st.sampled_from(Colour),
    limit=st.none() | st.integers(),
)
def test_a_value_survives_the_trip_through_text_to_the_last_bit(
    title: str,
    count: int,
    scale: float,
    corner: tuple[float, float] | None,
    tags: tuple[str, ...],
    shape: Circle | Dot,
    colour: Colour,
    limit: int | None,
) -> None:
    scene = Scene(
        title=title,
        count=count,
        scale=scale,
        visible=False,
        colour=colour,
        mode="fast",
        shape=shape,
        corner=corner,
        tags=tags,
        limit=limit,
    )
    text = dumps(scene)
    back = from_plain(Scene, json.loads(text), FAMILIES)
    assert back == scene
    assert math.copysign(1, back.scale) == math.copysign(1, scale)  # −0.0 too
    assert dumps(back) == text


@pytest.mark.parametrize(("value", "plain"), [(math.inf, "inf"), (-math.inf, "-inf")])
def test_infinities_are_strings(value: float, plain: str) -> None:
    assert to_plain(value) == plain
    assert from_plain(float, plain, {}) == value
    assert dumps(value) == f'"{plain}"'


@pytest.mark.parametrize(
    ("key", "bad", "complaint"),
    [
        ("title", 7, "expected str"),
        ("count", 3.0, "expected int"),
        ("count", True, "expected int"),
        ("count", "3", "expected int"),
        ("scale", 1, "expected a float"),
        ("scale", "nan", "expected a float"),
        ("scale", "1.0", "expected a float"),
        ("scale", None, "expected a float"),
        ("visible", 1, "expected bool"),
        ("colour", "green", "expected one of red, blue"),
        ("colour", ["red"], "expected one of red, blue"),
        ("mode", "medium", "expected one of fast, slow"),
        ("mode", None, "expected one of fast, slow"),
        ("shape", {"name": "square"}, "expected one of circle, dot"),
        ("shape", {"radius": 1.0}, "expected one of circle, dot"),
        ("shape", "dot", "expected one of circle, dot"),
        ("shape", None, "expected one of circle, dot"),
        ("shape", {"name": ["dot"]}, "expected one of circle, dot"),
        ("shape", {"name": {}}, "expected one of circle, dot"),
        ("shape", {"name": "circle"}, "expected the fields radius"),
        ("shape", {"name": "circle", "radius": 1.0, "area": 3.0}, "expected the fields radius"),
        ("shape", {"name": "dot", "radius": 1.0}, "expected the fields"),
        ("corner", [1.0], "expected 2 items"),
        ("corner", [1.0, 2.0, 3.0], "expected 2 items"),
        ("corner", {"0": 1.0}, "expected a list"),
        ("corner", [1.0, "x"], "expected a float"),
        ("tags", "xy", "expected a list"),
        ("tags", [1], "expected str"),
        ("limit", "none", "expected int"),
    ],
)
def test_what_is_not_the_plain_form_of_a_value_is_refused(
    key: str, bad: Any, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        from_plain(Scene, PLAIN | {key: bad}, FAMILIES)


def test_a_named_class_that_stands_outside_any_family_may_carry_its_name() -> None:
    circle = Circle(radius=2.0)
    plain = json.loads(dumps(circle))
    assert plain == {"name": "circle", "radius": 2.0}
    assert from_plain(Circle, plain, {}) == circle
    assert from_plain(Circle | None, plain, {}) == circle
    assert from_plain(tuple[Circle, ...], [plain, plain], {}) == (circle, circle)
    assert from_plain(Circle, {"radius": 2.0}, {}) == circle


@pytest.mark.parametrize("name", ["dot", "Circle", "", None, 3, ["circle"]])
def test_another_name_than_that_of_the_class_is_refused(name: Any) -> None:
    with pytest.raises(ConfigError, match="expected the fields radius"):
        from_plain(Circle, {"name": name, "radius": 2.0}, {})


def test_a_learner_that_has_ended_loads_with_the_families_of_a_spec_alone() -> None:
    spec, policy, limits = make_spec(), SuccessiveElimination(), Limits(rounds=5)
    learner = Learner(Setup(spec=spec, policy=policy, limits=limits))
    learner.start()
    learner.interrupt()
    state = learner.save()
    assert state.ending is not None
    loaded: LearnerState = from_plain(LearnerState, json.loads(dumps(state)), SPEC_FAMILIES)
    assert loaded == state


@pytest.mark.parametrize("key", PLAIN)
def test_a_missing_field_is_refused(key: str) -> None:
    less = {name: value for name, value in PLAIN.items() if name != key}
    with pytest.raises(ConfigError, match="expected the fields"):
        from_plain(Scene, less, FAMILIES)


@given(key=st.sampled_from(sorted(PLAIN)), value=anything)
def test_any_json_is_read_or_refused(key: str, value: Any) -> None:
    plain = PLAIN | {key: value}
    try:
        scene = from_plain(Scene, plain, FAMILIES)
    except ConfigError:
        return
    # NaN compares unequal to itself, hence the text; `to_plain` spells it as a string.
    assert json.dumps(to_plain(scene)).replace('"nan"', "NaN") == json.dumps(plain).replace(
        "-Infinity", '"-inf"'
    ).replace("Infinity", '"inf"')
