"""Announcements: read back as written, small whatever the fleet, and nothing else is one."""

import json
from dataclasses import replace

import pytest

from bitarm.errors import PeerProtocolError
from bitarm.wire import MAX_BYTES
from bitarm.wire.announcement import MOST_BYTES, Announcement, dump_announcement, load_announcement

_SOUND = Announcement(
    opening="ab",
    epoch=255,
    arms={0: "north", 2: "Größe\n", 4_294_967_295: ""},
    bounds=(-0.1, 1e300),
    seed=2**64 - 1,
    report_bytes=51,
)


@pytest.mark.parametrize("bounds", [None, (-0.1, 1e300), (0.0, 1.0)])
def test_an_announcement_is_read_back(bounds: tuple[float, float] | None) -> None:
    announcement = replace(_SOUND, bounds=bounds)
    assert load_announcement(dump_announcement(announcement)) == announcement


def test_it_says_nothing_of_how_the_run_is_decided() -> None:
    plain = json.loads(dump_announcement(_SOUND))
    assert plain.keys() == {
        "version",
        "opening",
        "epoch",
        "arms",
        "bounds",
        "seed",
        "report_bytes",
    }


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"\xff", "must be JSON"),
        (b"[" * 100_000, "must be JSON"),
        (b"[]", "must have version 2"),
        (b'{"version": 1}', "must have version 2, got 1: bring learner and agents to the same"),
        (b'{"version": 2}', "must name its opening"),
        (b" " * (MOST_BYTES + 1), "at most 1048576 bytes, got 1048577"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_anything_else_is_refused(payload: bytes, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        load_announcement(payload)


@pytest.mark.parametrize(
    ("word", "value", "why"),
    [
        ("opening", "", "must name its opening"),
        ("opening", "x" * 65, "must name its opening"),
        ("opening", 7, "must name its opening"),
        ("epoch", -1, "epoch must lie in"),
        ("epoch", 256, "epoch must lie in"),
        ("epoch", 1.0, "epoch must lie in"),
        ("epoch", True, "epoch must lie in"),
        ("epoch", None, "epoch must lie in"),
        ("seed", -1, "seed must lie between"),
        ("seed", 2**64, "seed must lie between"),
        ("seed", "7", "seed must lie between"),
        ("arms", [], "must name the agent's arms"),
        ("arms", {}, "must name the agent's arms"),
        ("arms", {"-1": "x"}, "an arm has a number"),
        ("arms", {"1.5": "x"}, "an arm has a number"),
        ("arms", {"": "x"}, "an arm has a number"),
        ("arms", {"²": "x"}, "an arm has a number"),
        ("arms", {"4294967296": "x"}, "must have a name"),
        ("arms", {"1": 3}, "must have a name"),
        ("bounds", [0.0], "bounds must be two numbers"),
        ("bounds", [0.0, 1.0, 2.0], "bounds must be two numbers"),
        ("bounds", ["0", "1"], "bounds must be two numbers"),
        ("bounds", [True, 2.0], "bounds must be two numbers"),
        ("bounds", [1.0, 0.0], "bounds"),
        ("report_bytes", 0, "report_bytes must lie in"),
        ("report_bytes", -1, "report_bytes must lie in"),
        ("report_bytes", MAX_BYTES + 1, "report_bytes must lie in"),
        ("report_bytes", 1.5, "report_bytes must lie in"),
        ("report_bytes", True, "report_bytes must lie in"),
        ("report_bytes", "51", "report_bytes must lie in"),
        ("report_bytes", None, "report_bytes must lie in"),
    ],
)
def test_every_word_must_make_sense(word: str, value: object, why: str) -> None:
    plain = json.loads(dump_announcement(_SOUND))
    assert word in plain
    plain[word] = value
    with pytest.raises(PeerProtocolError, match=why):
        load_announcement(json.dumps(plain).encode())


@pytest.mark.parametrize("bounds", ["[NaN, 1.0]", "[0.0, Infinity]", "[-Infinity, Infinity]"])
def test_bounds_are_numbers_that_a_reward_can_lie_between(bounds: str) -> None:
    text = dump_announcement(replace(_SOUND, bounds=(0.0, 1.0))).decode()
    assert "[0.0,1.0]" in text
    with pytest.raises(PeerProtocolError, match="bounds"):
        load_announcement(text.replace("[0.0,1.0]", bounds).encode())


def test_a_learner_that_names_no_size_has_no_link_to_spare() -> None:
    plain = json.loads(dump_announcement(replace(_SOUND, report_bytes=MAX_BYTES)))
    del plain["report_bytes"]
    again = load_announcement(json.dumps(plain).encode())
    assert again == replace(_SOUND, report_bytes=MAX_BYTES)
