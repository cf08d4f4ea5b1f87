"""bitarm: find the best of many options when every bit has a price.

    identify                 run now: functions, arrays, columns or generators
    simulate                 what a setting costs on average, and how often it is wrong
    plan                     before a deployment: the setting of least expected cost
    load_problem             a problem file, for `identify_problem` and `plan_problem`
    setup, Learner, Agent    ask and tell: the machines, for a loop of your own

`Identification` (a `RunResult`), `Simulation`, `Plan` and `Problem` are what these return; every
error that they raise on purpose is a `BitarmError`. The names are loaded when they are first used,
so that an agent on a small machine imports only the core.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitarm.api.identification import Identification
    from bitarm.api.identify import identify, identify_problem
    from bitarm.api.problem import Problem, load_problem
    from bitarm.api.scheme import setup
    from bitarm.api.simulate import Simulation, simulate
    from bitarm.core.agent import Agent
    from bitarm.core.learner import Learner
    from bitarm.core.result import RunResult
    from bitarm.errors import BitarmError
    from bitarm.planner.plan import Plan, plan, plan_problem

_HOMES = {
    "Agent": "bitarm.core.agent",
    "BitarmError": "bitarm.errors",
    "Identification": "bitarm.api.identification",
    "Learner": "bitarm.core.learner",
    "Plan": "bitarm.planner.plan",
    "Problem": "bitarm.api.problem",
    "RunResult": "bitarm.core.result",
    "Simulation": "bitarm.api.simulate",
    "identify": "bitarm.api.identify",
    "identify_problem": "bitarm.api.identify",
    "load_problem": "bitarm.api.problem",
    "plan": "bitarm.planner.plan",
    "plan_problem": "bitarm.planner.plan",
    "setup": "bitarm.api.scheme",
    "simulate": "bitarm.api.simulate",
}
_SIMULATED = ("bitarm.api.simulate", "bitarm.planner.plan")  # these need an extra

__version__ = "0.2.0"
__all__ = [
    "Agent",
    "BitarmError",
    "Identification",
    "Learner",
    "Plan",
    "Problem",
    "RunResult",
    "Simulation",
    "__version__",
    "identify",
    "identify_problem",
    "load_problem",
    "plan",
    "plan_problem",
    "setup",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bitarm' has no attribute {name!r}")
    home = _HOMES[name]
    if home in _SIMULATED:
        import_module("bitarm.api.extras").require("numba", extra="sim", what=f"bitarm.{name}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
