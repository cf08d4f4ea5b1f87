"""An agent of one arm, from docs/wire.md: HOST PORT RUN AGENT REWARDS.txt MEMORY.json."""

import json
import math
import os
import struct
import sys
from binascii import crc_hqx
from hashlib import blake2b
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any

from paho.mqtt import subscribe

HEADS = {2: "arm message code", 3: "arm", 6: "count code shape", 7: "count shape"}
NUMBERS = ("", "low step bins", "centre step divisor", "step level dither", "")
NOTHING_ASKED: dict[str, Any] = {"answered": 0, "question": {}, "answer": "", "dismissed": False}
NO_RUN = NOTHING_ASKED | {"opening": None, "epoch": 0, "count": 0, "sum": 0.0}


def seal(kind: int, fields: bytes) -> bytes:  # a long frame, from the run to the check sum
    size = len(fields) + 6
    frame = struct.pack(">BBH", 0x80, kind, size | size.bit_count() % 2 << 15) + fields
    return frame + crc_hqx(frame, 0xFFFF).to_bytes(2)


def number(value: int) -> bytes:  # seven bits a byte
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + number(value >> 7)


def read(body: BytesIO, name: str) -> Any:  # a real, a fraction's numerator, or a number
    if name in ("low", "centre", "step"):
        return math.ldexp(read(body, "level"), read(body, "level"))
    value = body.read(1)[0] if name != "dither" else int.from_bytes(body.read(4))
    if value > 127 and name != "dither":
        value += 128 * (read(body, "more") - 1)
    return value if name != "level" else (value + 1) // 2 if value % 2 else -value // 2


def decode(frame: bytes, run: bytes, arm: int) -> dict[str, Any]:  # what it says to one arm
    kind, body = frame[1], BytesIO(frame[8:-2])
    if kind not in HEADS or frame != seal(kind, run + frame[8:-2]):
        raise ValueError("no sound frame of this run to an agent")
    ask = {name: read(body, name) for name in HEADS[kind].split()}
    code, count = ask.get("code", 0), ask.pop("count", 1)
    names = ["message"] * (kind == 6) + (["until"] if code else ["cause"])
    names += NUMBERS[code & 15].split() + ["escape"] * (code >> 5)
    shape = f"{ask.pop('shape', 2 ** len(names) - 1):0{len(names)}b}"
    arms = [ask.pop("arm")] if kind < 4 else [read(body, "arm") for _ in range(count)]
    place = list(accumulate(arms, lambda last, skipped: last + skipped + 1)).index(arm)
    for name, once in zip(names, shape, strict=True):
        column = [read(body, name) for _ in range(1 if once == "1" else count)]
        ask[name] = column[place % len(column)]
    return ask


def spell(ask: dict[str, Any], mean: float) -> str:  # the answer; f"{2**b + n:b}"[1:]: n in b bits
    code, step = ask["code"] & 15, ask.get("step", 1.0)
    if not abs(mean) < {2: 2.0**34, 3: 2.0**50}.get(code, math.inf) * step:
        raise ValueError(f"a mean of {mean} is out of reach")
    word = f"{int.from_bytes(struct.pack('>d', mean)):064b}"
    if code == 1:
        place = math.floor(min(max((mean - ask["low"]) / step, 0), ask["bins"] - 1))
        word = f"{2 ** (ask['bins'] - 1).bit_length() + place:b}"[1:]
    elif code == 2:
        steps, divisor = math.floor((mean - ask["centre"]) / step + 0.5), ask["divisor"]
        ones, rest = divmod(2 * abs(steps) - (steps > 0), divisor)
        escape, power = ask.get("escape", 20), 2 ** (divisor - 1).bit_length()
        beyond = max(ones - escape, 0) * divisor + rest + 1
        gamma = f"{beyond:0{2 * beyond.bit_length() - 1}b}"
        rest += power // 2 if rest < power - divisor else 2 * power - divisor
        word = "1" * min(ones, escape) + (gamma if ones >= escape else "0" + f"{rest:b}"[1:])
    elif code == 3:
        x = mean / step - ask["level"]
        far = max(x - 4, -3 - x, 0)
        level = math.floor(far or x) + (ask["dither"] / 2**32 < (far or x) - math.floor(far or x))
        zeros = math.floor(far).bit_length() if far > 1 else 0
        word = f"{'1111' if x > 4 else '1101'}{'0' * zeros}1{level - 2**zeros // 2:0{zeros or 1}b}"
        word = word if far else {4: "1110", -3: "1100"}.get(level) or f"{level + 2:03b}"
    return word


def report(run: bytes, arm: int, message: int, symbol: str) -> bytes:  # short if it fits
    if len(symbol) > 16 or arm > 65535 or message > 57:
        tail = bytes(int(symbol[at : at + 8].ljust(8, "0"), 2) for at in range(0, len(symbol), 8))
        return seal(1, run + number(arm) + number(message) + number(len(symbol)) + tail)
    code = [code for code in range(64) if code.bit_count() >= 2][message - 1]
    frame = int(f"1{code:06b}{symbol}1".ljust(24, "0"), 2).to_bytes(3) + run + arm.to_bytes(2)
    return frame + crc_hqx(frame, 0xFFFF).to_bytes(2)


def obey(frame: bytes, now: dict[str, Any], rewards: list[float]) -> bytes:
    """Follow a frame; the answer may be sent once `now` is durable."""
    arm, ahead = int(*now["arms"]), (frame[7] - now["epoch"]) % 256
    run = blake2b(now["opening"].encode(), digest_size=3).digest() + frame[7:8]
    ask = decode(frame, run, arm)
    now |= NOTHING_ASKED | {"epoch": run[3]} if 0 < ahead < 128 else {}
    now["dismissed"] |= "cause" in ask and ahead < 128
    if ahead >= 128 or now["dismissed"] or ask["message"] < now["answered"]:
        return b""
    if ask["message"] > now["answered"]:
        answer = seal(4, run + number(arm) + number(ask["message"]) + number(now["count"]))
        if now["count"] <= ask["until"]:
            now["sum"] += sum(rewards[at] for at in range(now["count"], ask["until"]))
            now["count"] = ask["until"]
            answer = report(run, arm, ask["message"], spell(ask, now["sum"] / now["count"]))
        now |= {"answered": ask["message"], "question": ask, "answer": answer.hex()}
    if ask != now["question"]:
        raise ValueError("another question of the same number")
    return bytes.fromhex(now["answer"])


if __name__ == "__main__":
    host, port, run, name, rewards_file, memory, boot = *sys.argv[1:], os.urandom(8).hex()
    rewards = [float(line) for line in Path(rewards_file).read_text().split()]
    now = json.loads(Path(memory).read_text()) if Path(memory).exists() else dict(NO_RUN)
    own, folder = f"bitarm/v2/{run}/{name}", os.open(Path(memory).parent, os.O_RDONLY)

    def hear(client: Any, _: Any, message: Any) -> None:
        told, answer, is_frame = dict[str, Any](), b"", message.topic == f"{own}/request"
        try:
            told = {} if is_frame else json.loads(message.payload or b"{}")
            answer = obey(message.payload, now, rewards) if is_frame else b""
        except (ValueError, LookupError, ArithmeticError, RecursionError, struct.error) as why:
            print("refused:", why, file=sys.stderr)
        is_new, ahead = told.get("opening") != now["opening"], told.get("epoch", 0) - now["epoch"]
        if "arms" in told and (is_new or 0 < ahead % 256 < 128):
            now.update((NO_RUN if is_new else NOTHING_ASKED) | told)
        now["dismissed"] |= told.get("presence") == "done" and not is_new and ahead % 256 < 128
        with open(f"{memory}.new", "wb", buffering=0) as file:
            file.write(json.dumps(now).encode())
            os.fsync(file)
        os.replace(f"{memory}.new", memory)
        os.fsync(folder)
        status = {key: now[key] for key in ("opening", "epoch", "answered")} | {"boot": boot}
        status["presence"] = "done" if now["dismissed"] else "online"
        if "arms" in told or now["dismissed"]:
            client.publish(f"{own}/status", json.dumps(status), 1, retain=not now["dismissed"])
        if answer:
            client.publish(f"{own}/report", answer, 1)
        if now["dismissed"]:
            client.publish(f"{own}/status", b"", 1, retain=True)
            client.on_message, client.on_unsubscribe = None, lambda *_: client.disconnect()
            client.unsubscribe(topics)

    topics = [f"{own}/run", f"{own}/request", f"bitarm/v2/{run}/learner/end"]
    will = {"topic": f"{own}/status", "payload": '{"presence":"offline"}', "qos": 1, "retain": True}
    subscribe.callback(hear, topics, 1, None, host, int(port), f"bitarm-{run}-{name}", will=will)  # type: ignore[no-untyped-call]
