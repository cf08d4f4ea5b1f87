"""A class A device: it speaks, then it listens twice for a moment, and sleeps.

It knows nothing of a run. Whoever waits says its last report again, or an empty frame before the
first: so a report that was lost comes again, and nobody needs another frame to say "I have time".
Whoever gave up waits for nothing: it says so a few times, and then once a day.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, final

from lorawan.region import Region

from bitarm import wire
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.epochs import split_field
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Answer, Dismiss, Request
from bitarm.core.question import BEATEN

_MOST_WAITS = 8
_DAY = 86400.0

Rewards = Callable[[int], Sequence[float]]


class Arm(Protocol):
    """What a device says to what it hears."""

    @property
    def pulls(self) -> int:
        """Rewards so far."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it was dismissed."""
        ...

    @property
    def has_given_up(self) -> bool:
        """Whether it said that it is beaten."""
        ...

    def hear(self, frame: bytes) -> bytes | None:
        """Pull what a frame asks for; the frame to be sent then, if there is one."""
        ...


@final
class CoreArm:
    """The agent of the core."""

    def __init__(self, rewards: Rewards, *, most_bits: int) -> None:
        self._rewards, self._most_bits = rewards, most_bits
        self._agent: Agent | None = None

    @property
    def pulls(self) -> int:
        return 0 if self._agent is None else self._agent.state.pulls

    @property
    def is_over(self) -> bool:
        return self._agent is not None and self._agent.state.phase is AgentPhase.DISMISSED

    @property
    def has_given_up(self) -> bool:
        if self._agent is None:
            return False
        question, symbol = self._agent.state.question, self._agent.state.symbol
        return question is not None and isinstance(question.task, Challenge) and symbol == BEATEN

    def hear(self, frame: bytes) -> bytes | None:
        (message,) = wire.decode(frame)
        assert isinstance(message, Request | Dismiss)
        if self._agent is None:
            run, _ = split_field(message.run)
            self._agent = Agent(run, message.arm, most_bits=self._most_bits)
        answers = self._work(self._agent, self._agent.receive(message))
        return wire.encode(answers[0]) if answers else None

    def _work(self, agent: Agent, answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
        while agent.wanted or agent.is_looking:
            if agent.is_looking:
                answers = agent.look()
                continue
            rewards = list(self._rewards(agent.wanted))
            answers = agent.observe(len(rewards), sum(rewards), rewards)
        return answers


@final
class Device:
    """One arm; times are in seconds.

    A reward takes `pull_seconds`; who waits speaks again after `every`, then after twice that, up
    to eight times. `repeats` says whether it then says its last report again, or nothing. That it
    gave up it says `concessions` times so, and then every `rest` seconds.
    """

    def __init__(
        self,
        eui: str,
        arm: Arm,
        region: Region,
        *,
        every: float,
        pull_seconds: float,
        repeats: bool = True,
        concessions: int = 4,
        rest: float = _DAY,
    ) -> None:
        self.eui, self.arm, self.region = eui, arm, region
        self._every, self._pull_seconds = every, pull_seconds
        self._repeats, self._concessions, self._rest = repeats, concessions, rest
        self._report = b""
        self._told = 0  # how often that was sent since it was made
        self._waits = 1  # in units of `every`
        self._quiet_until = 0.0  # by the duty cycle
        self.speaks_at = 0.0
        self.uplinks: list[int] = []  # bytes of each
        self.heard = 0  # downlinks

    @property
    def is_resting(self) -> bool:
        """Whether it gave up, and has said so as often as it does without a rest."""
        return self._told >= self._concessions and self.arm.has_given_up

    def speak(self, now: float) -> bytes:
        """The frame of an uplink that begins now; its windows come after its end."""
        is_due = self._repeats or not self._told or self.arm.has_given_up
        frame = self._report if is_due else b""
        self._told += 1
        assert len(frame) <= self.region.up.max_bytes
        assert now >= self._quiet_until
        self.uplinks.append(len(frame))
        seconds, duty = self.region.up_seconds(len(frame)), self.region.up.duty_cycle
        self._quiet_until = now + (seconds / duty if duty else seconds)
        wait = self._rest if self.is_resting else self._waits * self._every
        self.speaks_at = max(now + wait, self._quiet_until)
        self._waits = min(2 * self._waits, _MOST_WAITS)
        return frame

    def hear(self, frame: bytes, now: float) -> None:
        """A downlink in one of the windows."""
        self.heard += 1
        self._waits = 1
        before = self.arm.pulls
        report = self.arm.hear(frame)
        if report is not None:
            self._report, self._told = report, 0
        busy = (self.arm.pulls - before) * self._pull_seconds
        self.speaks_at = max(now + busy, self._quiet_until)

    def forget(self, arm: Arm) -> None:
        """Begin anew, with another arm in place of the one that remembers."""
        self.arm, self._report, self._told = arm, b"", 0
