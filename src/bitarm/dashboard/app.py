"""The application put together: the API, the pages, the assets, and the answer to each failure."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib import metadata, resources
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from bitarm.dashboard import guard
from bitarm.dashboard.api import router
from bitarm.dashboard.library import Library, UnknownEntryError
from bitarm.dashboard.limits import VISITOR_LIMITS, VisitorLimits
from bitarm.dashboard.pages import ROUTES, Page, render
from bitarm.dashboard.request_bodies import Bodies
from bitarm.dashboard.streams import PACE, Streams
from bitarm.errors import ConfigError, StoreError


def create_app(
    store: Path,
    *,
    token: str | None = None,
    pace: float = PACE,
    limits: VisitorLimits = VISITOR_LIMITS,
) -> FastAPI:
    """The dashboard of one store; with a `token`, only for those who know it."""
    library = Library(store)
    streams = Streams(library, pace=pace, most=limits.streams)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with streams.running():
            yield
        library.close()

    app = FastAPI(
        title="bitarm dashboard",
        version=metadata.version("bitarm"),
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # those pages load scripts from another host
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.library, app.state.streams, app.state.token = library, streams, token
    app.include_router(router)
    for path, page in ROUTES.items():
        app.add_api_route(path, _page(page), include_in_schema=False)
    app.add_api_route(guard.SIGN_IN, _sign_in, methods=["POST"], include_in_schema=False)
    assets = resources.files("bitarm.dashboard") / "assets"
    app.mount(guard.ASSETS, StaticFiles(directory=str(assets)))
    app.add_exception_handler(UnknownEntryError, _answer(404))
    app.add_exception_handler(ConfigError, _answer(422))
    app.add_exception_handler(StoreError, _answer(503))
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(guard.Guard, token=token)
    app.add_middleware(Bodies, limits=limits)  # the last that is added is the first that is asked
    return app


def _page(page: Page) -> Callable[[], Awaitable[Response]]:
    async def show() -> Response:
        return HTMLResponse(render(page))

    return show


async def _sign_in(request: Request) -> Response:
    """Exchange the token for a cookie; a wrong one gets the same page again."""
    expected: str | None = request.app.state.token
    if expected is None:
        return RedirectResponse("/", status_code=303)
    form = parse_qs((await request.body()).decode(errors="replace"))
    if not guard.same(form.get("token", [""])[0].strip(), expected):
        return HTMLResponse(render("sign-in"), status_code=401)
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        guard.COOKIE,
        guard.cookie_for(expected),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


def _answer(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(_: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, status_code=status)

    return answer


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = (
        f"{'.'.join(str(part) for part in fault['loc'][1:]) or fault['loc'][0]}: {fault['msg']}"
        for fault in error.errors()
    )
    return JSONResponse({"error": "; ".join(faults)}, status_code=422)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith(guard.API):
        return JSONResponse(
            {"error": str(error.detail)}, status_code=error.status_code, headers=error.headers
        )
    if error.status_code == HTTPStatus.NOT_FOUND:
        return HTMLResponse(render("not-found"), status_code=error.status_code)
    return PlainTextResponse(
        f"{error.detail}\n", status_code=error.status_code, headers=error.headers
    )
