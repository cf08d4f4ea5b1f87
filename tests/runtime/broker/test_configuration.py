"""What Mosquitto is told, and what it is never told."""

from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker.configuration import (
    Listener,
    guarded,
    read_settings,
    unguarded,
    write_settings,
)
from bitarm.runtime.broker.folder import BrokerFolder


def _secure(address: str = "127.0.0.1") -> Listener:
    return Listener(address=address, port=8883, tls=True)


@pytest.mark.parametrize("address", ["*", "0.0.0.0", "192.0.2.1", "::", "broker.example.org"])
def test_nothing_but_loopback_goes_without_tls(address: str) -> None:
    with pytest.raises(ConfigError, match=r"a broker without TLS listens on 127\.0\.0\.1 only"):
        Listener(address=address, port=1883, tls=False)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_cannot_be_is_refused(port: int) -> None:
    with pytest.raises(ConfigError, match="a port lies between 1 and 65535"):
        Listener(address="127.0.0.1", port=port, tls=True)


def test_a_guarded_broker_admits_nobody_without_a_name(tmp_path: Path) -> None:
    lines = guarded(BrokerFolder(tmp_path), _secure()).splitlines()
    for line in (
        "listener 8883 127.0.0.1",
        "allow_anonymous false",
        "set_tcp_nodelay true",
        "tls_version tlsv1.2",
        "persistence true",
        f"acl_file {tmp_path}/access",
        f"password_file {tmp_path}/accounts",
    ):
        assert line in lines
    assert len([line for line in lines if line.startswith("listener")]) == 1


def test_a_guarded_broker_needs_tls(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a broker with accounts speaks TLS"):
        guarded(BrokerFolder(tmp_path), Listener(address="127.0.0.1", port=1883, tls=False))


def test_every_network_is_a_listener_without_address(tmp_path: Path) -> None:
    listener = _secure("*")
    assert "listener 8883\n" in guarded(BrokerFolder(tmp_path), listener)
    assert listener.reached_at == "127.0.0.1"


def test_a_broker_for_trials_is_open_on_loopback() -> None:
    lines = unguarded(Listener(address="127.0.0.1", port=1883, tls=False)).splitlines()
    assert lines[:2] == ["listener 1883 127.0.0.1", "allow_anonymous true"]
    assert "log_type debug" not in lines  # nobody is refused, and every line costs time
    with pytest.raises(ConfigError, match="has no certificate"):
        unguarded(_secure())


def test_settings_survive_writing_and_reading() -> None:
    for listener in (_secure(), _secure("*"), Listener(address="::1", port=9, tls=True)):
        assert read_settings(write_settings(listener), port=None) == listener


def test_a_port_given_by_hand_wins() -> None:
    assert read_settings("port = 1\n", port=2).port == 2


@pytest.mark.parametrize("text", ["port = '1'", "listen = 1", "prot = 1", "port = true"])
def test_settings_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"broker\.toml has two words"):
        read_settings(text, port=None)


def test_settings_that_are_no_toml_are_refused() -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_settings("port 1", port=None)
