"""The choice of parameters: each set of constants has kernels of its own."""

import subprocess
import sys
from pathlib import Path

_SCRIPTS = Path(__file__).parents[2] / "scripts"
_PROGRAM = """
import sys
import tune_challenge
from bitarm.sim.kernels import challenge

numbers = [challenge.SOURCES_NUMBER]
for name, value in (pair.split("=") for pair in sys.argv[1:]):
    tune_challenge.set_constant(name, float(value))
    numbers.append(challenge.SOURCES_NUMBER)
print(*numbers)
"""


def _numbers(*settings: str) -> list[str]:
    """What compiled kernels are looked for by, before and after each setting."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *settings],
        env={"PYTHONPATH": str(_SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_two_constants_are_other_sources_than_the_last_of_them_alone() -> None:
    usual, one, both = _numbers("MANY=0.25", "SHORT=2.8")
    assert len({usual, one, both, _numbers("SHORT=2.8")[-1]}) == 4
