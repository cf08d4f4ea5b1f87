"""The flags that say which broker, as whom, and under which name a run goes on there."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bitarm.runtime.broker_url import PASSWORD_VARIABLE, Broker, read_broker

RunNameOption = Annotated[
    str, typer.Option("--run", metavar="NAME", help="The run's name, the same on both sides")
]
BrokerOption = Annotated[
    str, typer.Option("--broker", metavar="URL", help="mqtt://host[:port] or mqtts://host[:port]")
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", help="User name at the broker, if it is not the usual one"),
]
PasswordOption = Annotated[
    Path | None,
    typer.Option(
        "--password-file", metavar="FILE", help=f"The password; else from {PASSWORD_VARIABLE}"
    ),
]
AuthorityOption = Annotated[
    Path | None,
    typer.Option("--ca", metavar="FILE", help="Authority that signed the broker's certificate"),
]
ConnectWithinOption = Annotated[
    float,
    typer.Option(
        min=0, metavar="SECONDS", help="How long to try for a first connection to the broker"
    ),
]


def broker_of(url: str, user: str, password_file: Path | None, ca: Path | None) -> Broker:
    """The broker at an address, with its password from the file or else from the environment.

    ConfigError if the address makes no sense or a file cannot be read.
    """
    return read_broker(url, user=user, password_file=password_file, ca=ca, environment=os.environ)
