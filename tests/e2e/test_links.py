"""`bitarm learner --link`: the answer comes with what its frames cost there."""

from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.processes import field

from bitarm.core.events import FleetAssigned

pytestmark = pytest.mark.slow


def test_the_cost_is_told_with_the_answer_and_the_link_is_kept(
    broker: PlainBroker, tmp_path: Path
) -> None:
    with field(tmp_path, broker.url) as place:
        place.start_learner("--link", "lorawan-eu868-dr0")
        for name in ("north", "south", "tower"):
            place.start_agent(name)
        assert place.wait("learner") == 0
        result, reports = place.result(), place.accepted()
        (fleet,) = [event for event in place.events() if isinstance(event, FleetAssigned)]
    link = result["link"]
    assert fleet.link == link["name"] == "lorawan-eu868-dr0"
    assert link["messages_up"] == reports
    assert link["messages_down"] >= reports + 3  # each is told the end
    assert link["busiest"]["air_seconds_up"] > link["busiest"]["messages_up"]  # 1.5 s a frame
    assert link["busiest"]["least_hours"] > 0
    assert not link["since_resumed"]
    assert result["best_arm_name"] == "tower"
