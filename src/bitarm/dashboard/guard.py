"""Who may look, and what a page may load: the token, host names, the content security policy.

Without a token the dashboard answers on loopback only, to loopback names only: a site that makes
its own name point here (DNS rebinding) gets nothing.
"""

import hashlib
import hmac
from ipaddress import ip_address
from typing import final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bitarm.dashboard.pages import render

COOKIE = "bitarm_dashboard"
SIGN_IN = "/sign-in"
ASSETS = "/assets/"
API = "/api/"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@final
class Guard:
    """Middleware around the whole application; `token` None trusts everyone on this machine."""

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        if self._token is None:
            if is_loopback(_host_name(headers.get("host", ""))):
                return None
            return _refused(path, 421, "this dashboard answers to localhost only")
        if path.startswith(ASSETS) or path == SIGN_IN or self._knows_token(HTTPConnection(scope)):
            return None
        if path.startswith(API):
            return _refused(path, 401, "a token is needed: send it as 'Authorization: Bearer …'")
        return Response(render("sign-in"), status_code=401, media_type="text/html")

    def _knows_token(self, connection: HTTPConnection) -> bool:
        assert self._token is not None
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and same(given.strip(), self._token):
            return True
        return same(connection.cookies.get(COOKIE, ""), cookie_for(self._token))


def cookie_for(token: str) -> str:
    """What a browser keeps: proves the token, and is not the token."""
    return hmac.new(token.encode(), b"bitarm dashboard", hashlib.sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(given.encode(), expected.encode())


def is_loopback(host: str) -> bool:
    """Whether a name or address can only mean this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(header: str) -> str:
    """The Host header without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _refused(path: str, status: int, why: str) -> Response:
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    if path.startswith(API):
        return JSONResponse({"error": why}, status_code=status, headers=headers)
    return Response(why + "\n", status_code=status, media_type="text/plain")


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sender
