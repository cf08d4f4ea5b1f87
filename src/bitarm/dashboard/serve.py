"""A socket and a server on it: where the dashboard listens, and how it ends."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import final

import uvicorn

from bitarm.dashboard.app import create_app
from bitarm.dashboard.connections import visitors_within
from bitarm.dashboard.guard import is_loopback
from bitarm.dashboard.limits import VISITOR_LIMITS, VisitorLimits
from bitarm.errors import ConfigError

_LEAST_TOKEN = 16  # characters: long enough that nobody tries them all
_AT_ONCE = 128  # connections that are taken in before the oldest are sent away
# Connections that wait until then. When the queue is full, the system lets a visitor try again
# after one, three and seven seconds; a thousand are taken in within half a second.
_QUEUE = 1_024


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
        server = make_server(store, token=token)
        ready(address(host, listener.getsockname()[1]))
        server.run(sockets=[listener])


def make_server(
    store: Path, *, token: str | None, limits: VisitorLimits = VISITOR_LIMITS
) -> uvicorn.Server:
    """A server of a store's dashboard, which keeps to limits; `run` wants a listening socket."""
    app = create_app(store, token=token, limits=limits)
    config = uvicorn.Config(
        app,
        http=visitors_within(limits),
        ws="none",
        backlog=_AT_ONCE,
        h11_max_incomplete_event_size=limits.header_bytes,
        log_level="error",  # what visitors do wrong is logged by us, and not without end
        access_log=False,  # addresses and paths of visitors are nobody's business
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
    )
    return _Server(config, close_streams=app.state.streams.close)


def read_token(path: Path) -> str:
    """The secret in a file: its first line, without blanks around it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"the token file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the token file {path} cannot be read: it is no text") from None
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
        return socket.create_server(where[:2], family=family, backlog=_QUEUE)
    except (OSError, OverflowError, UnicodeError) as error:  # the last: no name of a host
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error}. "
            "Choose another with --port, or 0 for any that is free"
        ) from None


def address(host: str, port: int) -> str:
    """The page's address as a person types it."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


@final
class _Server(uvicorn.Server):
    """Has a long queue; ends streams before it waits for connections, since none ends by itself."""

    def __init__(self, config: uvicorn.Config, *, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; the event loop made the queue as short as what it takes in at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what is open, then the server."""
        self._close_streams()
        await asyncio.sleep(0)  # lets the streams notice
        await super().shutdown(sockets)
