"""What the dashboard's tests share: a store with runs in it, and a client without a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard.stores import PAPER, identify_into, open_run_in
from starlette.testclient import TestClient

from bitarm.dashboard.app import create_app


@pytest.fixture(scope="session")
def decided_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run 1 decided, run 2 stopped by a limit, run 3 cut off in its third round.

    They run the paper's scheme, or QuBan in its place.
    """
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    identify_into(path, seed=1, **PAPER)
    identify_into(path, seed=2, quantizer="quban", width="paper", max_rounds=4)
    open_run_in(path, rounds=3)
    return path


@pytest.fixture(scope="session")
def judged_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run 1 decided by the default scheme, in which arms give up."""
    path = tmp_path_factory.mktemp("judged") / "runs.sqlite"
    identify_into(path, seed=1)
    return path


@pytest.fixture
def client(decided_store: Path) -> Iterator[TestClient]:
    with client_of(decided_store) as it:
        yield it


def client_of(store: Path, token: str | None = None) -> TestClient:
    """A client on the loopback name."""
    return TestClient(create_app(store, token=token, pace=0.02), base_url="http://localhost")
