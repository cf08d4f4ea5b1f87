"""An agent's memory on disk: whole or not at all, one process at a time."""

import os
from pathlib import Path

import pytest
from tapes import make_spec

from bitarm.core.agent import Agent
from bitarm.core.messages import Request
from bitarm.core.quantizers import Icq
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
