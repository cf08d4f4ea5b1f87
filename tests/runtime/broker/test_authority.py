"""The private authority: what it signs, for whom, for how long, and that OpenSSL agrees."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker import authority

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_openssl_accepts_the_chain_and_the_hosts(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    ca = authority.new_authority(now)
    server = authority.new_server(ca, ("broker.example.org", "192.0.2.7"), now)
    (tmp_path / "ca.crt").write_bytes(ca.certificate)
    (tmp_path / "server.crt").write_bytes(server.certificate)

    def verified(*words: str) -> bool:
        command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", *words]
        files = ["-CAfile", str(tmp_path / "ca.crt"), str(tmp_path / "server.crt")]
        done = subprocess.run([*command, *files], capture_output=True, check=False)
        return done.returncode == 0

    assert verified("-verify_hostname", "broker.example.org")
    assert verified("-verify_ip", "192.0.2.7")
    assert not verified("-verify_hostname", "other.example.org")
    assert not verified("-verify_ip", "192.0.2.8")


def test_validity_starts_before_now_for_clocks_that_are_behind() -> None:
    ca = authority.new_authority(NOW)
    server = authority.new_server(ca, ("localhost",), NOW)
    assert authority.expiry(ca.certificate) == NOW + timedelta(days=authority.CA_DAYS)
    assert authority.expiry(server.certificate) == NOW + timedelta(days=authority.SERVER_DAYS)


def test_the_hosts_of_a_certificate_are_read_back() -> None:
    hosts = ("localhost", "127.0.0.1", "::1", "broker.example.org")
    server = authority.new_server(authority.new_authority(NOW), hosts, NOW)
    assert authority.hosts_of(server.certificate) == hosts


def test_a_key_stays_out_of_tracebacks() -> None:
    assert repr(authority.new_authority(NOW)) == "KeyPair(…)"


def test_key_and_certificate_must_belong_together() -> None:
    one, other = authority.new_authority(NOW), authority.new_authority(NOW)
    mixed = authority.KeyPair(certificate=one.certificate, key=other.key)
    with pytest.raises(ConfigError, match="do not belong together"):
        authority.new_server(mixed, ("localhost",), NOW)


def test_damaged_files_are_named() -> None:
    ca = authority.new_authority(NOW)
    with pytest.raises(ConfigError, match=r"ca\.key is damaged"):
        authority.new_server(authority.KeyPair(certificate=ca.certificate, key=b"x"), (), NOW)
    with pytest.raises(ConfigError, match="it is no PEM, or damaged"):
        authority.expiry(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Broker.Example.org.", "broker.example.org"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:DB8::1", "2001:db8::1"),
        ("gateway-7", "gateway-7"),
    ],
)
def test_a_host_is_a_name_or_an_address(given: str, kept: str) -> None:
    assert authority.check_host(given) == kept


@pytest.mark.parametrize(
    "host", ["", "a b", "-x", "x-", "a..b", "*.example.org", "http://x", "ä.de"]
)
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(ConfigError, match="a host is a name such as"):
        authority.check_host(host)


@pytest.mark.parametrize(
    ("host", "own"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("x", False)],
)
def test_loopback(host: str, *, own: bool) -> None:
    assert authority.is_loopback(host) is own
