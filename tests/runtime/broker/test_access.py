"""What the log says of a subscription agrees with what Mosquitto's list allows."""

import pytest

from bitarm.runtime.broker.access import ACCESS, access_list, may_read
from bitarm.runtime.broker.grants import Grant, Right


@pytest.mark.parametrize(
    "topic",
    [
        "bitarm/v2/+/gw-1/request",
        "bitarm/v2/lab/gw-1/run",
        "bitarm/v2/lab/learner/status",
        "bitarm/v2/lab/learner/end",
    ],
)
def test_an_agent_reads_its_requests_its_run_and_whether_there_is_a_learner(topic: str) -> None:
    assert may_read("gw-1", topic)


@pytest.mark.parametrize(
    "topic",
    [
        "#",
        "bitarm/#",
        "bitarm/v2/+/+/request",
        "bitarm/v2/a/gw-2/request",
        "bitarm/v2/a/gw-2/run",
        "bitarm/v2/a/+/run",
        "bitarm/v2/a/+/status",
        "bitarm/v2/a/gw-1/status",
        "bitarm/v2/a/learner/request",
        "bitarm/v1/a/gw-1/request",
        "bitarm/v2/#",
    ],
)
def test_an_agent_reads_nothing_else(topic: str) -> None:
    assert not may_read("gw-1", topic)


def test_the_learner_reads_what_it_asks_for() -> None:
    assert may_read("learner", "bitarm/v2/+/+/report")


def test_every_rule_names_its_topic_down_to_the_last_level() -> None:
    rules = [line for line in ACCESS.splitlines() if line.startswith(("topic", "pattern"))]
    assert len(rules) == 18
    assert not any("#" in rule for rule in rules)


def test_what_was_granted_is_read_and_nothing_beside_it() -> None:
    grants = [
        Grant(user="gw-1", right=Right.READ, topic="sensors/cellar"),
        Grant(user="gw-1", right=Right.BOTH, topic="roof/+/snr"),
        Grant(user="gw-1", right=Right.WRITE, topic="out/#"),
    ]
    for topic in ("sensors/cellar", "roof/7/snr", "roof/+/snr"):
        assert may_read("gw-1", topic, grants)
        assert not may_read("gw-2", topic, grants)
        assert not may_read("gw-1", topic)
    for topic in ("sensors/attic", "sensors/#", "roof/#", "roof/7", "roof/7/snr/x", "out/x"):
        assert not may_read("gw-1", topic, grants)


def test_the_list_ends_with_what_was_granted() -> None:
    grants = (
        Grant(user="gw-1", right=Right.READ, topic="sensors/cellar"),
        Grant(user="probe", right=Right.WRITE, topic="sensors/cellar"),
    )
    assert access_list(()) == ACCESS
    assert access_list(grants).startswith(ACCESS)
    assert access_list(grants).endswith(
        "user gw-1\ntopic read sensors/cellar\nuser probe\ntopic write sensors/cellar\n"
    )
