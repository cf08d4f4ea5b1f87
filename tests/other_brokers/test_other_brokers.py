"""Brokers that install by themselves carry a whole run; for the others see docs/brokers.md."""

from pathlib import Path

import pytest
from other_brokers.kinds import serving
from other_brokers.short_run import assert_a_short_run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["amqtt", "aedes"])
def test_a_short_run(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()
    with serving(kind, folder) as port:
        assert_a_short_run(tmp_path, port)
