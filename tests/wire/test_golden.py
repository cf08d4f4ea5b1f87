"""Frames as bytes, worked out by hand from docs/wire.md: they may never change."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Message, Report, Request
from bitarm.wire import decode, describe, pack
from bitarm.wire.envelope import Kind

TESTS = Path(__file__).parents[1]
GOLDEN: list[dict[str, Any]] = json.loads((TESTS / "golden" / "wire.json").read_text("utf-8"))


def symbol(bits: str) -> Symbol:
    return Symbol(int(bits or "0", 2), len(bits))


def hint(item: dict[str, Any]) -> Hint | None:
    told = item.get("hint")
    return None if told is None else Hint(kind=HintKind(told["kind"]), value=told["value"])


def messages_of(entry: dict[str, Any]) -> tuple[Message, ...]:
    def common(item: dict[str, Any]) -> dict[str, Any]:
        return {"run": int(item["run"], 16), "arm": item["arm"]}

    reports = (
        Report(**common(item), message=item["message"], symbol=symbol(item["symbol"]))
        for item in entry.get("reports", [])
    )
    requests = (
        Request(**common(item), message=item["message"], until=item["until"], hint=hint(item))
        for item in entry.get("requests", [])
    )
    dismissals = (
        Dismiss(**common(item), cause=Cause(item["cause"])) for item in entry.get("dismissals", [])
    )
    return (*reports, *requests, *dismissals)


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: str(entry["what"]))
def test_a_frame_keeps_its_bytes(entry: dict[str, Any]) -> None:
    messages = messages_of(entry)
    frame = bytes.fromhex(entry["hex"])
    assert pack(messages).hex(" ") == frame.hex(" ")
    assert decode(frame) == messages


def test_every_kind_is_golden() -> None:
    frames = [bytes.fromhex(entry["hex"]) for entry in GOLDEN]
    assert {frame[1] for frame in frames if frame[0] == 0} == set(Kind)
    assert any(frame[0] for frame in frames)


def test_the_worked_examples_of_the_documentation_are_golden() -> None:
    page = (TESTS.parent / "docs" / "wire.md").read_text("utf-8")
    examples = re.findall(r"`((?:[0-9a-f]{2} ){10,}[0-9a-f]{2})`", page)
    assert len(examples) == 4
    assert {bytes.fromhex(example) for example in examples} <= {
        bytes.fromhex(entry["hex"]) for entry in GOLDEN
    }


def test_the_description_of_the_first_golden_frame() -> None:
    fields = describe(bytes.fromhex(GOLDEN[0]["hex"]))
    assert [(field.name, field.first_bit, field.nbits, field.value) for field in fields] == [
        ("version", 0, 1, 0),
        ("message code", 1, 6, 0b000101),
        ("symbol", 7, 3, 0b101),
        ("marker", 10, 1, 1),
        ("filler", 11, 13, 0),
        ("run", 24, 32, 0x1234ABCD),
        ("arm", 56, 16, 3),
        ("check sum", 72, 16, 0x25F1),
    ]
    meanings = {field.name: field.meaning for field in fields}
    assert meanings["message code"] == "message 2"
    assert meanings["symbol"] == "the quantizer's bits 101"
    assert meanings["run"] == "run 1234abcd"


def test_the_description_of_a_hinted_request() -> None:
    (entry,) = (entry for entry in GOLDEN if entry["what"] == "request with a cut")
    meanings = {field.name: field.meaning for field in describe(bytes.fromhex(entry["hex"]))}
    assert meanings["kind"] == "hinted_request"
    assert meanings["hint"].startswith("cut: ")
    assert meanings["value"] == "0.625"
