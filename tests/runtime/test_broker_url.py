"""Which broker, and where the password comes from."""

from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker_url import Broker, read_broker


def _read(url: str, **more: object) -> Broker:
    words = {"user": "gw-1", "password_file": None, "ca": None, "environment": {}} | more
    return read_broker(url, **words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "host", "port", "tls"),
    [
        ("mqtt://h", "h", 1883, False),
        ("mqtts://h.example", "h.example", 8883, True),
        ("mqtt://[::1]:99/", "::1", 99, False),
    ],
)
def test_addresses(url: str, host: str, port: int, *, tls: bool) -> None:
    broker = _read(url)
    assert (broker.host, broker.port, broker.tls, broker.user) == (host, port, tls, None)


@pytest.mark.parametrize(
    "url",
    [
        *("h", "http://h", "mqtt://", "mqtt://h:x", "mqtt://h/topic", ""),
        *("mqtt://h:0", "mqtt://a..b", f"mqtt://{'h' * 300}"),
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ConfigError):
        _read(url)


def test_a_password_comes_from_a_file_before_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    environment = {"BITARM_PASSWORD": "from outside"}
    assert _read("mqtt://h", environment=environment).password == "from outside"
    broker = _read("mqtt://h", password_file=file, environment=environment)
    assert (broker.user, broker.password) == ("gw-1", "from the file")
    assert _read("mqtt://x@h", environment=environment).user == "x"


def test_a_password_is_never_shown() -> None:
    broker = _read("mqtt://h", environment={"BITARM_PASSWORD": "hunter2"})
    assert "hunter2" not in repr(broker) + broker.url


def test_secrets_and_authorities_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for url, more, why in (
        ("mqtt://a:b@h", {}, "does not belong"),
        ("mqtt://h", {"password_file": tmp_path / "none"}, "cannot be read"),
        ("mqtt://h", {"password_file": tmp_path / "empty"}, "is empty"),
        ("mqtt://h", {"ca": tmp_path / "empty"}, "for mqtts:// only"),
        ("mqtts://h", {"ca": tmp_path / "none"}, "is no file"),
    ):
        with pytest.raises(ConfigError, match=why):
            _read(url, **more)
