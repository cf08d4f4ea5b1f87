"""The JSON routes under /api/v1 and the streams. Every one of them reads."""

from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Request
from fastapi.responses import StreamingResponse

from bitarm.dashboard import paper, views
from bitarm.dashboard.compare import (
    ComparedPoints,
    Comparison,
    compared,
    point_of_run,
    points_of_result,
)
from bitarm.dashboard.explain import MOST_BITS, MOST_ROUNDS, Explanation, explain
from bitarm.dashboard.explain_challenge import ChallengeExplained, example, explain_challenge
from bitarm.dashboard.frames import EventList, FrameList, event_view, frames_of
from bitarm.dashboard.library import Library, UnknownEntryError
from bitarm.dashboard.streams import Streams
from bitarm.errors import ConfigError, StoreError

_LARGEST = 2**63 - 1  # what a store numbers
_MOST_COMPARED = 100
_MOST_EXPLAINED = 100_000  # events that are searched for challenges
_FULL = "too many pages listen to this dashboard at once: try again when some are closed"

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "description": "Server-sent events; `problem` says why there are none",
    }
}


def _library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    if streams.turns_away(request.client.host if request.client else "a visitor"):
        raise HTTPException(503, _FULL, headers={"retry-after": "5"})
    return streams


InLibrary = Annotated[Library, Depends(_library)]
InStreams = Annotated[Streams, Depends(_streams)]
RunNumber = Annotated[int, Path(ge=1, le=_LARGEST, description="The run's number in the store")]
Sequence = Annotated[int, Path(ge=1, le=_LARGEST, description="The entry's number in the run")]
Number = Annotated[float, Query(ge=-1e9, le=1e9)]

router = APIRouter(
    prefix="/api/v1",
    responses={
        401: {"model": views.ErrorView, "description": "The token is missing or wrong"},
        422: {"model": views.ErrorView, "description": "What was asked for cannot be"},
        413: {"model": views.ErrorView, "description": "The request is too long"},
        503: {
            "model": views.ErrorView,
            "description": "The store cannot be read, or too many ask at once: why, what to do",
        },
    },
)
_NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": views.ErrorView, "description": "There is no such run or entry"}
}


@router.get("/store")
def store(library: InLibrary) -> views.StoreView:
    """The store that is shown, and whether it can be read."""
    try:
        library.look()
        reason = None
    except StoreError as error:
        reason = str(error)
    return views.StoreView(
        path=str(library.path), ready=reason is None, reason=reason, version=version("bitarm")
    )


@router.get("/runs")
def runs(
    library: InLibrary,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    before: Annotated[int | None, Query(ge=1, le=_LARGEST)] = None,
) -> views.RunList:
    """Runs, the newest first; `before` is the number to go on from."""
    return library.runs(limit=limit, before=before)


@router.get("/runs/stream", response_class=StreamingResponse, responses=_STREAM)
async def runs_stream(streams: InStreams) -> StreamingResponse:
    """The newest runs, then those that change: `runs` events, each a RunList.

    One whose total is lower than that before says that runs are gone.
    """
    return _stream(streams.follow_runs())


@router.get("/runs/{run}", responses=_NOT_FOUND)
def run(library: InLibrary, run: RunNumber) -> views.RunView:
    """One run whole: its settings, arms, result, and its events as columns."""
    with library.history(run) as history:
        return history.view()


@router.get("/runs/{run}/stream", response_class=StreamingResponse, responses=_STREAM)
async def run_stream(
    streams: InStreams,
    run: RunNumber,
    after: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """What happens in a run after an entry: `run` events, each a RunDelta."""
    resumed = last_event_id or ""
    if resumed.isdecimal() and len(resumed) < len(str(_LARGEST)):
        after = int(resumed)  # else it is none of ours
    return _stream(streams.follow_run(run, after))


@router.get("/runs/{run}/events", responses=_NOT_FOUND)
def events(
    library: InLibrary,
    run: RunNumber,
    after: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> EventList:
    """Events of a run above an entry, in words and as they were kept."""
    with library.history(run) as history:
        entries = library.entries(run, after=after, limit=limit)
        return EventList(events=[event_view(history, entry) for entry in entries])


@router.get("/runs/{run}/events/{sequence}/frames", responses=_NOT_FOUND)
def frames(
    library: InLibrary,
    run: RunNumber,
    sequence: Sequence,
    arm: Annotated[int | None, Query(ge=0, le=_LARGEST)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 8,
) -> FrameList:
    """The frames of the messages behind an event, bit by bit."""
    with library.history(run) as history:
        entries = library.entries(run, after=sequence - 1, limit=1)
        if not entries:
            raise UnknownEntryError(f"run {run} has {history.entries} entries, no entry {sequence}")
        return frames_of(history, entries[0], arm=arm, limit=limit)


@router.get("/explain")
def explanation(
    mu_hat: Number = 0.62,
    earlier: Number = 0.6,
    index: Annotated[int, Query(ge=1, le=MOST_ROUNDS)] = 4,
    bits: Annotated[int, Query(ge=1, le=MOST_BITS)] = 3,
    arms: Annotated[int, Query(ge=2, le=1000)] = 8,
    delta: Annotated[float, Query(gt=0, lt=1)] = 0.05,
    sigma: Annotated[float, Query(gt=0, le=1e6)] = 0.125,
    low: Number = 0.0,
    high: Number = 1.0,
    growth: Annotated[float, Query(gt=1, le=100)] = 2.0,
) -> Explanation:
    """One message of ICQ taken apart, on rewards in [low, high]."""
    if not low <= min(mu_hat, earlier) <= max(mu_hat, earlier) <= high:
        raise ConfigError(f"mu_hat and earlier must lie in [{low:g}, {high:g}]")
    return explain(
        mu_hat=mu_hat,
        earlier=earlier,
        index=index,
        bits=bits,
        arms=arms,
        delta=delta,
        sigma=sigma,
        bounds=(low, high),
        growth=growth,
    )


@router.get("/explain/challenge", responses=_NOT_FOUND)
def challenge_explained(
    library: InLibrary,
    run: Annotated[int | None, Query(ge=1, le=_LARGEST)] = None,
    round: Annotated[int | None, Query(ge=1, le=_LARGEST)] = None,
) -> ChallengeExplained:
    """One round of challenges taken apart: of a run, or of an example."""
    if run is None:
        return explain_challenge(example(), run=None, round=round)
    events = [entry.event for entry in library.entries(run, after=0, limit=_MOST_EXPLAINED)]
    return explain_challenge(events, run=run, round=round)


@router.post("/compare", responses=_NOT_FOUND)
def compare(library: InLibrary, wanted: Comparison) -> ComparedPoints:
    """Runs and saved simulations side by side; nothing is kept."""
    if len(wanted.runs) + len(wanted.results) > _MOST_COMPARED:
        raise ConfigError(f"at most {_MOST_COMPARED} runs and files can be compared at once")
    points = []
    for number in wanted.runs:
        with library.history(number) as history:
            points.append(point_of_run(history))
    for saved in wanted.results:
        points += points_of_result(saved)
    return compared(points)


@router.get("/paper")
def published() -> paper.PaperCurves:
    """The paper's curves, samples against bits."""
    return paper.PaperCurves(curves=list(paper.published()))


def _stream(messages: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(
        messages,
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )
