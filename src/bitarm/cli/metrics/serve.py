"""Where figures are served: /metrics for Prometheus, /health for whoever restarts what is not well.

A thread of its own answers, so that a process that is busy is seen to be. It only reads.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any, final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from bitarm.api.extras import require
from bitarm.cli.metrics.figures import Measure
from bitarm.errors import BitarmError, ConfigError

_LOGGER = logging.getLogger("bitarm.metrics")
_LOOPBACK = "127.0.0.1"

Measures = Callable[[], Iterable[Measure]]
Health = Callable[[], str | None]
"""Why a process is not well; None if it is."""


@contextmanager
def metrics_at(address: str | None, measures: Measures, health: Health) -> Iterator[None]:
    """Serve figures at an address for the time of a block; None serves nothing.

    ConfigError if the address cannot be read, or nobody may listen there.
    """
    if address is None:
        yield
        return
    require("prometheus_client", extra="metrics", what="--metrics")
    host, port = read_address(address)
    try:
        server = make_server(host, port, _app(measures, health), _Server, _Handler)
    except OSError as error:
        raise ConfigError(f"--metrics cannot listen on {host} port {port}: {error}") from None
    with server:
        _LOGGER.info("figures are at http://%s:%d/metrics", host, server.server_port)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def read_address(address: str) -> tuple[str, int]:
    """Host and port; the host is loopback unless it is given."""
    host, _, port = address.rpartition(":")
    if not (port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise ConfigError(f"--metrics must be PORT or HOST:PORT, got {address!r}")
    return host.strip("[]") or _LOOPBACK, int(port)


def _app(measures: Measures, health: Health) -> Callable[..., Iterable[bytes]]:
    from prometheus_client import CollectorRegistry, make_wsgi_app

    registry = CollectorRegistry()
    registry.register(_Collector(measures))
    prometheus = make_wsgi_app(registry)

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == "/metrics":
            page: Iterable[bytes] = prometheus(environ, start_response)
            return page
        if environ.get("PATH_INFO") != "/health":
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"there are /metrics and /health\n"]
        why = _reason(health)
        status = "200 OK" if why is None else "503 Service Unavailable"
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps({"healthy": why is None, "reason": why}).encode()]

    return app


def _reason(health: Health) -> str | None:
    try:
        return health()
    except BitarmError as error:
        return str(error)


@final
class _Collector:
    """What Prometheus' library asks when somebody scrapes."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures

    def collect(self) -> Iterator[Any]:
        """Every figure at this moment."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for measure in self._measures():
            family = CounterMetricFamily if measure.name.endswith("_total") else GaugeMetricFamily
            yield family(measure.name, measure.help, value=float(measure.value))


@final
class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@final
class _Handler(WSGIRequestHandler):
    timeout = 5.0  # seconds for a request: who does not finish it holds nothing for long

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: scrapes are not news."""
