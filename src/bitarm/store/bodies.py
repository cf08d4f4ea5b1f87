"""Events as the text that is kept, and back.

What could not be read back is refused before it is kept: one bad event would otherwise hide the
run behind it. Refuses to know where the text lies; `place` names it for the error.
"""

from bitarm.core.events import LearnerEvent, dump_event, load_event
from bitarm.errors import StoreError


def write_body(event: LearnerEvent) -> str:
    """One event as text, proved readable."""
    try:
        body = dump_event(event)
        body.encode()  # a lone surrogate, as in a file name that is no UTF-8, stops here
        again = load_event(body)
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
        event = load_event(body)
    except Exception as error:  # from bytes that anyone may have changed, anything may follow
        raise StoreError(
            f"{place} is no event that this version can read: {error}. It was damaged, or written "
            "by a newer version; the other entries are untouched"
        ) from error
    if not isinstance(event, LearnerEvent):
        raise StoreError(f"{place} is an agent's {event.name}, expected a learner's event")
    return event
