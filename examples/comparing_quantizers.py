"""Comparing quantizers on the same rewards: what do fewer bits cost in samples?

    python examples/comparing_quantizers.py [curves.png]

Every setting sees the same thousand trials, so that differences are those of the settings.
"""

import sys

import bitarm
from bitarm.sim.models import Bernoulli


def main() -> None:
    """Print a line for each quantizer, and draw a picture if a file is named."""
    arms = [Bernoulli(mean=mean) for mean in (0.8, 0.6, 0.5, 0.4)]
    found = bitarm.simulate(
        arms,
        trials=1000,
        seed=1,
        policy="se",
        quantizer=["exact", "icq", "quban", "dicq"],
        delta=[0.1, 0.01],
        bounds=(0, 1),
    )
    for row in found.rows():
        print(
            f"{row['quantizer']:6} delta {row['delta']:<5} {row['samples_mean']:7,.0f} samples "
            f"(99 %: {row['samples_p99']:,}), {row['payload_bits_mean']:7,.1f} bits, "
            f"wrong {row['error_rate_value']:.3f}"
        )
    if len(sys.argv) > 1:
        found.plot().savefig(sys.argv[1], dpi=150)


if __name__ == "__main__":
    main()
