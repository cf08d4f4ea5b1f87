"""Planning for LoRaWAN: what will it cost in air time to find the best of six sites?

    python examples/planning_for_lorawan.py

On this link a report of 1 bit and one of 16 take the same frame, so messages are what costs. A pull
costs a little too: with air time alone, the cheapest plan is to measure for ever and report once.
"""

import bitarm


def main() -> None:
    """Plan with a guess of the gaps; a wrong guess costs air time, never the guarantee."""
    plan = bitarm.plan(
        6,
        gap=0.2,
        delta=0.05,
        bounds=(0, 1),
        link="lorawan-eu868-dr0",
        per_frame_unit=1.0,  # a second of air time
        per_pull=0.02,
        seed=1,
    )
    expected = plan.figures
    print(f"use {plan.setting.describe()}")
    print(
        f"expect {expected.samples.mean:,.0f} measurements, {expected.rounds.mean:.0f} rounds, "
        f"{expected.payload_bits.mean:.0f} payload bits"
    )
    print("then run it: bitarm.identify(sites, bounds=(0, 1), **plan.words)")


if __name__ == "__main__":
    main()
