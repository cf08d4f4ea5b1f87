"""An agent's memory on disk: whole or not at all, one process at a time."""

import os
from pathlib import Path

import pytest
from tapes import make_spec

from bitarm.core.agent import Agent, AgentOutput
from bitarm.core.messages import Hint, HintKind, Request
from bitarm.core.quantizers import Dicq, Icq
from bitarm.errors import StoreError, TransportError
from bitarm.runtime.agent_file import AgentFile, AgentMemory

_SPEC = make_spec(quantizer=Icq(bits=3, prior="midpoint"))


def _memory(opening: str = "ab") -> AgentMemory:
    agent = Agent(_SPEC, 1)
    agent.receive(Request(run=_SPEC.fingerprint, arm=1, message=1, until=4))
    agent.observe(4, 0.1 + 0.2)
    return AgentMemory(
        opening=opening, fingerprint=_SPEC.fingerprint, arms={1: agent.state}, restarts=3
    )


def test_what_was_saved_is_loaded_to_the_last_bit(tmp_path: Path) -> None:
    file = AgentFile(tmp_path / "deep" / "gw.json")
    assert file.load() is None
    file.save(_memory())
    file.close()
    again = AgentFile(tmp_path / "deep" / "gw.json")
    assert again.load() == _memory()
    again.close()


@pytest.mark.parametrize("value", [0.1, -0.0, 1.7976931348623157e308, 5e-324])
@pytest.mark.parametrize("kind", list(HintKind))
def test_a_hint_that_is_served_is_loaded_to_the_last_bit(
    kind: HintKind, value: float, tmp_path: Path
) -> None:
    spec = make_spec(quantizer=Dicq())
    agent = Agent(spec, 1)
    agent.receive(Request(run=spec.fingerprint, arm=1, message=1, until=2))
    agent.observe(2, 0.1 + 0.2)
    hint = Hint(kind=kind, value=value)
    request = Request(run=spec.fingerprint, arm=1, message=2, until=8, hint=hint)
    agent.receive(request)
    agent.observe(1, 0.5)
    memory = AgentMemory(opening="ab", fingerprint=spec.fingerprint, arms={1: agent.state})
    file = AgentFile(tmp_path / "gw.json")
    file.save(memory)
    loaded = file.load()
    file.close()
    assert loaded == memory
    again = Agent.restore(spec, 1, loaded.arms[1])
    assert again.receive(request) == AgentOutput()  # the one that it serves
    assert again.observe(5, 0.4) == agent.observe(5, 0.4)
    assert again.state == agent.state  # a ceiling, if it conceded


def test_an_arm_that_conceded_is_loaded_with_its_ceiling(tmp_path: Path) -> None:
    spec = make_spec(quantizer=Dicq())
    agent = Agent(spec, 1)
    hint = Hint(kind=HintKind.CUT, value=0.75)
    agent.receive(Request(run=spec.fingerprint, arm=1, message=1, until=2, hint=hint))
    agent.observe(2, 0.1)
    assert agent.state.held.ceiling == 0.75
    memory = AgentMemory(opening="ab", fingerprint=spec.fingerprint, arms={1: agent.state})
    file = AgentFile(tmp_path / "gw.json")
    file.save(memory)
    assert file.load() == memory
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


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1}', "\x00"])
def test_what_is_no_memory_is_refused_and_left(text: str, tmp_path: Path) -> None:
    (tmp_path / "gw.json").write_text(text)
    file = AgentFile(tmp_path / "gw.json")
    with pytest.raises(StoreError, match="remove the file"):
        file.load()
    file.close()
    assert (tmp_path / "gw.json").read_text() == text
