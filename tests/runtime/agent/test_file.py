"""An agent's memory on disk: whole or not at all, its own, one process at a time."""

import json
import os
import re
import stat
from pathlib import Path

import pytest

from bitarm.core.agent import Agent, AgentState
from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Cause, Dismiss, Position, Request
from bitarm.core.question import Question
from bitarm.errors import StoreError, TransportError
from bitarm.runtime.agent import file as agent_file
from bitarm.runtime.agent.file import AgentFile
from bitarm.runtime.agent.memory import BEGIN_ANEW, AgentMemory

_RUN = 0xABCDEF
_BINS = Bins(low=0.0, step=0.125, bins=8)


def _asked(message: int, question: Question, epoch: int = 3) -> Request:
    return Request(run=run_field(_RUN, epoch), arm=1, message=message, question=question)


def _answered(code: Code = _BINS, total: float = 0.1 + 0.2) -> Agent:
    agent = Agent(_RUN, 1)
    agent.receive(_asked(1, Question(until=4, code=code)))
    agent.observe(4, total)
    return agent


def _memory(opening: str = "ab", state: AgentState | None = None) -> AgentMemory:
    arms = {1: state or _answered().state}
    return AgentMemory(opening=opening, agent="gw", life="one", arms=arms, restarts=3)


def test_what_was_saved_is_loaded_to_the_last_bit(tmp_path: Path) -> None:
    file = AgentFile(tmp_path / "deep" / "gw.json")
    assert file.load() is None
    file.save(_memory())
    file.close()
    again = AgentFile(tmp_path / "deep" / "gw.json")
    assert again.load() == _memory()
    again.close()


@pytest.mark.parametrize("looks", [False, True])
def test_what_an_arm_that_judges_itself_has_bet_is_loaded_to_the_last_bit(
    *, looks: bool, tmp_path: Path
) -> None:
    agent = Agent(_RUN, 1)
    challenge = Challenge(edge=0.75, first=0, hurdles=(80, 64, 255))
    scale = Scale(bounded=True, low=-0.1, unit=1.3)
    code = Above(low=0.1, step=0.125)
    agent.receive(_asked(1, Question(until=40, code=code, scale=scale, task=challenge)))
    for reward in (0.1, 0.2, 0.3):
        agent.observe(1, reward, [reward])
        if reward < 0.3 or not looks:
            agent.look()
    assert agent.is_looking == looks
    memory = _memory(state=agent.state)
    file = AgentFile(tmp_path / "gw.json")
    file.save(memory)
    assert file.load() == memory
    file.close()


_AWKWARD = [0.1, -0.0, 1.7976931348623157e308, 5e-324]


@pytest.mark.parametrize("value", _AWKWARD)
@pytest.mark.parametrize(
    "code",
    [
        _BINS,
        Nearest(centre=0.1 + 0.2, step=1 / 3, divisor=5, escape=7),
        Levels(step=1 / 3, centre=-(2**49), dither=1 - 2**-32),
        Raw(),
    ],
    ids=lambda code: str(code.name),
)
def test_a_question_that_is_served_is_loaded_to_the_last_bit(
    code: Code, value: float, tmp_path: Path
) -> None:
    agent = _answered()
    request = _asked(2, Question(until=8, code=code))
    agent.receive(request)
    agent.observe(1, value if abs(value) < 1 else 0.5)
    memory = _memory(state=agent.state)
    file = AgentFile(tmp_path / "gw.json")
    file.save(memory)
    loaded = file.load()
    file.close()
    assert loaded == memory
    again = Agent(_RUN, 1, loaded.arms[1])
    assert again.receive(request) == ()  # the one that it serves
    assert again.observe(3, 0.4) == agent.observe(3, 0.4)
    assert again.state == agent.state
    assert repr(again.state) == repr(agent.state)  # the sign of a zero too


def test_all_that_an_agent_may_hold_is_loaded(tmp_path: Path) -> None:
    told_nothing = _answered(code=Bins(low=0.0, step=1.0, bins=1))
    assert told_nothing.state.symbol is not None
    assert told_nothing.state.symbol.nbits == 0
    ahead = _answered()
    (told,) = ahead.receive(_asked(2, Question(until=3, code=_BINS)))
    assert isinstance(told, Position)
    gone = _answered()
    gone.receive(Dismiss(run=run_field(_RUN, 3), arm=1, cause=Cause.DROPPED))
    file = AgentFile(tmp_path / "gw.json")
    for agent in (told_nothing, ahead, gone, Agent(_RUN, 1)):
        file.save(_memory(state=agent.state))
        assert file.load() == _memory(state=agent.state)
    file.close()


def test_a_second_user_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    first = AgentFile(tmp_path / "gw.json")
    with pytest.raises(TransportError, match="serves this agent already"):
        AgentFile(tmp_path / "gw.json")
    first.close()
    AgentFile(tmp_path / "gw.json").close()


def test_a_save_that_fails_leaves_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = AgentFile(tmp_path / "gw.json")
    file.save(_memory())

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        file.save(_memory("other"))
    assert file.load() == _memory()
    assert not (tmp_path / "gw.new").exists()
    file.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 1}',
        '{"version": 2}',
        '{"version": 4}',
        '{"version": 3, "sum": "", "memory": {}}',
        "\x00",
        "[" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_memory_is_refused_and_left(text: str, tmp_path: Path) -> None:
    (tmp_path / "gw.json").write_text(text)
    file = AgentFile(tmp_path / "gw.json")
    with pytest.raises(StoreError, match="remove it, and the agent begins anew"):
        file.load()
    file.close()
    assert (tmp_path / "gw.json").read_text() == text


def test_every_digit_is_covered_by_the_check_sum(tmp_path: Path) -> None:
    """Whichever digit of the file changes, the memory is refused: none passes for another."""
    path = tmp_path / "gw.json"
    file = AgentFile(path)
    file.save(_memory(state=_answered(Nearest(centre=0.3, step=0.1, divisor=5), 0.3).state))
    sound = path.read_text()
    digits = [found.start() for found in re.finditer(r"[0-9]", sound)]
    assert len(digits) >= 40
    for at in digits:
        for other in "0123456789".replace(sound[at], ""):
            path.write_text(sound[:at] + other + sound[at + 1 :])
            with pytest.raises(StoreError, match="Put the right file back; or remove it"):
                file.load()
    path.write_text(sound)
    assert file.load() is not None
    file.close()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"pulls": "4"}, "expected int, got '4'"),
        ({"phase": "asleep"}, "expected one of idle, pulling, looking, dismissed"),
        ({"question": {"until": 0, "code": {"name": "raw"}}}, "until must lie in"),
        ({"total": [[[]]]}, "can read"),
    ],
)
def test_a_right_check_sum_over_nonsense_is_refused_too(
    change: dict[str, object], why: str, tmp_path: Path
) -> None:
    """Written by another program: it knows the sum, and not what an agent can hold."""
    path = tmp_path / "gw.json"
    file = AgentFile(path)
    file.save(_memory())
    plain = json.loads(path.read_text())
    plain["memory"]["arms"]["1"].update(change)
    plain["sum"] = agent_file._sum(plain["memory"])
    path.write_text(json.dumps(plain))
    with pytest.raises(StoreError, match=why):
        file.load()
    file.close()


def test_what_an_agent_keeps_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "gw-1.json"
    loose = path.with_suffix(".new")
    loose.touch(0o644)  # left there by a crash
    before = os.umask(0)
    try:
        file = AgentFile(path)
        file.save(_memory())
    finally:
        os.umask(before)
    assert {stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()} == {0o600}
    assert sorted(found.suffix for found in tmp_path.iterdir()) == [".json", ".lock"]
    file.close()


@pytest.mark.parametrize(
    "found", [b"", b"\x82garbage", b"[]", b"{", b"[" * 99_999, b'{"version": 3, "memory": {}}']
)
def test_a_file_that_holds_something_else_is_refused_with_what_to_do(
    found: bytes, tmp_path: Path
) -> None:
    (tmp_path / "gw.json").write_bytes(found)
    file = AgentFile(tmp_path / "gw.json")
    expected = f"gw.json is no memory of an agent that this version can read: .*{BEGIN_ANEW}"
    with pytest.raises(StoreError, match=expected) as caught:
        file.load()
    assert ("it is empty" in str(caught.value)) == (not found)
    file.close()
