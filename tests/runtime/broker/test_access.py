"""What the log says of a subscription agrees with what Mosquitto's list allows."""

import pytest

from bitarm.runtime.broker.access import ACCESS, may_read


@pytest.mark.parametrize(
    "topic",
    ["bitarm/v2/+/gw-1/request", "bitarm/v2/lab/gw-1/run", "bitarm/v2/lab/learner/status"],
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
    assert len(rules) == 14
    assert not any("#" in rule for rule in rules)
