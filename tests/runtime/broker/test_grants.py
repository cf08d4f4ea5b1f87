"""Rights beside the rules for all: written, read, and refused where they would undo the rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.errors import ConfigError
from bitarm.runtime.broker.grants import Grant, Right, read_grants, write_grants

_LEVELS = st.text("abc-_ é", min_size=1).map(lambda text: f"s{text}s") | st.just("+")
_TOPICS = st.builds(
    lambda first, rest: "/".join([f"s{first}", *rest]), st.text("abc"), st.lists(_LEVELS)
)
_GRANTS = st.builds(
    Grant,
    user=st.sampled_from(["gw-1", "gw-2", "probe"]),
    right=st.sampled_from(Right),
    topic=_TOPICS,
)


@given(st.lists(_GRANTS, unique=True))
def test_what_is_written_is_read(grants: list[Grant]) -> None:
    assert set(read_grants(write_grants(grants))) == set(grants)


@pytest.mark.parametrize(
    "topic",
    [
        "bitarm/v2/lab/gw-2/request",
        "bitarm",
        "#",
        "+/v2/lab/gw-2/request",
        "/sensors",
        "$SYS/broker",
        "",
    ],
)
def test_bitarm_s_own_topics_are_not_granted(topic: str) -> None:
    with pytest.raises(ConfigError, match="rules of their own"):
        Grant(user="gw-1", right=Right.READ, topic=topic)


@pytest.mark.parametrize("topic", ["sensors/a\nuser learner", "sensors/ ", "sensors/#/x", "s/a+"])
def test_a_topic_that_is_no_filter_is_refused(topic: str) -> None:
    with pytest.raises(ConfigError, match=r"topic|levels"):
        Grant(user="gw-1", right=Right.READ, topic=topic)


@pytest.mark.parametrize(
    "text",
    ["topic read sensors/x", "user gw-1\ntopic sensors/x", "user gw-1\npattern read s/%u", "gw-1"],
)
def test_a_line_that_is_no_grant_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"line \d of grants"):
        read_grants(text)


def test_comments_and_empty_lines_are_passed_over() -> None:
    text = "# the cellar\n\nuser gw-1\n\ntopic read sensors/cellar\n"
    assert read_grants(text) == (Grant(user="gw-1", right=Right.READ, topic="sensors/cellar"),)
