"""Accounts: agents in a list, and passwords that nobody has to type."""

import base64

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker import accounts

# What mosquitto_passwd 2.0.11 writes for the password "pw".
_KEPT = (
    "$7$101$qh72kNiR3loyW60b$XySweys/sNJ9Dc4mjkMSxMhG/E9iKMPeDyHSdGa1EL2sNZ8mCz2F13WngESJRZw"
    "kLkgRQMJBSIsl7fPZjkYVLQ=="
)


def test_a_hash_is_what_mosquittos_own_program_writes() -> None:
    assert accounts.hashed("pw", bytes.fromhex("aa1ef690d891de5a325bad1b")) == _KEPT


def test_two_hashes_of_one_password_differ() -> None:
    one, other = accounts.hashed("pw"), accounts.hashed("pw")
    assert one != other
    for kept in (one, other):
        salt = base64.b64decode(kept.split("$")[3])
        assert accounts.hashed("pw", salt) == kept
        assert accounts.hashed("pW", salt) != kept


def test_passwords_are_long_and_differ() -> None:
    drawn = {accounts.new_password() for _ in range(100)}
    assert len(drawn) == 100
    assert all(len(password) == 43 and password.isascii() for password in drawn)  # 256 bits


def test_a_comma_list_names_each_agent_once() -> None:
    assert accounts.named("b, a,b") == ("b", "a")
    with pytest.raises(ConfigError, match="got ''"):
        accounts.named("a,,b")


def test_accounts_survive_writing_and_reading() -> None:
    kept = {"a": "$7$1$x$y", "b": "$7$1$z$w"}
    assert accounts.read_accounts(accounts.write_accounts(kept)) == kept


@pytest.mark.parametrize("text", ["a\n", ":x\n", "a:\n"])
def test_a_damaged_line_of_accounts_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="line 2 of the accounts"):
        accounts.read_accounts("ok:x\n" + text)
