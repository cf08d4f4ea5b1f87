"""docs/wire.md suffices: an agent made from it says, bit for bit, what ours says.

The other agent is tests/e2e/stranger.py, here without its MQTT; in runs over a real broker it is
tested beside that file.
"""

import itertools
import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docs_blocks import blocks_run_by
from e2e import stranger
from hypothesis import given, settings
from hypothesis import strategies as st
from wire.frames.test_golden import GOLDEN
from wire.frames.test_laws import CODES as CODE_STRATEGIES
from wire.frames.test_laws import batches, flipped, untils

from bitarm import wire
from bitarm.api.scheme import build
from bitarm.api.words import split
from bitarm.core.agent import Agent
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.codes.prefix import write_gamma, write_golomb
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.learner import Learner
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.plain import to_plain
from bitarm.core.question import Question, Told
from bitarm.errors import FrameError, PeerProtocolError, RewardError

PAGE = Path(__file__).parents[3] / "docs" / "wire.md"
ARMS = 4
TAPES = [
    # Multiples of 1/1024 in [0, 1): their sums are exact in any order.
    [(arm * 37 + number * 101) % 97 * (arm + 4) / 1024 for number in range(20_000)]
    for arm in range(ARMS)
]
REFUSALS = (ValueError, LookupError, ArithmeticError, RecursionError, struct.error)
"""How the other agent refuses: its MQTT part says so and goes on."""

Memory = dict[str, Any]


def _joined(opening: str, epoch: int, arm: int = 0) -> Memory:
    """The memory of an agent that has heard of a run."""
    return stranger.NO_RUN | {"opening": opening, "epoch": epoch, "arms": {str(arm): "an arm"}}


@pytest.mark.parametrize(
    "words",
    [
        {"quantizer": "exact"},
        {"quantizer": "icq"},
        {"quantizer": "icq", "bits": 20},
        {"quantizer": "icq", "prior": "quban"},
        {"quantizer": "fed-sel"},
        {"quantizer": "quban"},
        {"quantizer": "quban", "epsilon_quban": 0.001},
        {"quantizer": "dicq", "policy": "se", "kappa": 0.05},
        {"quantizer": "dicq", "policy": "se"},
    ],
    ids=str,
)
@pytest.mark.parametrize("frames", ["one by one", "packed"])
def test_a_whole_run_is_the_same_to_the_byte(words: dict[str, Any], frames: str) -> None:
    problem, scheme, limits = split({"bounds": (0.0, 1.0), "max_rounds": 14} | words)
    names = tuple(f"arm-{arm}" for arm in range(ARMS))
    setup = build(names, seed=1, problem=problem, scheme=scheme, limits=limits)
    learner = Learner(setup)
    ours = [Agent(learner.run, arm) for arm in range(ARMS)]
    others = [_joined(learner.opening, learner.epoch, arm) for arm in range(ARMS)]
    due: list[Message] = list(learner.start().messages)
    told = 0
    while due:
        requests = [message for message in due if isinstance(message, Request)]
        dismissals = [message for message in due if isinstance(message, Dismiss)]
        due = []
        for batch in (dismissals, requests):
            sent = wire.pack_all(batch) if frames == "packed" and batch else map(wire.encode, batch)
            for frame in sent:
                messages = wire.decode(frame)
                heard = [
                    stranger.obey(frame, others[message.arm], TAPES[message.arm])
                    for message in messages
                ]
                heard = [answer for answer in heard if answer]
                expected = [wire.encode(answer) for answer in _served(ours, messages)]
                assert heard == expected
                told += len(heard)
                for one in heard:
                    (answer,) = wire.decode(one)
                    assert isinstance(answer, Report | Position)
                    due += learner.receive(answer).messages
    assert told >= 2 * ARMS
    assert learner.ending is not None
    assert all(other["dismissed"] for other in others)


def _served(agents: list[Agent], messages: tuple[Message, ...]) -> list[Report | Position]:
    answers: list[Report | Position] = []
    for message in messages:
        assert isinstance(message, Request | Dismiss)
        agent = agents[message.arm]
        answers += agent.receive(message)
        if wanted := agent.wanted:
            done = agent.state.pulls
            answers += agent.observe(wanted, sum(TAPES[agent.arm][done : done + wanted]))
    return answers


@pytest.mark.slow
@given(st.one_of(CODE_STRATEGIES), untils, st.floats(-1e6, 1e6), st.data())
@settings(max_examples=1500)
def test_every_question_has_the_same_answer(
    code: Code, until: int, mean: float, data: st.DataObject
) -> None:
    """Near the code's own numbers too, where the words are short."""
    scale = getattr(code, "step", 1.0)
    near = getattr(code, "low", getattr(code, "centre", 0.0)) * (
        scale if code.name == "levels" else 1.0
    )
    mean = data.draw(st.sampled_from([mean, near + scale * mean / 1e5, near]))
    if not math.isfinite(mean):
        return
    question = Question(until=until, code=code)
    ask = stranger.decode(wire.encode(_request(1, question)), (1).to_bytes(4), 0)
    try:
        expected = question.answer(mean)
    except RewardError:
        with pytest.raises(ValueError, match="out of reach"):
            stranger.spell(ask, mean)
        return
    told = stranger.spell(ask, mean)
    assert (int(told or "0", 2), len(told)) == (expected.value, expected.nbits)


@pytest.mark.parametrize("divisor", [1, 2, 3, 5, 8, 13, 100])
@pytest.mark.parametrize("escape", [1, 3, 20])
def test_every_number_of_steps_has_the_same_word(divisor: int, escape: int) -> None:
    """Past the escape too, and at it."""
    code = Nearest(centre=0.0, step=1.0, divisor=divisor, escape=escape)
    ask = {"code": 2, "centre": 0.0, "step": 1.0, "divisor": divisor, "escape": escape}
    for steps in range(-12 * divisor - 5, 12 * divisor + 5):
        assert stranger.spell(ask, float(steps)) == str(code.write(float(steps)))


@pytest.mark.parametrize("dither", [0.0, 0.25, 0.75])
def test_every_level_has_the_same_word(dither: float) -> None:
    """The ends of QuBan's ranges lie on multiples of 1/8."""
    code = Levels(step=1.0, centre=0, dither=dither)
    ask = {"code": 3, "step": 1.0, "level": 0, "dither": int(dither * 2**32)}
    for eighths in range(-8 * 40, 8 * 40):
        assert stranger.spell(ask, eighths / 8) == str(code.write(eighths / 8))


@pytest.mark.parametrize("nbits", [0, 1, 15, 16, 17, 24, 64])
@pytest.mark.parametrize("message", [1, 57, 58, 300])
@pytest.mark.parametrize("arm", [0, 65535, 65536])
def test_every_report_has_the_same_frame(nbits: int, message: int, arm: int) -> None:
    value = (1 << nbits) - 1 - (nbits > 1)
    report = Report(run=0x1234AB01, arm=arm, message=message, symbol=Symbol(value, nbits))
    written = stranger.report(report.run.to_bytes(4), arm, message, str(report.symbol))
    assert written == wire.encode(report)


def _request(run: int, question: Question, number: int = 1) -> Request:
    return Request(run=run, arm=0, message=number, question=question)


@given(batches())
def test_packed_frames_are_read_the_same(batch: list[Message]) -> None:
    frame, run = wire.pack(batch), batch[0].run.to_bytes(4)
    if not isinstance(batch[0], Request | Dismiss):
        with pytest.raises(ValueError, match="no sound frame"):
            stranger.decode(frame, run, batch[0].arm)
        return
    for message in batch:
        ask = stranger.decode(frame, run, message.arm)
        assert ask == stranger.decode(wire.encode(message), run, message.arm)
        if isinstance(message, Dismiss):
            assert ask["cause"] == (1 if message.cause is Cause.DROPPED else 2)
            continue
        assert isinstance(message, Request)
        plain = to_plain(message.question)
        assert (ask["message"], ask["until"]) == (message.message, plain["until"])
        code = {"escape": 20} | ask
        if message.question.code.name == "levels":
            code |= {"centre": ask["level"], "dither": ask["dither"] / 2**32}
        for name, value in plain["code"].items():
            assert name == "name" or code[name] == value


def test_epochs_repeats_and_positions_are_answered_the_same() -> None:
    """What the page says of numbers and epochs, message by message, beside our own machine."""
    raw = Question(until=4, code=Raw())
    more = replace(raw, until=9)
    opening = "an opening"
    run = run_of_opening(opening)

    def request(epoch: int, number: int, question: Question) -> Request:
        return _request(run_field(run, epoch), question, number)

    def dismissal(epoch: int) -> Dismiss:
        return Dismiss(run=run_field(run, epoch), arm=0, cause=Cause.DROPPED)

    ours = [Agent(run, 0)]
    other = _joined(opening, 1)
    script: list[tuple[Request | Dismiss, int]] = [
        (request(1, 1, raw), 1),
        (request(1, 1, raw), 1),  # again: the same answer
        (request(1, 3, more), 1),  # a gap is no harm
        (request(1, 2, raw), 0),  # late
        (request(0, 9, more), 0),  # an epoch that is over
        (request(2, 1, raw), 1),  # it has made nine pulls: a position
        (request(2, 1, raw), 1),
        (request(2, 2, more), 1),  # exactly there: answered at once
        (dismissal(1), 0),  # an epoch that is over
        (request(2, 3, replace(raw, until=12)), 1),
        (dismissal(2), 0),
        (request(2, 4, replace(raw, until=13)), 0),
        (request(130, 1, replace(raw, until=13)), 0),  # half a turn away: not later
        (request(129, 1, replace(raw, until=13)), 1),  # a later epoch voids the dismissal
        (request(0, 1, replace(raw, until=14)), 1),  # and on, past 255
    ]
    for message, answers in script:
        heard = stranger.obey(wire.encode(message), other, TAPES[0])
        expected = [wire.encode(answer) for answer in _served(ours, (message,))]
        assert [heard] * answers == expected
        assert bool(heard) is bool(answers)


def test_what_is_asked_again_is_the_same_question_wherever_it_was_spelt() -> None:
    opening = "an opening"
    field = run_field(run_of_opening(opening), 1)
    asked = _request(field, Question(until=4, code=Raw()))
    packed = wire.pack([asked, replace(asked, arm=3)])
    other = _joined(opening, 1)
    answer = stranger.obey(wire.encode(asked), other, TAPES[0])
    known = dict(other)
    assert stranger.obey(packed, other, TAPES[0]) == answer
    changed = replace(asked, question=replace(asked.question, until=5))
    ours = Agent(run_of_opening(opening), 0)
    _served([ours], (asked,))
    with pytest.raises(PeerProtocolError, match="first asked"):
        ours.receive(changed)
    with pytest.raises(ValueError, match="another question"):
        stranger.obey(wire.encode(changed), other, TAPES[0])
    with pytest.raises(ValueError, match="this run"):
        stranger.obey(wire.encode(replace(asked, run=field ^ 1 << 31)), other, TAPES[0])
    with pytest.raises(ValueError, match="not in list"):
        stranger.obey(wire.encode(replace(asked, arm=3)), other, TAPES[0])
    assert other == known


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: str(entry["what"]))
def test_damaged_frames_are_refused_and_change_nothing(entry: dict[str, Any]) -> None:
    frame = bytes.fromhex(entry["hex"])
    damaged = [flipped(frame, bit) for bit in range(8 * len(frame))]
    damaged += [frame[:size] for size in range(len(frame))]
    if not {"requests", "dismissals"} & entry.keys():
        damaged.append(frame)  # it is whole, and not for an agent
    arm = next(iter(wire.decode(frame))).arm
    for one in damaged:
        if one != frame:
            with pytest.raises(FrameError):
                wire.decode(one)
        with pytest.raises(REFUSALS):
            stranger.decode(one, one[4:8], arm)


def _row(head: str) -> list[str]:
    """The cells of the page's table row that begins with `head`."""
    (line,) = (
        line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {head} |")
    )
    return _cells(line)[1:]


def _columns(head: str) -> list[list[str]]:
    """The columns of the page's table whose first row is `head`, without that row."""
    lines = PAGE.read_text("utf-8").splitlines()
    first = lines.index(head) + 2
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[first:])
    return [list(column) for column in zip(*map(_cells, rows), strict=True)]


def _cells(row: str) -> list[str]:
    return [cell.strip(" `").replace("−", "-") for cell in row.strip("|").split("|")]


def test_the_words_on_the_page_are_those_of_the_codes() -> None:
    codes = ((1, 3), (2, 20), (3, 20), (5, 20))
    head = " | ".join(f"golomb(n, {divisor}, {escape})" for divisor, escape in codes)
    numbers, *columns = _columns(f"| n | {head} |")
    assert numbers == [str(number) for number in range(9)]
    for (divisor, escape), words in zip(codes, columns, strict=True):
        assert words == [str(write_golomb(int(number), divisor, escape)) for number in numbers]
    assert _row("gamma") == [str(write_gamma(number)) for number in (0, 1, 2, 3, 4, 7)]
    code = Levels(step=1.0, centre=0, dither=0.5)
    means, words, levels = _columns("| x | word | level |")
    assert words == [str(code.write(float(mean))) for mean in means]
    assert [int(level) for level in levels] == [code.read(code.write(float(x))) for x in means]


def test_the_answers_on_the_page_are_those_of_the_codes() -> None:
    bins = Bins(low=0.25, step=0.0625, bins=8)
    assert [str(bins.write(mean)) for mean in (0.58, 0.1, 0.9)] == ["101", "000", "111"]
    assert bins.read(bins.write(0.58)) == 0.59375
    code = Nearest(centre=0.625, step=0.125, divisor=2, escape=20)
    question = Question(until=300, code=code)
    assert [str(question.answer(mean)) for mean in (0.71, 0.9, 0.5)] == ["01", "101", "100"]
    assert question.read(question.answer(0.71)) == Told(mean=0.75)
    levels = Levels(step=0.125, centre=5, dither=0.75)
    assert [str(levels.write(mean)) for mean in (0.71, 0.72)] == ["010", "011"]


@pytest.mark.slow
def test_the_table_of_what_requests_cost_is_what_its_snippet_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = PAGE.read_text("utf-8")
    (snippet,) = blocks_run_by("tests/wire/frames/test_other_agent.py")
    exec(compile(snippet.text, snippet.page, "exec"), {})
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 8
    for row in rows:
        assert row in page
