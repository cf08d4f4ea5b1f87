"""Large fleets open and run over the broker: no message grows with the number of agents."""

import resource
import threading
from contextlib import closing
from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.fleets import AgentThread
from wires.memories import MemoryKeeper

from bitarm.api.identify import run_problem
from bitarm.api.network.agent import run_agent
from bitarm.api.network.learner import run_learner
from bitarm.api.problem import Problem, parse_problem
from bitarm.core.events import ReportAccepted
from bitarm.rewards.draws import ModelSource
from bitarm.rewards.feeds import DirectFeed, RewardFeed
from bitarm.runtime.agent.service import AgentService
from bitarm.store import MemoryJournal, SqliteJournal

pytestmark = pytest.mark.slow

_HEAD = "[problem]\nbounds = [0.0, 1.0]\nsigma = 0.15\ndelta = 0.05\n[limits]\nrounds = 30\n"


def _problem(arms: int, agents: int) -> Problem:
    """One good arm among many; arms are dealt out to the agents in turn."""
    lines = [
        f'[[arm]]\nname = "site-{arm:05}"\nagent = "gw-{arm % agents}"\nsource = "beta"\n'
        f"mean = {0.9 if arm == arms // 3 else 0.2}\nconcentration = 19\n"
        for arm in range(arms)
    ]
    return parse_problem(_HEAD + "".join(lines), Path())


def _reports(journal: MemoryJournal | SqliteJournal) -> dict[tuple[int, int], tuple[int, str]]:
    (run,) = journal.runs()
    return {
        (entry.event.arm, entry.event.message): (entry.event.pulls, str(entry.event.symbol))
        for entry in journal.read(run.run)
        if isinstance(entry.event, ReportAccepted)
    }


def _in_process(problem: Problem, seed: int) -> MemoryJournal:
    journal = MemoryJournal()
    run_problem(problem, seed=seed, journal=journal)
    return journal


def test_5_000_arms_behind_10_gateways(broker: PlainBroker, tmp_path: Path) -> None:
    problem = _problem(5_000, 10)
    gateways = [
        threading.Thread(
            target=run_agent,
            args=(problem.for_agents(),),
            kwargs={
                "agent": f"gw-{number}",
                "name": "lab",
                "broker": broker.address,
                "state": tmp_path / "state",
            },
            daemon=True,
        )
        for number in range(10)
    ]
    for gateway in gateways:
        gateway.start()
    with closing(SqliteJournal.open(tmp_path / "runs.sqlite")) as journal:
        end = run_learner(problem, name="lab", broker=broker.address, journal=journal, seed=2)
        assert end.result is not None
        assert (end.result.best_arm, end.result.guarantee) == (1_666, 0.05)
        for gateway in gateways:
            gateway.join(60)
            assert not gateway.is_alive()
        assert _reports(journal) == _reports(_in_process(problem, 2))


def test_2_000_agents_of_one_arm(broker: PlainBroker, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8_192)), hard))
    problem = _problem(2_000, 2_000)
    arms = {arm.name: arm for arm in problem.arms}

    def supply(name: str, number: int, seed: int) -> RewardFeed:
        source = arms[name].rewards(number, seed, folder=problem.folder)
        assert isinstance(source, ModelSource)
        return DirectFeed(source)

    agents = AgentThread(
        broker,
        [
            AgentService(run="lab", agent=f"gw-{number}", supply=supply, keeper=MemoryKeeper())
            for number in range(2_000)
        ],
    )
    agents.start()
    journal = MemoryJournal()
    end = run_learner(problem, name="lab", broker=broker.address, journal=journal, seed=2)
    assert end.result is not None
    assert (end.result.best_arm, end.result.guarantee) == (666, 0.05)
    agents.join(120)
    assert not agents.is_alive()
    assert _reports(journal) == _reports(_in_process(problem, 2))
