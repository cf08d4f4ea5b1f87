"""A socket and a server on it: where the dashboard listens, and how it ends."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import final

import uvicorn

from bitarm.dashboard.app import create_app
from bitarm.dashboard.guard import is_loopback
from bitarm.errors import ConfigError

_LEAST_TOKEN = 16  # characters: long enough that nobody tries them all
_BACKLOG = 128


def serve(
    store: Path,
    *,
    host: str,
    port: int,
    token: str | None,
    ready: Callable[[str], None],
) -> None:
    """Serve the dashboard of a store until interrupted; `ready` gets the address of the page."""
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"a dashboard on {host} can be reached by others: give --token-file, a file with a "
            f"secret of at least {_LEAST_TOKEN} characters, or leave --host out"
        )
    with listen(host, port) as listener:
        app = create_app(store, token=token)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses and paths of visitors are nobody's business
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=2,
        )
        ready(address(host, listener.getsockname()[1]))
        _Server(config, close_streams=app.state.streams.close).run(sockets=[listener])


def read_token(path: Path) -> str:
    """The secret in a file: its first line, without blanks around it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the token file {path} cannot be read: {error}") from None
    token = lines[0].strip() if lines else ""
    if len(token) < _LEAST_TOKEN:
        raise ConfigError(
            f"the token in {path} must have at least {_LEAST_TOKEN} characters, it has "
            f"{len(token)}. Make one with: python3 -c 'import secrets; "
            f"print(secrets.token_urlsafe())' > {path}"
        )
    return token


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free."""
    try:
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(where[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error}. "
            "Choose another with --port, or 0 for any that is free"
        ) from None


def address(host: str, port: int) -> str:
    """The page's address as a person types it."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


@final
class _Server(uvicorn.Server):
    """Ends the streams before it waits for open connections: they would never end by themselves."""

    def __init__(self, config: uvicorn.Config, *, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what is open, then the server."""
        self._close_streams()
        await asyncio.sleep(0)  # lets the streams notice
        await super().shutdown(sockets)
