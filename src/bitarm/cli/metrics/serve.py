"""Where figures are served: /metrics for Prometheus, /health for whoever restarts what is not well.

A thread of its own answers, so that a process that is busy is seen to be. It only reads.
"""

import json
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import Any, final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from bitarm.api.extras import require
from bitarm.cli.metrics.figures import Health, Measures
from bitarm.errors import BitarmError, ConfigError

_LOGGER = logging.getLogger("bitarm.metrics")
_LOOPBACK = "127.0.0.1"
_MOST_VISITORS = 16  # at once: a thread and an open file each, in a process with other work
_WITHIN = 5.0  # seconds for a request and its answer


@contextmanager
def serve_metrics(address: str, measures: Measures, health: Health) -> Iterator[None]:
    """Serve figures at an address for the time of a block.

    ConfigError if the address cannot be read, or nobody may listen there.
    """
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
class _Handler(WSGIRequestHandler):
    timeout = _WITHIN

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: scrapes are not news."""


@final
class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each visitor, of whom only so many are served at once.

    One more, and who came first is sent away: those who never finish a request push out each
    other, and not whoever asks and goes.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[_Handler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._visitors: dict[socket.socket, float] = {}  # each with when it came, oldest first
        self._lock = Lock()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve one more."""
        with self._lock:
            if len(self._visitors) >= _MOST_VISITORS:
                self._hang_up(next(iter(self._visitors)))
            self._visitors[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """One was served."""
        with self._lock:
            self._visitors.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Between two visitors, and twice a second: send those away who take too long."""
        late = time.monotonic() - _WITHIN
        with self._lock:
            for visitor in [one for one, came_at in self._visitors.items() if came_at < late]:
                self._hang_up(visitor)

    def _hang_up(self, visitor: socket.socket) -> None:
        """Let the thread that reads from it find its end, and close it."""
        del self._visitors[visitor]
        with suppress(OSError):
            visitor.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of visitors who break off; what is our own fault is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
