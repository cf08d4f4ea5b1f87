"""A whole run at a desk: the real learner, and arms behind programs that speak lines.

    python desk.py "./arm 0.5 a-" "./arm 0.7 b-" "./arm 0.4 c-"

Each program reads a frame a line, in hexadecimal digits, and answers each with a line: the frame
that it sends, or `-`. So does a board on a serial line, behind `socat - /dev/ttyACM0,raw,echo=0`.
Needs bitarm, and files or flash that are erased: an agent never mixes the rewards of two runs.
"""

import contextlib
import os
import shlex
import subprocess
import sys
from collections import deque
from typing import final

from bitarm import wire
from bitarm.api.scheme import build
from bitarm.core.learner import Learner
from bitarm.core.messages import Dismiss, Position, Report, Request
from bitarm.errors import BitarmError, PeerProtocolError


@final
class Board:
    """An arm behind a program."""

    def __init__(self, command: str) -> None:
        self._command = command
        try:
            self._process = subprocess.Popen(
                shlex.split(command) or [command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        except (OSError, ValueError) as error:
            raise SystemExit(f"{command!r} is no program that can be started: {error}") from None

    def ask(self, frame: bytes) -> bytes | None:
        """The frame that it answers with, if any."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, and says nothing below
            print(frame.hex(), file=self._process.stdin, flush=True)
        said = self._process.stdout.readline()
        if not said:
            raise SystemExit(f"{self._command!r} has ended, and the run has not; {_HINT}")
        try:
            return None if said.strip() == "-" else bytes.fromhex(said)
        except ValueError:
            problem = f"{self._command!r} does not take the frame {frame.hex()}: {said.strip()}"
            raise SystemExit(f"{problem}; {_HINT}") from None

    def off(self) -> None:
        """End its input, and wait for its end."""
        self._process.communicate()


_HINT = "if it served another run before, erase what it remembers"


def _taken(learner: Learner, reply: bytes, command: str) -> tuple[Request | Dismiss, ...]:
    """What the learner says to a frame."""
    try:
        answer = wire.decode(reply)[0]
        if not isinstance(answer, Report | Position):
            raise PeerProtocolError("neither a report nor a position")
        return learner.receive(answer).messages
    except BitarmError as error:
        raise SystemExit(f"{command!r} sends the frame {reply.hex()}: {error}") from None


def main() -> None:
    """Run the commands as arms, and tell which is best."""
    commands = sys.argv[1:]
    scheme = {"quantizer": "dyadic", "policy": "challenge"}
    problem = {"bounds": (0.0, 1.0), "delta": 0.05}
    seed = int.from_bytes(os.urandom(4), "big")  # names the run
    try:
        setup = build(tuple(commands), seed=seed, problem=problem, scheme=scheme, limits={})
    except BitarmError as error:
        raise SystemExit(f"{error}; give a command for each arm") from None
    learner, boards = Learner(setup), [Board(command) for command in commands]
    waiting = deque(learner.start().messages)
    while waiting:
        message = waiting.popleft()
        reply = boards[message.arm].ask(wire.encode(message))
        if reply is not None:
            waiting.extend(_taken(learner, reply, commands[message.arm]))
    for board in boards:
        board.off()
    end = learner.ending
    assert end is not None
    best = "none" if end.best_arm is None else commands[end.best_arm]
    print(f"best: {best}; {end.rounds} rounds, {end.payload_bits} bits")


if __name__ == "__main__":
    main()
