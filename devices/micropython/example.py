"""An arm at a desk: frames come and go as lines of hexadecimal digits, and its sensor is a coin.

    python -u example.py 0.7 kept-

Heads in 7 of 10 tosses; remembered in the files kept-0 and kept-1. On a board put your radio and
your sensor in place of the lines and the coin; files are there already, or two pages of flash.
Each line in is a frame. Each line out is the frame to send; or - if there is none; or what was
wrong.
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
        """Keep it; OSError if that fails. A file that is closed is kept by the file systems of
        boards; elsewhere it also takes os.fsync.
        """
        with open(self.prefix + str(slot), "wb") as file:
            file.write(content)


def served(agent: Agent, line: str, mean: float) -> str:
    """What to say to a line: the frame to send, or what was wrong."""
    try:
        reply = agent.receive(bytes.fromhex(line.strip()))
        while not reply and agent.wanted:
            reply = agent.observe(UNIT if random.random() < mean else 0)
    except ValueError:
        return "a line that is no frame"
    except Refusal as refusal:
        return ": ".join(refusal.args)  # nothing has changed
    except OSError as error:
        return "not kept: " + str(error)  # it tries again when it is asked again
    return reply.hex() if reply else "-"


def main() -> None:
    """Serve the lines of the input."""
    if len(sys.argv) != 3:
        sys.exit("usage: example.py MEAN PREFIX, as in: example.py 0.7 kept-")
    mean = float(sys.argv[1])
    agent = Agent(Files(sys.argv[2]), fraction=16, low=0, high=UNIT)
    random.seed(int(mean * 1000))
    for line in sys.stdin:
        print(served(agent, line, mean))


if __name__ == "__main__":
    main()
