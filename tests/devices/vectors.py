"""Test vectors of agents, tests/golden/agent.json: what they are, and how one is played.

    {"version": 1, "cases": [{
      "name": …, "fraction": 16, "low": 0, "high": 65536, "most_pulls": …,
      "most_bits": 16,        if there: the longest answer that the agent's link carries
      "rewards": [...],       in units of 2^-fraction; the n-th is what pull n brings
      "events": [{
        "hear": hex,          a frame arrives; then the agent pulls as many rewards as it wants
        "say": hex or null,   the frame that it sends, once or more often; no other
        "refuse": kind,       or what becomes of the frame: truncated, corrupt, version, refused;
                              an agent may call them all "refused"
        "cut_after": n,       power fails n rewards later; then the frame arrives once more
        "count": n            pulls made when nothing more is wanted
      }]
    }]}

Each case is a new agent. Rewards that were lost in a power cut are read again, by their number. An
agent with short floats may give up later: its count may be higher where it says the same. Fights
are decided by a hair: with "too little" an arm lacks a millionth of a nat to be beaten, and must
not give up; with "enough" it has a fifth of a nat more than that takes, and must.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from devices.benches import Bench, Reply

VERSION = 1
PATH = Path(__file__).parents[1] / "golden" / "agent.json"
_AT_ONCE = 100


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A frame that arrives; and when power fails after it, if it does."""

    hear: bytes
    cut_after: int | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one agent hears, and the rewards that it will pull."""

    name: str
    events: tuple[Event, ...]
    rewards: Sequence[int] = ()
    fraction: int = 16
    low: int = 0
    high: int = 1 << 16
    most_pulls: int = 1 << 30
    most_bits: int | None = None

    @property
    def begin(self) -> str:
        """The line, after the arm's number, with which a bench begins."""
        line = f"new {self.fraction} {self.low} {self.high} {self.most_pulls}"
        return line if self.most_bits is None else f"{line} {self.most_bits}"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an event."""

    say: bytes | None
    refuse: str | None
    count: int


def agree(played: Sequence[Outcome], expected: Sequence[Outcome]) -> bool:
    """Whether an agent did what is expected: it may refuse without saying why."""
    return len(played) == len(expected) and all(
        mine == outcome or (mine == replace(outcome, refuse="refused") and outcome.refuse)
        for mine, outcome in zip(played, expected, strict=True)
    )


def play(case: Case, bench: Bench, arm: int = 0) -> list[Outcome]:
    """What an agent makes of a case."""
    bench.ask(f"{arm} {case.begin}")
    outcomes: list[Outcome] = []
    for event in case.events:
        last = outcomes[-1].say if outcomes else None
        outcomes.append(_play(case, event, bench, arm, last))
    return outcomes


def _play(case: Case, event: Event, bench: Bench, arm: int, before: bytes | None) -> Outcome:
    """What becomes of an event; `before` is what was said last, which a new start says again."""
    heard = f"{arm} hear {event.hear.hex()}"
    replies = [bench.ask(heard)]
    left = event.cut_after
    while True:
        last = replies[-1]
        if last.kind not in ("say", "quiet"):
            return Outcome(say=None, refuse=last.kind, count=last.count)
        if left == 0:
            left = None
            started = bench.ask(f"{arm} cut")
            replies += [started] if started.frame != before else []
            replies.append(bench.ask(heard))
            continue
        if not last.wanted:
            break
        count = min(last.wanted, _AT_ONCE, left or _AT_ONCE)
        rewards = case.rewards[last.count : last.count + count]
        assert len(rewards) == count, f"{case.name}: more rewards are wanted than there are"
        replies.append(bench.ask(f"{arm} give {' '.join(map(str, rewards))}"))
        if left is not None:
            left -= replies[-1].count - last.count
    return Outcome(say=_only(replies), refuse=None, count=replies[-1].count)


def _only(replies: list[Reply]) -> bytes | None:
    said = {reply.frame for reply in replies if reply.frame is not None}
    assert len(said) <= 1, "two answers to one question"
    return said.pop() if said else None


def plain(case: Case, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """A case and its outcomes as JSON has them."""
    events = []
    for event, outcome in zip(case.events, outcomes, strict=True):
        told: dict[str, Any] = {"hear": event.hear.hex()}
        if outcome.refuse is not None:
            told["refuse"] = outcome.refuse
        else:
            told["say"] = None if outcome.say is None else outcome.say.hex()
        if event.cut_after is not None:
            told["cut_after"] = event.cut_after
        events.append({**told, "count": outcome.count})
    return {
        "name": case.name,
        "fraction": case.fraction,
        "low": case.low,
        "high": case.high,
        "most_pulls": case.most_pulls,
        **({} if case.most_bits is None else {"most_bits": case.most_bits}),
        "rewards": list(case.rewards),
        "events": events,
    }


def recorded() -> list[tuple[Case, list[Outcome]]]:
    """The cases of the file, with what must become of them."""
    held = json.loads(PATH.read_text("utf-8"))
    assert held["version"] == VERSION
    return [_of_plain(case) for case in held["cases"]]


def _of_plain(told: dict[str, Any]) -> tuple[Case, list[Outcome]]:
    events = tuple(
        Event(hear=bytes.fromhex(event["hear"]), cut_after=event.get("cut_after"))
        for event in told["events"]
    )
    outcomes = [
        Outcome(
            say=None if event.get("say") is None else bytes.fromhex(event["say"]),
            refuse=event.get("refuse"),
            count=event["count"],
        )
        for event in told["events"]
    ]
    numbers = {key: told[key] for key in ("name", "fraction", "low", "high", "most_pulls")}
    return (
        Case(events=events, rewards=told["rewards"], most_bits=told.get("most_bits"), **numbers),
        outcomes,
    )
