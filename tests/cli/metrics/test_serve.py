"""Figures for Prometheus and health for whoever restarts: served on loopback unless told."""

import json
import sys
import urllib.error
import urllib.request

import pytest
from loopback import free_port
from prometheus_client.parser import text_string_to_metric_families

from bitarm.cli.metrics.figures import Measure, RunFigures, broker_health, service_measures
from bitarm.cli.metrics.serve import metrics_at, read_address
from bitarm.errors import ConfigError, MissingExtraError, StoreError
from bitarm.runtime.observed import Figures


def _get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
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
    port, figures = free_port(), Figures()
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
    assert {measure.name for measure in service_measures(Figures())}.isdisjoint(found)
