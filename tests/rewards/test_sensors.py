"""A sensor's payloads: which are rewards, and which number in them."""

import pytest

from bitarm.errors import RewardError
from bitarm.rewards.sensors import SensorFeed, read_number


def test_a_sensor_is_heard_only_while_rewards_are_wanted() -> None:
    feed = SensorFeed("/value", label="a")
    feed.offer(b'{"value": 1}')
    assert feed.take(2) == []
    feed.offer(b'{"value": 2}')
    feed.offer(b'{"value": 3.5}')
    feed.offer(b'{"value": 4}')  # one too many
    assert feed.take(2) == [2.0, 3.5]
    feed.rest()
    feed.offer(b'{"value": 5}')
    assert feed.take(1) == []


def test_a_sensor_that_says_something_else_is_an_error_of_its_own() -> None:
    feed = SensorFeed("/value", label="a")
    feed.take(1)
    feed.offer(b"warming up")
    with pytest.raises(RewardError, match="the sensor of a: a payload must be JSON, got b'warming"):
        feed.take(1)


@pytest.mark.parametrize(
    ("payload", "pointer", "number"),
    [
        (b"1.5", "", 1.5),
        (b'{"a": {"b": [1, 2]}}', "/a/b/1", 2.0),
        (b'{"a/b": {"~": 3}}', "/a~1b/~0", 3.0),
        (b'{"": 4}', "/", 4.0),
    ],
)
def test_a_pointer_finds_its_number(payload: bytes, pointer: str, number: float) -> None:
    assert read_number(payload, pointer) == number


@pytest.mark.parametrize(
    ("payload", "pointer"),
    [(b"true", ""), (b'"1"', ""), (b"[1]", "/1"), (b"[1]", "/-1"), (b"{}", "/a"), (b"NaN", ""),
     (b"1e999", ""), (b"1" + b"0" * 400, ""), (b"[" * 5000, "")],
)  # fmt: skip
def test_anything_else_is_no_reward(payload: bytes, pointer: str) -> None:
    with pytest.raises(RewardError):
        read_number(payload, pointer)
