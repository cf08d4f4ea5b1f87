"""Frames as bytes, worked out by hand from docs/wire.md: they may never change."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.codes import CODES
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import TASKS
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.wire import decode, describe, pack
from bitarm.wire.frames.envelope import FrameKind

TESTS = Path(__file__).parents[2]
GOLDEN: list[dict[str, Any]] = json.loads((TESTS / "golden" / "wire.json").read_text("utf-8"))


def symbol(bits: str) -> Symbol:
    return Symbol(int(bits or "0", 2), len(bits))


def question(told: dict[str, Any]) -> Question:
    code = dict(told["code"])
    made = CODES[code.pop("name")](**code)
    scale = Scale(**told["scale"]) if "scale" in told else None
    task = dict(told.get("task", {}))
    if "hurdles" in task:
        task["hurdles"] = tuple(task["hurdles"])
    return Question(
        until=told["until"],
        code=made,
        scale=scale,
        task=TASKS[task.pop("name")](**task) if task else None,
    )


def messages_of(entry: dict[str, Any]) -> tuple[Message, ...]:
    def common(item: dict[str, Any]) -> dict[str, Any]:
        return {"run": int(item["run"], 16), "arm": item["arm"]}

    reports = (
        Report(**common(item), message=item["message"], symbol=symbol(item["symbol"]))
        for item in entry.get("reports", [])
    )
    requests = (
        Request(**common(item), message=item["message"], question=question(item["question"]))
        for item in entry.get("requests", [])
    )
    dismissals = (
        Dismiss(**common(item), cause=Cause(item["cause"])) for item in entry.get("dismissals", [])
    )
    positions = (
        Position(**common(item), message=item["message"], pulls=item["pulls"])
        for item in entry.get("positions", [])
    )
    return (*reports, *requests, *dismissals, *positions)


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: str(entry["what"]))
def test_a_frame_keeps_its_bytes(entry: dict[str, Any]) -> None:
    messages = messages_of(entry)
    frame = bytes.fromhex(entry["hex"])
    assert pack(messages).hex(" ") == frame.hex(" ")
    assert decode(frame) == messages


def test_every_kind_and_every_code_is_golden() -> None:
    frames = [bytes.fromhex(entry["hex"]) for entry in GOLDEN]
    assert {frame[1] for frame in frames if frame[0] == 0x80} == set(FrameKind)
    assert any(frame[0] != 0x80 for frame in frames)
    asked = [item["question"] for entry in GOLDEN for item in entry.get("requests", [])]
    assert {question["code"]["name"] for question in asked} == set(CODES)
    assert {question["task"]["name"] for question in asked if "task" in question} == set(TASKS)
    assert any("scale" in question and "task" not in question for question in asked)


def test_the_worked_examples_of_the_documentation_are_golden() -> None:
    page = (TESTS.parent / "docs" / "wire.md").read_text("utf-8")
    examples = re.findall(r"`((?:[0-9a-f]{2} ){10,}[0-9a-f]{2})`", page)
    assert len(examples) >= 8
    golden = {bytes.fromhex(entry["hex"]): entry["what"] for entry in GOLDEN}
    assert {bytes.fromhex(example) for example in examples} <= set(golden)
    kinds = {bytes.fromhex(example)[1] for example in examples if example.startswith("80 ")}
    assert kinds >= {
        FrameKind.REQUEST,
        FrameKind.DISMISS,
        FrameKind.POSITION,
        FrameKind.REPORT,
        FrameKind.REQUESTS,
    }


def test_the_description_of_the_first_golden_frame() -> None:
    fields = describe(bytes.fromhex(GOLDEN[0]["hex"]))
    assert [(field.name, field.first_bit, field.nbits, field.value) for field in fields] == [
        ("version", 0, 1, 1),
        ("message code", 1, 6, 0b000101),
        ("symbol", 7, 3, 0b101),
        ("marker", 10, 1, 1),
        ("filler", 11, 13, 0),
        ("run", 24, 32, 0x1234AB01),
        ("arm", 56, 16, 3),
        ("check sum", 72, 16, 0xC9D5),
    ]
    meanings = {field.name: field.meaning for field in fields}
    assert meanings["message code"] == "message 2"
    assert meanings["symbol"].endswith("bits 101")
    assert meanings["run"] == "run 1234ab, epoch 1"


def described(what: str) -> dict[str, str]:
    (entry,) = (entry for entry in GOLDEN if entry["what"] == what)
    return {field.name: field.meaning for field in describe(bytes.fromhex(entry["hex"]))}


def test_the_description_of_a_request_is_the_question_in_words() -> None:
    meanings = described("request for the nearest step, with the usual escape")
    assert meanings["kind"] == "request"
    assert meanings["question"] == "tell the mean, in the form nearest"
    assert meanings["until"] == "pull until 300 pulls in all"
    assert meanings["centre"] == "say how far the mean is from 0.625"
    assert meanings["step"] == "in steps of 0.125"
    assert meanings["divisor"] == "Golomb's divisor 2"


def test_the_description_of_numbers_below_zero_and_of_fractions() -> None:
    assert described("request in levels below zero")["centre"] == "levels are counted from -5"
    assert described("request in levels")["dither"] == "round up if the fraction is above 0.75"
