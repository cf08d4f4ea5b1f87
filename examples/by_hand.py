"""Learner and agents driven by hand: ask, measure, tell. No thread, no socket, no clock.

    python examples/by_hand.py

Replace `measure` by your instrument and the two queues by your radio.
"""

import math
import random
from collections import deque

import bitarm


def main() -> None:
    """Find the best of three antennas."""
    rng = random.Random(5)
    names, quality = ["north", "south", "roof"], [0.55, 0.4, 0.8]

    def measure(arm: int) -> float:
        return min(max(rng.gauss(quality[arm], 0.1), 0.0), 1.0)

    learner = bitarm.Learner(bitarm.setup(names, delta=0.05, bounds=(0, 1), seed=1))
    agents = [bitarm.Agent(learner.run, arm) for arm in range(len(names))]
    inbox = deque(learner.start().messages)
    while inbox:
        message = inbox.popleft()  # a question to one agent, or its dismissal
        agent = agents[message.arm]
        answers = list(agent.receive(message))
        while agent.wanted or agent.is_looking:
            if agent.is_looking:  # it weighs what it has, and may stop by itself
                answers += agent.look()
            else:
                rewards = [measure(message.arm) for _ in range(agent.wanted)]
                answers += agent.observe(len(rewards), math.fsum(rewards), rewards)
        for answer in answers:
            inbox.extend(learner.receive(answer).messages)

    ending = learner.ending
    if ending is not None and ending.best_arm is not None:
        best = names[ending.best_arm]
        print(f"{best} after {ending.samples} samples and {ending.payload_bits} bits")


if __name__ == "__main__":
    main()
