"""Where messages travel: the topics of a run, and which names may stand in them.

    bitarm/v2/{run}/{agent}/run          learner to agent, retained: which arms it serves
    bitarm/v2/{run}/{agent}/request      learner to agent: frames
    bitarm/v2/{run}/{agent}/report       agent to learner: frames
    bitarm/v2/{run}/{agent}/status       agent, retained, also its last will: small JSON
    bitarm/v2/{run}/learner/status       learner, the same: whether the run has one
    bitarm/v2/{run}/learner/end          learner, retained: the run is over, and how it ended
    bitarm/v2/{run}/learner/request      anybody with a learner's rights: is there a learner?

`{run}` is a name that a person gives to both sides; frames carry a name of their own, which tells
runs apart that are repeated under it.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.errors import ConfigError

ROOT = "bitarm/v2"
LEARNER = "learner"
"""The learner's place among the agents: its status says whether a run has a learner."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Subject(Enum):
    """What is said on an agent's topic."""

    RUN = "run"
    REQUEST = "request"
    REPORT = "report"
    STATUS = "status"
    END = "end"  # the learner's alone: no last will goes there, so it stays as it was said


_SUBJECTS = {subject.value for subject in Subject}


@final
@dataclass(frozen=True, slots=True)
class AgentTopic:
    """A topic of one agent, taken apart."""

    agent: str
    subject: Subject


@final
@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one run."""

    run: str

    def of(self, agent: str, subject: Subject) -> str:
        """A topic of one agent; "+" for those of all."""
        return f"{ROOT}/{self.run}/{agent}/{subject.value}"

    def read(self, topic: str) -> AgentTopic | None:
        """Whose topic this is; None if it is no agent's topic of this run."""
        head = f"{ROOT}/{self.run}/"
        agent, slash, subject = topic.removeprefix(head).partition("/")
        if not topic.startswith(head) or not slash or subject not in _SUBJECTS:
            return None
        return AgentTopic(agent, Subject(subject))


def check_name(what: str, name: str) -> str:
    """The name, if it may stand in a topic, a user name and a file name."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{what} must be 1 to 64 letters, digits, dots, dashes or underscores, "
            f"a letter or digit first, got {name!r}"
        )
    return name


def check_agent(name: str) -> str:
    """The name, if an agent may have it."""
    if check_name("the name of an agent", name) == LEARNER:
        raise ConfigError(f"no agent may be called {LEARNER}: that is the learner's own name")
    return name


def agent_for(arm: str, number: int) -> str:
    """The agent of an arm that names none: the arm's own name, made safe."""
    name = _UNSAFE.sub("-", arm).strip("-._")[:64]
    return name if _NAME.fullmatch(name) and name != LEARNER else f"arm-{number}"
