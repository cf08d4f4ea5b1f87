"""A class A device: it speaks, then it listens twice for a moment, and sleeps.

It knows nothing of a run. Whoever waits says its last report again, or an empty frame before the
first: so a report that was lost comes again, and nobody needs another frame to say "I have time".
"""

from collections.abc import Callable, Sequence
from typing import final

from lorawan.region import Region

from bitarm import wire
from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.epochs import split_field
from bitarm.core.messages import Answer, Dismiss, Request
from bitarm.wire.frames.short import most_symbol_bits

_MOST_WAITS = 8

Rewards = Callable[[int], Sequence[float]]


@final
class Device:
    """One arm; times are in seconds.

    A reward takes `pull_seconds`; who waits speaks again after `every`, then after twice that, up
    to eight times. `repeats` says whether it then says its last report again, or nothing.
    """

    def __init__(
        self,
        eui: str,
        rewards: Rewards,
        region: Region,
        *,
        every: float,
        pull_seconds: float,
        repeats: bool = True,
    ) -> None:
        self.eui, self.region = eui, region
        self._rewards, self._every, self._pull_seconds = rewards, every, pull_seconds
        self._repeats = repeats
        self._agent: Agent | None = None
        self._report = b""
        self._is_told = False  # whether that was sent since it was made
        self._waits = 1  # in units of `every`
        self._quiet_until = 0.0  # by the duty cycle
        self.speaks_at = 0.0
        self.uplinks: list[int] = []  # bytes of each
        self.heard = 0  # downlinks

    @property
    def is_over(self) -> bool:
        return self._agent is not None and self._agent.state.phase is AgentPhase.DISMISSED

    def speak(self, now: float) -> bytes:
        """The frame of an uplink that begins now; its windows come after its end."""
        frame = self._report if self._repeats or not self._is_told else b""
        self._is_told = True
        assert len(frame) <= self.region.up.max_bytes
        assert now >= self._quiet_until
        self.uplinks.append(len(frame))
        seconds, duty = self.region.up_seconds(len(frame)), self.region.up.duty_cycle
        self._quiet_until = now + (seconds / duty if duty else seconds)
        self.speaks_at = max(now + self._waits * self._every, self._quiet_until)
        self._waits = min(2 * self._waits, _MOST_WAITS)
        return frame

    def hear(self, frame: bytes, now: float) -> None:
        """A downlink in one of the windows."""
        self.heard += 1
        self._waits = 1
        for message in wire.decode(frame):
            assert isinstance(message, Request | Dismiss)
            run, _ = split_field(message.run)
            if self._agent is None:
                bits = most_symbol_bits(self.region.up.max_bytes)
                self._agent = Agent(run, message.arm, most_bits=bits)
            before = self._agent.state.pulls
            for answer in self._work(self._agent, self._agent.receive(message)):
                self._report, self._is_told = wire.encode(answer), False
            busy = (self._agent.state.pulls - before) * self._pull_seconds
            self.speaks_at = max(now + busy, self._quiet_until)

    def _work(self, agent: Agent, answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
        while agent.wanted or agent.is_looking:
            if agent.is_looking:
                answers = agent.look()
                continue
            rewards = list(self._rewards(agent.wanted))
            answers = agent.observe(len(rewards), sum(rewards), rewards)
        return answers
