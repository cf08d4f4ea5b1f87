"""Core, wire and store with nothing installed: Python's own library and this package's source."""

import subprocess
import sys
from pathlib import Path

from loopback import PATIENCE

import bitarm.core

_SOURCE = Path(bitarm.core.__file__).parents[2]

_PRELUDE = f"""
import importlib, pkgutil, sys
sys.path.append({str(_SOURCE)!r})

def modules_of(name):
    package = importlib.import_module(name)
    yield name
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        yield module.name
"""

_IMPORT_ALL = """
import bitarm
import bitarm.errors
found = []
for layer in ("core", "wire", "store", "theory"):
    names = list(modules_of("bitarm." + layer))
    for name in names:
        importlib.import_module(name)
    found.append(len(names))
ours = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(min(found) > 1, sorted(ours - {"__main__"}))
"""

_IMPORT_INSTALLED = """
for name in ("numpy", "pytest", "typer"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        print(name, "is not there")
"""

_RUN = """
import random
from bitarm.core.setup import Setup
from bitarm.core.agent import Agent
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.rewards import collect
from bitarm.core.schedule import paper_schedule
from bitarm.core.spec import RunSpec

bounds, means = (0.0, 1.0), (0.2, 0.8, 0.5)
spec = RunSpec(
    arms=("a", "b", "c"), delta=0.01, sigma=0.5, bounds=bounds,
    quantizer=Icq(bits=2, prior="midpoint"), width="paper", schedule=paper_schedule(2.0),
    priors=(), seed=5,
)
learner = Learner(Setup(spec=spec, policy=SuccessiveElimination(), limits=Limits(samples=10**6)))
agents = [Agent(learner.run, arm) for arm in range(3)]
draw = random.Random(5)
waiting = list(learner.start().messages)
while waiting:
    message = waiting.pop(0)
    agent = agents[message.arm]
    reports = list(agent.receive(message))
    if agent.wanted:
        rewards = [float(draw.random() < means[message.arm]) for _ in range(agent.wanted)]
        batch = collect(rewards, bounds, clip=False)
        reports += agent.observe(batch.count, batch.total)
    for report in reports:
        waiting += learner.receive(report).messages
ending = learner.ending
print(ending.outcome.value, ending.best_arm, ending.guarantee)
"""


def _bare(script: str) -> str:
    """What `script` prints in a Python without site-packages, environment or user directory."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", _PRELUDE + script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_installed_can_be_imported_there() -> None:
    assert _bare(_IMPORT_INSTALLED).splitlines() == [
        f"{name} is not there" for name in ("numpy", "pytest", "typer")
    ]


def test_every_module_of_core_wire_and_store_can() -> None:
    assert _bare(_IMPORT_ALL) == "True ['bitarm']"


def test_a_run_is_decided_there() -> None:
    assert _bare(_RUN) == "decided 1 0.01"
