"""Boards on a LoRaWAN: the agents of devices/, whose power fails and whose flash is full at times.

`Device` says when to speak.
"""

import random
from typing import final

from devices.benches import Bench, Reply
from devices.runs import AT_ONCE, FRACTION
from lorawan.device import Rewards

from bitarm import wire
from bitarm.core.messages import Dismiss

_MOST_PULLS = 1 << 20
_LONGEST = 400  # bytes of a write after which power may fail
_TROUBLES = 40  # after which a board has none: pulls are lost with its power, and a run must end


@final
class Board:
    """One arm behind a bench, with rewards that it can read again after its power failed."""

    def __init__(
        self,
        bench: Bench,
        number: int,
        rewards: Rewards,
        *,
        most_bits: int,
        seed: int,
        forgets: bool = False,
    ) -> None:
        """With `forgets` its flash is erased whenever its power fails, and its rewards are new."""
        self._bench, self._number, self._rewards = bench, number, rewards
        self._tape: list[int] = []
        self._draw = random.Random(f"{seed} {number}")
        self.troubles = 0
        self.pulls = 0
        self.is_over = False
        self._begin = f"new {FRACTION} 0 {1 << FRACTION} {_MOST_PULLS} {most_bits}"
        self._forgets = forgets
        self._ask(self._begin)

    @property
    def has_given_up(self) -> bool:
        return self._ask("rest").kind == "rest"

    def hear(self, frame: bytes) -> bytes | None:
        """Pull what a frame asks for; the frame to be sent then, if there is one."""
        if self._is_in_trouble(0.5):
            self._ask(self._draw.choice((f"tear {self._draw.randrange(_LONGEST)}", "full 1")))
        said = self._served(self._ask(f"hear {frame.hex()}"))
        is_dismissed = isinstance(wire.decode(frame)[0], Dismiss) and said.kind == "quiet"
        self.is_over = is_dismissed and not said.wanted
        return said.frame

    def _served(self, reply: Reply) -> Reply:
        """Pull what it wants; if power fails, go on from what it kept."""
        while True:
            if reply.kind == "dead" or (reply.wanted and self._is_in_trouble(0.2)):
                reply = self._ask(self._begin if self._forgets else "cut")
                self._tape = [] if self._forgets else self._tape
            if not reply.wanted:
                return reply
            reply = self._ask(f"give {self._read(reply.count, min(reply.wanted, AT_ONCE))}")

    def _read(self, first: int, count: int) -> str:
        while len(self._tape) < first + count:
            self._tape += [round(reward * 2**FRACTION) for reward in self._rewards(AT_ONCE)]
        return " ".join(map(str, self._tape[first : first + count]))

    def _is_in_trouble(self, chance: float) -> bool:
        happens = self.troubles < _TROUBLES and self._draw.random() < chance
        self.troubles += happens
        return happens

    def _ask(self, words: str) -> Reply:
        reply = self._bench.ask(f"{self._number} {words}")
        assert reply.kind in ("say", "quiet", "rest", "full", "dead"), reply
        self.pulls = reply.count
        return reply
