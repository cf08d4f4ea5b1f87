"""Choosing a gateway from measurements that are there already.

    python examples/gateway_from_recordings.py

Each list is what one gateway measured, packet after packet: here the share of a packet's fragments
that came through. bitarm reads no more of them than it needs, and says what reading them over a
thin link would have cost. In a notebook, `result` is a table and `result.plot()` a picture.
"""

import random

import bitarm

PACKETS = 4000


def recordings() -> dict[str, list[float]]:
    """What you would read from a file or a table: `pandas.read_csv(...)` will do as it is."""
    rng = random.Random(7)
    quality = {"harbour": 0.71, "church": 0.78, "silo": 0.93, "depot": 0.66}
    return {
        name: [sum(rng.random() < share for _ in range(8)) / 8 for _ in range(PACKETS)]
        for name, share in quality.items()
    }


def main() -> None:
    """Name the gateway, or say how far the recordings carry."""
    result = bitarm.identify(recordings(), delta=0.01, bounds=(0, 1), seed=1)
    if result.best_arm_name is not None:
        print(f"best gateway: {result.best_arm_name}, wrong at most once in {1 / 0.01:.0f} times")
    else:
        print(f"not decided: {result.leader_name} leads, {', '.join(result.excluded)} are out")
    read = 100 * result.samples / (4 * PACKETS)
    print(f"{read:.0f} % of the packets were looked at, {result.payload_bits} bits would be sent")


if __name__ == "__main__":
    main()
