"""Figures for Prometheus and health for whoever restarts: served on loopback unless told."""

import json
import socket
import struct
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from loopback import PATIENCE, eventually, free_port
from prometheus_client.parser import text_string_to_metric_families

import bitarm
from bitarm.cli.metrics.figures import Measure, broker_health, journal_measures, service_measures
from bitarm.cli.metrics.option import metrics_at
from bitarm.cli.metrics.run_figures import RunFigures
from bitarm.cli.metrics.serve import read_address
from bitarm.core.events import LearnerEvent, PullsCounted
from bitarm.errors import ConfigError, MissingExtraError, StoreError
from bitarm.runtime.observed import ServiceFigures


def _get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def _measures() -> list[Measure]:
    return [
        Measure(name="bitarm_rounds_total", help="Rounds", value=7),
        Measure(name="bitarm_arms_in_race", help="Arms", value=2.5),
    ]


def test_figures_are_what_prometheus_reads() -> None:
    port = free_port()
    with metrics_at(str(port), _measures, lambda: None):
        status, text = _get(port, "/metrics")
        assert _get(port, "/elsewhere")[0] == 404
    assert status == 200
    found = {
        (family.type, sample.name): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found[("counter", "bitarm_rounds_total")] == 7
    assert found[("gauge", "bitarm_arms_in_race")] == 2.5


def test_health_says_why_not() -> None:
    port, figures = free_port(), ServiceFigures()
    with metrics_at(f"127.0.0.1:{port}", _measures, lambda: broker_health(figures)):
        status, text = _get(port, "/health")
        assert (status, json.loads(text)["reason"]) == (503, "not connected to the broker")
        figures.is_connected = True
        status, text = _get(port, "/health")
        assert (status, json.loads(text)) == (200, {"healthy": True, "reason": None})


def test_what_is_raised_is_the_reason() -> None:
    def unwell() -> str | None:
        raise StoreError("runs.sqlite is damaged")

    port = free_port()
    with metrics_at(str(port), _measures, unwell):
        status, text = _get(port, "/health")
    assert (status, json.loads(text)["reason"]) == (503, "runs.sqlite is damaged")


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("9108", ("127.0.0.1", 9108)),
        (":9108", ("127.0.0.1", 9108)),
        ("0.0.0.0:9108", ("0.0.0.0", 9108)),
        ("[::1]:9108", ("::1", 9108)),
    ],
)
def test_an_address_is_on_loopback_unless_it_names_a_host(
    address: str, found: tuple[str, int]
) -> None:
    assert read_address(address) == found


@pytest.mark.parametrize("address", ["", "localhost", "localhost:", "x:70000", ":-1", ":²"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="--metrics must be PORT or HOST:PORT"):
        read_address(address)


def test_a_port_that_is_taken_is_refused() -> None:
    port = free_port()
    with (
        metrics_at(str(port), _measures, lambda: None),
        pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1 port {port}"),
        metrics_at(str(port), _measures, lambda: None),
    ):
        pass


def test_visitors_who_never_finish_hold_a_few_threads_and_keep_nobody_out(
    capfd: pytest.CaptureFixture[str],
) -> None:
    port, before = free_port(), threading.active_count()
    with metrics_at(str(port), _measures, lambda: None), ExitStack() as stack:
        for number in range(200):
            visitor = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            visitor.sendall(b"GET /hea")
            if number % 2:  # breaks off, with a reset
                visitor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                visitor.close()
            else:
                stack.enter_context(visitor)
        assert _get(port, "/health")[0] == 200
        eventually(lambda: threading.active_count() - before < 20, "the others to be gone")
    assert capfd.readouterr().err == ""


def test_a_request_that_is_spun_out_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then does not renew the time for it."""
    monkeypatch.setattr("bitarm.cli.metrics.serve._WITHIN", 0.3)
    port = free_port()
    with (
        metrics_at(str(port), _measures, lambda: None),
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as visitor,
        pytest.raises(OSError, match=r"reset|Broken pipe"),
    ):
        _spin_out(visitor)


def _spin_out(visitor: socket.socket) -> None:
    for _ in range(100):
        visitor.sendall(b"G")
        time.sleep(0.05)


def test_a_host_may_be_one_of_ipv6() -> None:
    try:
        with metrics_at(f"[::1]:{free_port()}", _measures, lambda: None):
            why = ""
    except ConfigError as error:
        why = str(error)
    assert not why or "Cannot assign requested address" in why  # a machine that has none


def test_a_journal_s_companions_may_go_at_any_moment(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_bytes(b"12345")
    (measure,) = journal_measures(tmp_path / "runs.sqlite")
    assert measure.value == 5
    (measure,) = journal_measures(tmp_path / "elsewhere")
    assert measure.value == 0


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with metrics_at(None, _measures, lambda: None):
        pass  # nobody asked for it
    with (
        pytest.raises(MissingExtraError, match=r"pip install .*\[metrics\]'"),
        metrics_at("0", _measures, lambda: None),
    ):
        pass


def test_a_run_that_has_not_begun_has_figures_too() -> None:
    found = {measure.name: measure.value for measure in RunFigures(lambda: 3.0).measures()}
    assert found["bitarm_rounds_total"] == 0
    assert found["bitarm_seconds_since_report"] == 0.0
    assert {measure.name for measure in service_measures(ServiceFigures())}.isdisjoint(found)


def test_what_is_called_a_total_never_falls() -> None:
    figures, before, counted = RunFigures(), dict[str, float](), list[LearnerEvent]()

    def watch(events: Sequence[LearnerEvent]) -> None:
        for event in events:
            figures.watch((event,))
            now = {measure.name: measure.value for measure in figures.measures()}
            totals = {name: value for name, value in now.items() if name.endswith("_total")}
            assert all(value >= before.get(name, 0) for name, value in totals.items()), event
            before.update(totals)
            counted.extend([event] * isinstance(event, PullsCounted))

    arms = {"low": [0.0, 0.0, 1.0] * 999, "high": [1.0, 1.0, 0.0] * 999}
    result = bitarm.identify(arms, bounds=(0, 1), seed=1, watch=watch)
    assert counted
    assert result.samples < before["bitarm_samples_total"]
