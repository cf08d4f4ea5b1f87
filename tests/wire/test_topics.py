"""Names in topics: what may stand there, and whose topic is whose."""

import pytest

from bitarm.errors import ConfigError
from bitarm.wire.topics import AgentTopic, Subject, Topics, agent_for, check_agent, check_name


def test_a_topic_is_taken_apart_as_it_was_put_together() -> None:
    topics = Topics("lab")
    for subject in Subject:
        assert topics.read(topics.of("gw-1", subject)) == AgentTopic("gw-1", subject)
    assert topics.of("gw-1", Subject.RUN) == "bitarm/v2/lab/gw-1/run"


@pytest.mark.parametrize(
    "topic",
    [
        "bitarm/v2/lab/run",
        "bitarm/v2/other/gw-1/report",
        "bitarm/v1/lab/gw-1/report",
        "bitarm/v2/lab/gw-1/report/more",
        "bitarm/v2/lab/gw-1/command",
        "",
    ],
)
def test_what_is_no_agent_s_topic_of_the_run(topic: str) -> None:
    assert Topics("lab").read(topic) is None


@pytest.mark.parametrize(
    "name", ["", "+", "a/b", "#", "-a", "ä", "a b", "a:b", "..", "x" * 65, "a\n"]
)
def test_names_that_a_topic_or_a_file_could_not_hold_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="must be 1 to 64 letters"):
        check_name("the name of a run", name)


def test_the_learner_s_name_is_taken() -> None:
    with pytest.raises(ConfigError, match="no agent may be called learner"):
        check_agent("learner")


@pytest.mark.parametrize(
    ("arm", "agent"),
    [("water tower", "water-tower"), ("2.0.0", "2.0.0"), ("Größe", "Gr-e"), ("++", "arm-4")],
)
def test_an_arm_s_name_made_safe(arm: str, agent: str) -> None:
    assert agent_for(arm, 4) == agent
