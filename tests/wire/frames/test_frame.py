import pytest

import bitarm.wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Nearest, Raw
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.errors import LocalProtocolError
from bitarm.wire import MAX_BYTES, decode, encode, pack, pack_all


def report(arm: int, *, run: int = 1, nbits: int = 3) -> Report:
    return Report(run=run, arm=arm, message=1, symbol=Symbol(0, nbits))


def asked(arm: int, code: Code) -> Request:
    question = Question(until=4, code=code)
    return Request(run=1, arm=arm, message=3, question=question)


def test_public_names() -> None:
    assert all(hasattr(bitarm.wire, name) for name in bitarm.wire.__all__)


def test_pack_sorts_by_arm() -> None:
    messages = (report(9), report(2), report(300))
    assert decode(pack(messages)) == (report(2), report(9), report(300))


def test_one_message_has_one_frame() -> None:
    for message in (
        report(1),
        report(1, nbits=40),
        asked(2, Raw()),
        Position(run=1, arm=2, message=3, pulls=4),
        Dismiss(run=1, arm=2, cause=Cause.DROPPED),
    ):
        assert pack([message]) == encode(message)
        assert pack_all([message]) == [encode(message)]


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "at least one message"),
        ([report(1), report(1)], "must differ, got 1 twice"),
        ([report(1), report(2, run=2)], "one run, got 00000001 and 00000002"),
        ([report(1), Dismiss(run=1, arm=2, cause=Cause.ENDED)], "got Report and Dismiss"),
        ([report(1), report(-1)], "arm must lie"),
    ],
)
def test_what_does_not_belong_in_one_frame(messages: list[Message], complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        pack(messages)
    with pytest.raises(LocalProtocolError, match=complaint):
        pack_all(messages)


_BINS = Bins(low=0.0, step=0.5, bins=2)
_NEAREST = Nearest(centre=0.5, step=0.25, divisor=1)


@pytest.mark.parametrize(
    "requests",
    [
        [asked(1, Raw()), asked(2, _BINS)],
        [asked(1, _BINS), asked(2, _NEAREST)],
        [asked(1, _NEAREST), asked(2, Raw()), asked(3, _BINS)],
    ],
)
def test_requests_that_ask_in_different_codes_need_different_frames(
    requests: list[Request],
) -> None:
    with pytest.raises(LocalProtocolError, match="must ask in one form: see pack_all"):
        pack(requests)
    frames = pack_all(requests)
    assert len(frames) == len(requests)
    assert (
        sorted(
            (request for frame in frames for request in decode(frame)),
            key=lambda request: request.arm,
        )
        == requests
    )


def test_pack_all_makes_one_frame_for_each_code() -> None:
    codes: tuple[Code, ...] = (Raw(), _BINS, _NEAREST)
    requests = [asked(arm, codes[arm % 3]) for arm in reversed(range(60))]
    frames = pack_all(requests)
    assert len(frames) == 3
    for frame in frames:
        messages = decode(frame)
        assert [message.arm for message in messages] == sorted(message.arm for message in messages)
    assert {message.arm for frame in frames for message in decode(frame)} == set(range(60))


@pytest.mark.parametrize("limit", [11, 20, 51, 222, MAX_BYTES])
def test_pack_all_loses_nothing_and_keeps_the_limit(limit: int) -> None:
    reports = [report(arm) for arm in reversed(range(1000))]
    frames = pack_all(reports, limit=limit)
    assert all(len(frame) <= limit for frame in frames)
    assert [message for frame in frames for message in decode(frame)] == reports[::-1]


def test_pack_all_splits_what_no_length_word_can_hold() -> None:
    reports = [report(arm) for arm in range(30_000)]
    with pytest.raises(LocalProtocolError, match="at most 32767"):
        pack(reports)
    assert [len(decode(frame)) for frame in pack_all(reports)] == [15_000, 15_000]


def test_pack_all_refuses_what_it_cannot_split() -> None:
    with pytest.raises(LocalProtocolError, match="at most 10 bytes, one message has 11"):
        pack_all([report(1), report(2)], limit=10)
    with pytest.raises(LocalProtocolError, match="limit must be at most 32767"):
        pack_all([report(1)], limit=MAX_BYTES + 1)
