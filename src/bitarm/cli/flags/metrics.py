"""The flag that lets others see how a process does: where its figures are served."""

from typing import Annotated

import typer

MetricsOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Serve /metrics (Prometheus) and /health there; without HOST on loopback only",
    ),
]
