"""Lets others see how a process does: the flag that says where its figures are served."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from bitarm.cli.metrics.figures import Health, Measures

MetricsOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Serve /metrics (Prometheus) and /health there; without HOST on loopback only",
    ),
]


@contextmanager
def metrics_at(address: str | None, measures: Measures, health: Health) -> Iterator[None]:
    """Serve figures at an address for the time of a block; None serves nothing.

    ConfigError if the address cannot be read, or nobody may listen there.
    """
    if address is None:
        yield
        return
    from bitarm.cli.metrics.serve import serve_metrics  # here: a web server takes long to load

    with serve_metrics(address, measures, health):
        yield
