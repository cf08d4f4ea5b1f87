"""Learner, agent and dashboard over a real broker, seen from outside while they work."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from brokers import PlainBroker
from dashboard.stores import identify_into
from e2e.processes import Field, field
from e2e.served import served
from loopback import PATIENCE, eventually, free_port
from prometheus_client.parser import text_string_to_metric_families

pytestmark = pytest.mark.slow


@pytest.fixture
def place(broker: PlainBroker, tmp_path: Path) -> Iterator[Field]:
    with field(tmp_path, broker.url) as made:
        yield made


def _figures(port: int) -> dict[str, float]:
    """What a process says of itself; nothing while it does not."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
    except urllib.error.URLError:
        return {}
    families = text_string_to_metric_families(text)
    return {sample.name: sample.value for family in families for sample in family.samples}


def _health(port: int) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_run_is_seen_from_outside(place: Field) -> None:
    learner, agent = free_port(), free_port()
    place.start_learner("--metrics", str(learner))
    eventually(lambda: _figures(learner).get("bitarm_connected") == 1, "the learner")
    alone = _figures(learner)
    assert (alone["bitarm_agents"], alone["bitarm_agents_present"]) == (3, 0)
    assert _health(learner)[0] == 200
    place.start_agent("north", "--metrics", f"127.0.0.1:{agent}")
    eventually(lambda: _figures(learner)["bitarm_agents_present"] == 1, "the first agent")
    eventually(lambda: _figures(learner)["bitarm_reports_total"] >= 1, "its report")
    seen = _figures(learner)
    assert seen["bitarm_rounds_total"] == 1
    assert seen["bitarm_payload_bits_total"] >= 1
    assert seen["bitarm_journal_bytes"] >= place.store.stat().st_size > 0
    assert seen["bitarm_seconds_since_report"] < 60
    assert seen["bitarm_messages_received_total"] > alone["bitarm_messages_received_total"]
    served_by = _figures(agent)
    assert served_by["bitarm_connected"] == 1
    assert served_by["bitarm_messages_sent_total"] >= 2  # a status and a report
    assert _health(agent) == (200, {"healthy": True, "reason": None})
    place.kill("north")
    eventually(lambda: _figures(learner)["bitarm_agents_present"] == 0, "its absence")


def test_a_dashboard_is_well_while_its_store_is(tmp_path: Path) -> None:
    store, port = tmp_path / "runs.sqlite", free_port()
    identify_into(store, seed=1)
    with served(store, "--metrics", port):
        assert _figures(port)["bitarm_runs"] == 1
        assert _health(port)[0] == 200
        store.unlink()
        status, said = _health(port)
        assert status == 503
        assert "there is no journal at" in said["reason"]
        assert _figures(port)["bitarm_store_readable"] == 0
