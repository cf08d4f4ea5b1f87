"""Brokers of other makers carry a whole run.

Two come with the packages that all tests need. RabbitMQ takes part where it is installed, and
`make test-brokers` installs it: Erlang is too large to be fetched for one test.
"""

from pathlib import Path

import pytest
from other_brokers.kinds import RABBITMQ, serving
from other_brokers.short_run import assert_a_short_run

pytestmark = pytest.mark.slow

INSTALLED = ["amqtt", "aedes", *(["rabbitmq"] if RABBITMQ.exists() else [])]


@pytest.mark.parametrize("kind", INSTALLED)
def test_a_short_run(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()
    with serving(kind, folder) as port:
        assert_a_short_run(tmp_path, port)
