"""Finding Mosquitto, starting it, and what is said when that fails."""

import resource
import socket
from pathlib import Path

import pytest
from loopback import PATIENCE, eventually, free_port

from bitarm.errors import ConfigError, MissingExtraError, TransportError
from bitarm.runtime.broker import mosquitto
from bitarm.runtime.broker.check import BrokerCheck
from bitarm.runtime.broker.configuration import Listener, unguarded
from bitarm.runtime.broker.mosquitto import find_mosquitto, running


def _listener(port: int | None = None) -> Listener:
    return Listener(address="127.0.0.1", port=port or free_port(), tls=False)


def _configured(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mosquitto.conf"
    path.write_text(text)
    return path


def test_where_it_is_missing_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(mosquitto, "_PLACES", ())
    with pytest.raises(MissingExtraError, match="sudo apt-get install mosquitto"):
        find_mosquitto()


def test_it_is_found_where_a_users_path_does_not_lead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mosquitto"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(mosquitto, "_PLACES", (str(tmp_path),))
    assert find_mosquitto() == program


def test_it_answers_and_ends(tmp_path: Path) -> None:
    listener = _listener()
    with running(find_mosquitto(), _configured(tmp_path, unguarded(listener)), listener) as broker:
        broker.await_answer(BrokerCheck(listener))
        assert Path(f"/proc/{broker.pid}").exists()
        assert BrokerCheck(listener)()
    assert not Path(f"/proc/{broker.pid}").exists()
    assert not BrokerCheck(listener)()


def test_it_may_hold_as_many_connections_as_the_system_allows(tmp_path: Path) -> None:
    listener, ours = _listener(), resource.getrlimit(resource.RLIMIT_NOFILE)
    with running(find_mosquitto(), _configured(tmp_path, unguarded(listener)), listener) as broker:
        broker.await_answer(BrokerCheck(listener))
        limits = Path(f"/proc/{broker.pid}/limits").read_text()
    (files,) = (line.split() for line in limits.splitlines() if line.startswith("Max open files"))
    assert files[3] == files[4] == str(ours[1])
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == ours


def test_another_program_on_the_port_is_not_taken_for_the_broker(tmp_path: Path) -> None:
    listener = _listener()
    path = _configured(tmp_path, unguarded(listener))
    with running(find_mosquitto(), path, listener) as first:
        first.await_answer(BrokerCheck(listener))
        with (
            pytest.raises(ConfigError, match=f"port {listener.port} on 127.0.0.1 is taken"),
            running(find_mosquitto(), path, listener) as second,
        ):
            second.await_answer(BrokerCheck(listener))
        assert BrokerCheck(listener)()


def test_a_port_held_by_no_broker_at_all(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        listener = _listener(other.getsockname()[1])
        with (
            pytest.raises(ConfigError, match="stop it, or choose another port with --port"),
            running(
                find_mosquitto(), _configured(tmp_path, unguarded(listener)), listener
            ) as broker,
        ):
            broker.await_answer(BrokerCheck(listener))


def test_a_broker_that_dies_says_why(tmp_path: Path) -> None:
    listener = _listener()
    with (
        pytest.raises(TransportError, match=r"Mosquitto ended by itself .*Unknown configuration"),
        running(find_mosquitto(), _configured(tmp_path, "no_such_word 1\n"), listener) as broker,
    ):
        broker.await_answer(BrokerCheck(listener))


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match="cannot be started"),
        running(tmp_path / "nothing", tmp_path / "x", _listener()),
    ):
        pass


def test_a_log_that_nobody_reads_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    listener = _listener()
    text = unguarded(listener) + "log_type all\n"
    with running(find_mosquitto(), _configured(tmp_path, text), listener) as broker:
        broker.await_answer(BrokerCheck(listener))
        payload = b"\x10\x10\x00\x04MQTT\x04\x02\x00\x3c\x00\x04test" + b"\xc0\x00" * 5000
        with socket.create_connection(("127.0.0.1", listener.port), timeout=PATIENCE) as client:
            client.sendall(payload)  # pings: two lines of the log each, more than a pipe holds
        pid = broker.pid
    eventually(lambda: not Path(f"/proc/{pid}").exists(), "the end of Mosquitto")
