"""What the log says of a subscription agrees with what Mosquitto's list allows."""

import pytest

from bitarm.runtime.broker.access import ACCESS, may_read


@pytest.mark.parametrize("topic", ["bitarm/v1/+/gw-1/request", "bitarm/v1/lab/spec"])
def test_an_agent_reads_its_requests_and_the_settings(topic: str) -> None:
    assert may_read("gw-1", topic)


@pytest.mark.parametrize(
    "topic", ["#", "bitarm/#", "bitarm/v1/+/+/request", "bitarm/v1/a/gw-2/request", "bitarm/v1/#"]
)
def test_an_agent_reads_nothing_else(topic: str) -> None:
    assert not may_read("gw-1", topic)


def test_the_learner_reads_what_it_asks_for() -> None:
    assert may_read("learner", "bitarm/v1/+/+/report")


def test_every_rule_names_its_topic_down_to_the_last_level() -> None:
    rules = [line for line in ACCESS.splitlines() if line.startswith(("topic", "pattern"))]
    assert len(rules) == 12
    assert not any("#" in rule for rule in rules)
