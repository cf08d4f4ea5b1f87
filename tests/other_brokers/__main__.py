"""`python -m tests.other_brokers rabbitmq …`: a short run over each, and how it behaves.

See docs/brokers.md. Without names: over all of them.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from other_brokers.habits import habits
from other_brokers.kinds import KINDS, serving
from other_brokers.short_run import assert_a_short_run


def main(kinds: list[str]) -> None:
    """Some lines for each broker; fails with what went wrong."""
    for kind in kinds:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "broker").mkdir()
            with serving(kind, folder / "broker") as port:
                began = time.monotonic()
                result = assert_a_short_run(folder, port)
                seconds = time.monotonic() - began
                found = habits(port)
        print(f"{kind}: {result['outcome']}, {result['samples']} samples, {seconds:.1f} s")
        for name, habit in found.items():
            print(f"  {name}: {habit}")


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(KINDS)
    if unknown:
        sys.exit(f"no such broker: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    main(sys.argv[1:] or list(KINDS))
