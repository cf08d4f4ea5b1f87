"""Nothing is kept that could not be read back; a round is kept as its frames."""

import base64
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm import wire
from bitarm.api.scheme import build
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Nearest, Raw
from bitarm.core.events import CaveatNoted, ReportAccepted, RoundOpened, RunOpened, dump_event
from bitarm.core.learner import Learner
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.question import Question
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal
from bitarm.store.event_bodies import read_body, write_body

Open = Callable[..., SqliteJournal]

_CODES = (Bins(low=0.0, step=0.125, bins=8), Nearest(centre=0.5, step=0.1, divisor=3), Raw())


def accepted(mean: float) -> ReportAccepted:
    return ReportAccepted(
        round=1,
        arm=0,
        message=1,
        pulls=2,
        symbol=Symbol(value=3, nbits=2),
        mean=mean,
        error=math.inf,
        radius=0.1,
    )


def asked(arm: int) -> Request:
    """Neighbours are asked in different codes: a round of several frames."""
    question = Question(until=64, code=_CODES[arm % len(_CODES)])
    return Request(run=0x1234AB01, arm=arm, message=3, question=question)


def opened_round(*requests: Request) -> RoundOpened:
    return RoundOpened(round=3, requests=requests)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.floats(allow_nan=False))
def test_what_is_kept_is_read_back_exactly(text: str, mean: float) -> None:
    for event in (CaveatNoted(text=text), accepted(mean)):
        assert read_body(write_body(event), place="here") == event


@given(st.sets(st.integers(0, 300), min_size=1, max_size=9))
def test_a_round_is_read_back_in_the_order_of_its_arms(arms: set[int]) -> None:
    event = opened_round(*map(asked, sorted(arms)))
    assert read_body(write_body(event), place="here") == event


def test_the_body_of_a_round_is_its_frames() -> None:
    requests = tuple(asked(arm) for arm in range(7))
    plain = json.loads(write_body(opened_round(*requests)))
    assert plain.keys() == {"name", "round", "frames"}
    assert (plain["name"], plain["round"]) == ("round_opened", 3)
    frames = [base64.b64decode(frame) for frame in plain["frames"]]
    assert frames == wire.pack_all(requests)
    assert len(frames) == len(_CODES)


def _first_rounds(arms: int, **scheme: Any) -> list[RoundOpened]:
    """The rounds of a run until every arm was asked twice, with means that all differ."""
    setup = build(
        tuple(f"arm-{arm}" for arm in range(arms)),
        seed=1,
        problem={"bounds": (0.0, 1.0)},
        scheme=scheme,
        limits={},
    )
    learner = Learner(setup)
    output = learner.start()
    rounds: list[RoundOpened] = []
    while len(rounds) < 2:
        rounds += [event for event in output.events if isinstance(event, RoundOpened)]
        for request in learner.pending:
            symbol = request.question.answer(0.4 + 0.2 * request.arm / arms)
            report = Report(
                run=request.run, arm=request.arm, message=request.message, symbol=symbol
            )
            output = learner.receive(report)
    return rounds


@pytest.mark.slow
def test_a_round_of_ten_thousand_arms_takes_sixteen_bytes_an_arm() -> None:
    """Nine bytes of `low` or so and one of the arm, in base64; as text it is ten times that."""
    first, second = _first_rounds(10_000, quantizer="icq", policy="se")
    for event in (first, second):
        assert len(event.requests) == 10_000
        assert len(write_body(event)) < 14 * 10_000 < 160_000
        assert read_body(write_body(event), place="here") == event
    assert len(dump_event(second)) > 10 * len(write_body(second))


@pytest.mark.parametrize(
    ("scheme", "most"),
    [
        ({"quantizer": "icq"}, 14),
        ({"quantizer": "fed-sel"}, 2),  # all arms are asked the same
        ({"quantizer": "exact"}, 2),
        ({"quantizer": "quban"}, 9),  # a centre and a dither each
        ({"quantizer": "dicq"}, 13),
    ],
    ids=lambda value: str(value),
)
def test_bytes_of_a_round_in_the_journal(scheme: dict[str, Any], most: int) -> None:
    second = _first_rounds(1000, policy="se", **scheme)[1]
    assert len(second.requests) == 1000
    assert len(write_body(second)) <= most * 1000


@given(st.text() | st.binary() | st.none() | st.integers())
def test_anything_else_is_a_store_error(body: object) -> None:
    with pytest.raises(StoreError, match=r"^here is no event"):
        read_body(body, place="here")


def test_a_symbol_longer_than_any_frame_is_a_store_error() -> None:
    """Two changed digits: whoever shows or decodes it would need gigabytes and seconds."""
    body = write_body(accepted(0.5)).replace('"nbits":2', '"nbits":2147483648')
    with pytest.raises(StoreError, match=r"^here is no event .* at most 262,144 bits"):
        read_body(body, place="here")


@pytest.mark.parametrize("pulls", [0, -1, 1 << 63])
def test_a_report_of_no_pulls_is_a_store_error(pulls: int) -> None:
    body = write_body(accepted(0.5)).replace('"pulls":2', f'"pulls":{pulls}')
    with pytest.raises(StoreError, match=r"^here is no event .* pulls must lie between 1 and"):
        read_body(body, place="here")


def test_half_a_character_is_a_store_error() -> None:
    body = write_body(CaveatNoted(text="x")).replace('"x"', '"\\ud800"')
    with pytest.raises(StoreError, match=r"^here is no event .* text that UTF-8 can spell"):
        read_body(body, place="here")


def _with_frames(*frames: object) -> str:
    plain = {"name": "round_opened", "round": 3, "frames": frames}
    return json.dumps(plain, separators=(",", ":"))


def _coded(frame: bytes) -> str:
    return base64.b64encode(frame).decode()


_FRAME = wire.encode(asked(1))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (_with_frames(_coded(_FRAME[:-1])), "got the first"),
        (_with_frames(_coded(_FRAME[:-1] + bytes([_FRAME[-1] ^ 1]))), "check sum"),
        (_with_frames(_coded(_FRAME)[:-1]), "padding"),
        (_with_frames(_coded(_FRAME), "é"), "ASCII"),
        (_with_frames(_coded(_FRAME), 7), "not 'int'"),
        (_with_frames(_coded(wire.encode(Dismiss(run=1, arm=2, cause=Cause.ENDED)))), "requests"),
        ('{"name":"round_opened","round":3}', "its number and its frames"),
        ('{"name":"round_opened","round":3.0,"frames":[]}', "its number and its frames"),
        ('{"name":"round_opened","round":3,"frames":[],"more":1}', "its number and its frames"),
        ('{"name":"round_opened","round":3,"frames":7}', "not iterable"),
    ],
    ids=range(10),
)
def test_a_damaged_round_is_a_store_error(body: str, why: str) -> None:
    with pytest.raises(StoreError, match=rf"^here is no event .*{why}"):
        read_body(body, place="here")


def test_a_text_that_speaks_of_rounds_is_no_round() -> None:
    event = CaveatNoted(text='"name":"round_opened"')
    assert read_body(write_body(event), place="here") == event


@pytest.mark.parametrize(
    "event",
    [
        accepted(math.nan),
        accepted(1),  # an int in a float's place
        CaveatNoted(text="lost file: \udcff"),  # as in a file name that is no UTF-8
        opened_round(),  # a round asks somebody
        opened_round(asked(1), asked(1)),
        opened_round(asked(2), asked(1)),  # they would be read back in the order of their arms
    ],
)
def test_what_could_not_be_read_back_is_not_kept(
    open_journal: Open, opened: RunOpened, event: CaveatNoted | ReportAccepted | RoundOpened
) -> None:
    journal = open_journal()
    run = journal.open_run(opened)
    with pytest.raises(StoreError, match="cannot be kept"):
        journal.append(run, [CaveatNoted(text="a"), event])
    assert [entry.event for entry in journal.read(run)] == [opened]
