"""Events as the text that is kept, and back.

    {"name": "round_opened", "round": 3, "frames": ["…", …]}      the questions of a round, packed
    {"name": "report_accepted", …}                                every other event as it is

A round's questions are kept as the frames that carry them (docs/wire.md, in base64): ten bytes an
arm, where their numbers as text would take two hundred.

What could not be read back is refused before it is kept: one bad event would otherwise hide the
run behind it. Refuses to know where the text lies; `place` names it for the error.
"""

import base64
import json
from typing import Any

from bitarm import wire
from bitarm.core.events import LearnerEvent, RoundOpened, dump_event, load_event
from bitarm.core.messages import Request
from bitarm.core.plain import dumps_plain
from bitarm.errors import StoreError


def write_body(event: LearnerEvent) -> str:
    """One event as text, proved readable."""
    try:
        body = _dump(event)
        body.encode()  # a lone surrogate, as in a file name that is no UTF-8, stops here
        again = _load(body)
    except Exception as error:  # whatever broke, the event is what broke it
        raise StoreError(f"{event} cannot be kept, it has no readable text: {error}") from error
    if again != event:
        raise StoreError(f"{event} cannot be kept, it would be read back as {again}")
    return body


def read_body(body: object, *, place: str) -> LearnerEvent:
    """The event that `write_body` wrote."""
    try:
        if not isinstance(body, str):
            raise StoreError(f"expected text, got {type(body).__name__}")  # noqa: TRY301, one exit
        event = _load(body)
    except Exception as error:  # from bytes that anyone may have changed, anything may follow
        raise StoreError(
            f"{place} is no event that this version can read: {error}. It was damaged, or written "
            "by a newer version; the other entries are untouched"
        ) from error
    return event


def _dump(event: LearnerEvent) -> str:
    if not isinstance(event, RoundOpened):
        return dump_event(event)
    frames = [base64.b64encode(frame).decode() for frame in wire.pack_all(event.requests)]
    return dumps_plain({"name": event.name, "round": event.round, "frames": frames})


def _load(body: str) -> LearnerEvent:
    if f'"name":"{RoundOpened.name}"' not in body:
        return load_event(body)
    plain = json.loads(body)
    if plain.get("name") != RoundOpened.name:
        return load_event(body)  # another event, whose text happens to contain these words
    return _round_opened(plain)


def _round_opened(plain: dict[str, Any]) -> RoundOpened:
    if plain.keys() != {"name", "round", "frames"} or type(plain["round"]) is not int:
        raise StoreError("a round has its number and its frames")
    messages = [
        message
        for frame in plain["frames"]
        for message in wire.decode(base64.b64decode(frame, validate=True))
    ]
    requests = tuple(message for message in messages if isinstance(message, Request))
    if len(requests) < len(messages):
        raise StoreError("the frames of a round hold requests only")
    # The learner asks in the order of its arms; frames are one for each code.
    requests = tuple(sorted(requests, key=lambda request: request.arm))
    return RoundOpened(round=plain["round"], requests=requests)
