"""One broker for all tests of a module that only talk to it."""

from collections.abc import Iterator

import pytest
from runtime.broker.lab import Lab, running_lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A broker with two agents and a learner."""
    with running_lab(tmp_path_factory.mktemp("lab"), "gw-1", "gw-2") as running:
        yield running
