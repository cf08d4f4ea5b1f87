"""An arm at a desk: frames come and go as lines of hexadecimal digits, and its sensor is a coin.

    python -u devices/micropython/example.py 0.7 kept-

Heads in 7 of 10 tosses; remembered in the files kept-0 and kept-1. On a board put your radio and
your sensor in place of the lines and the coin; files are there already, or two pages of flash.
"""

import random
import sys

from bitarm_agent import Agent, Refusal

UNIT = 1 << 16  # rewards are whole numbers of 2^-16


class Files:
    """Two files, as on a board with a file system."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def read(self, slot: int) -> bytes:
        """What was written there; nothing if nothing was."""
        try:
            with open(self.prefix + str(slot), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def write(self, slot: int, content: bytes) -> None:
        """Keep it; OSError if that fails."""
        with open(self.prefix + str(slot), "wb") as file:
            file.write(content)


def served(agent: Agent, frame: bytes, mean: float) -> str:
    """The frame to send, as digits; or - if there is none; or what was wrong."""
    try:
        reply = agent.receive(frame)
        while not reply and agent.wanted:
            reply = agent.observe(UNIT if random.random() < mean else 0)
    except Refusal as refusal:
        return str(refusal)  # nothing has changed
    return reply.hex() if reply else "-"


def main() -> None:
    """Serve the lines of the input."""
    agent = Agent(Files(sys.argv[2]), fraction=16, low=0, high=UNIT)
    mean = float(sys.argv[1])
    random.seed(int(mean * 1000))
    for line in sys.stdin:
        print(served(agent, bytes.fromhex(line.strip()), mean))


if __name__ == "__main__":
    main()
