"""A cluster of real Dask workers gives the numbers of one process, whatever dies on the way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from loopback import PATIENCE

from bitarm.core.limits import Limits
from bitarm.core.plain import dumps
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import TransportError
from bitarm.sim.execute import Progress, execute, run_here, run_on_cluster
from bitarm.sim.models import Bernoulli
from bitarm.sim.sweep import Sweep

pytestmark = pytest.mark.slow

_DASK = str(Path(sys.executable).with_name("dask"))
_SETUP = Setup(
    spec=RunSpec(
        arms=("a", "b"),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Icq(bits=3, prior="midpoint"),
        width="paper",
        schedule=GeometricSchedule(growth=1.2, first=2),
        priors=(),
        seed=0,
    ),
    policy=SuccessiveElimination(),
    limits=Limits(),
)
_SWEEP = Sweep(
    setups=(_SETUP,),
    models=(Bernoulli(mean=0.51), Bernoulli(mean=0.5)),
    trials=500 * 40,
    seed=5,
)


@dataclass
class Cluster:
    """A scheduler and its workers, processes all."""

    folder: Path
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def scheduler(self) -> subprocess.Popen[bytes]:
        """The process that the others talk to."""
        return self.processes[0]

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        """The processes that run chunks."""
        return self.processes[1:]

    def start(self, *words: str) -> None:
        """Add a process."""
        env = dict(os.environ) | {"DASK_CONFIG": str(self.folder)}
        log = self.folder / f"log-{len(self.processes)}"
        with log.open("wb") as file:
            self.processes.append(
                subprocess.Popen(
                    [_DASK, *words, "--no-dashboard"],
                    cwd=self.folder,
                    env=env,
                    stdout=file,
                    stderr=file,
                )
            )

    def start_scheduler(self) -> None:
        """Add the scheduler, on a free port."""
        file = self.folder / "scheduler.json"
        words = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        self.start("scheduler", *words)
        self.wait_for(file, "}")
        self.address = json.loads(file.read_text(encoding="utf-8"))["address"]

    def start_worker(self) -> None:
        """Add a worker of one thread, which nobody starts again when it dies."""
        words = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder))
        self.start("worker", self.address, *words)
        self.wait_for(self.folder / f"log-{len(self.workers)}", "Registered to")

    def wait_for(self, file: Path, text: str) -> None:
        """Wait until a file holds a text."""
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or text not in file.read_text(encoding="utf-8"):
            assert time.monotonic() < deadline, f"{file} never said {text!r}"
            assert self.processes[-1].poll() is None, f"{file} ended early"
            time.sleep(0.05)


@contextmanager
def _cluster(folder: Path, *, workers: int) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        for process in cluster.processes:
            process.kill()
            process.wait(PATIENCE)


def _text(cluster: Cluster, progress: Progress, timeout: float = PATIENCE) -> str:
    run = run_on_cluster(cluster.address, timeout=timeout)
    return dumps(tuple(execute(_SWEEP, run, store=None, progress=progress)))


@pytest.fixture(scope="module")
def expected() -> str:
    """The results of one process."""
    results = execute(_SWEEP, run_here, store=None, progress=lambda done, trials: None)
    return dumps(tuple(results))


@pytest.fixture(autouse=True)
def _settings_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask writes its settings into the user's home when it is first imported."""
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))


def test_a_worker_that_is_killed_is_survived_and_not_seen(tmp_path: Path, expected: str) -> None:
    with _cluster(tmp_path, workers=3) as cluster:

        def kill_one(done: int, trials: int) -> None:
            if done >= 2500 and cluster.workers[0].poll() is None:
                cluster.workers[0].kill()
                cluster.workers[0].wait(PATIENCE)

        assert _text(cluster, kill_one) == expected
        assert [worker.poll() for worker in cluster.workers] == [-9, None, None]


def test_workers_that_are_all_replaced_are_not_seen(tmp_path: Path, expected: str) -> None:
    """What a batch system does to a long job: its machines are taken away and others come."""
    with _cluster(tmp_path, workers=2) as cluster:

        def replace_all(done: int, trials: int) -> None:
            if done >= 2500 and len(cluster.workers) == 2:
                for worker in cluster.workers:
                    worker.kill()
                    worker.wait(PATIENCE)
                cluster.start_worker()

        assert _text(cluster, replace_all) == expected
        assert [worker.poll() for worker in cluster.workers] == [-9, -9, None]


def test_a_scheduler_that_dies_is_an_error_of_the_transport(tmp_path: Path) -> None:
    with _cluster(tmp_path, workers=2) as cluster:

        def kill_scheduler(done: int, trials: int) -> None:
            if done >= 2500 and cluster.scheduler.poll() is None:
                cluster.scheduler.kill()
                cluster.scheduler.wait(PATIENCE)

        with pytest.raises(TransportError, match=cluster.address):
            _text(cluster, kill_scheduler)


def test_a_scheduler_without_workers_is_an_error_of_the_transport(tmp_path: Path) -> None:
    begin = time.monotonic()
    with (
        _cluster(tmp_path, workers=0) as cluster,
        pytest.raises(TransportError, match=cluster.address),
    ):
        _text(cluster, lambda done, trials: None, timeout=1.0)
    assert time.monotonic() - begin < PATIENCE


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "nothing://here"])
def test_a_scheduler_that_does_not_answer_is_an_error_of_the_transport(address: str) -> None:
    begin = time.monotonic()
    run = run_on_cluster(address, timeout=0.5)
    with pytest.raises(TransportError, match=f"no Dask scheduler answers at {address}"):
        execute(_SWEEP, run, store=None, progress=lambda done, trials: None)
    assert time.monotonic() - begin < 30


def test_nobody_is_called_when_nothing_is_missing() -> None:
    assert list(run_on_cluster("tcp://127.0.0.1:1")([])) == []
