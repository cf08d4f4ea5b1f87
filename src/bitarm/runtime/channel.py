"""The embedded channel: real frames between a learner and its agents, in one process's memory."""

from collections import deque
from typing import final

from bitarm import wire
from bitarm.core.events import TrafficMeasured
from bitarm.core.messages import Answer, Dismiss, Message, Request


@final
class MemoryChannel:
    """Two queues of bytes, and a meter on each.

    What goes in is encoded, what comes out was decoded: nothing but frames passes through.
    """

    def __init__(self) -> None:
        self._up: deque[bytes] = deque()
        self._down: deque[bytes] = deque()
        self._payload_bytes = 0
        self._up_bytes = 0
        self._down_bytes = 0

    def send_down(self, message: Request | Dismiss) -> None:
        """Learner to agent."""
        frame = wire.encode(message)
        self._down_bytes += len(frame)
        self._down.append(frame)

    def send_up(self, answer: Answer) -> None:
        """Agent to learner."""
        frame = wire.encode(answer)
        self._up_bytes += len(frame)
        self._payload_bytes += wire.payload_bytes((answer,))
        self._up.append(frame)

    def receive_down(self) -> tuple[Message, ...]:
        """What the next frame says to an agent; nothing if none is on its way."""
        return wire.decode(self._down.popleft()) if self._down else ()

    def receive_up(self) -> tuple[Message, ...]:
        """What the next frame says to the learner; nothing if none is on its way."""
        return wire.decode(self._up.popleft()) if self._up else ()

    def measured(self) -> TrafficMeasured:
        """What has passed so far."""
        return TrafficMeasured(
            payload_bytes=self._payload_bytes,
            wire_bytes_up=self._up_bytes,
            wire_bytes_down=self._down_bytes,
        )
