"""Set-ups that are made once, repeated, cut off, grown and renewed."""

import base64
import os
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.runtime.broker import accounts, authority, configuration, provision
from bitarm.runtime.broker.configuration import Listener
from bitarm.runtime.broker.folder import BrokerFolder
from bitarm.runtime.broker.provision import Change, Deed

NOW = datetime(2026, 1, 1, tzinfo=UTC)
YEAR = timedelta(days=365)


@pytest.fixture
def folder(tmp_path: Path) -> BrokerFolder:
    return BrokerFolder(tmp_path / "a" / "broker")


def _set_up(folder: BrokerFolder, *agents: str, hosts: tuple[str, ...] = ()) -> list[Change]:
    return provision.set_up(folder, agents, hosts, None, NOW)


def _content(folder: BrokerFolder) -> dict[str, bytes]:
    files = (path for path in folder.path.rglob("*") if path.is_file())
    return {str(path.relative_to(folder.path)): path.read_bytes() for path in files}


def _deeds(changes: list[Change]) -> dict[str, Deed]:
    return {change.path.name: change.deed for change in changes}


def test_a_second_set_up_changes_nothing(folder: BrokerFolder) -> None:
    assert set(_deeds(_set_up(folder, "a", "b")).values()) == {Deed.MADE}
    before = _content(folder)
    assert set(_deeds(_set_up(folder, "a", "b")).values()) == {Deed.KEPT}
    assert _content(folder) == before


def test_each_password_opens_its_own_account(folder: BrokerFolder) -> None:
    _set_up(folder, "a", "b")
    kept = accounts.read_accounts(folder.accounts.read_text())
    assert list(kept) == ["learner", "a", "b", "broker"]
    for name, hashed in kept.items():
        salt = base64.b64decode(hashed.split("$")[3])
        assert accounts.hashed(folder.password(name).read_text().strip(), salt) == hashed


@pytest.mark.parametrize(
    "grow",
    [
        lambda folder: _set_up(folder, "a", "new"),
        lambda folder: provision.add(folder, ("a", "new")),
    ],
)
def test_an_agent_is_added_without_touching_the_others(
    folder: BrokerFolder, grow: Callable[[BrokerFolder], list[Change]]
) -> None:
    _set_up(folder, "a")
    before = _content(folder)
    deeds = _deeds(grow(folder))
    assert (deeds["a"], deeds["new"]) == (Deed.KEPT, Deed.MADE)
    after = _content(folder)
    assert after.pop("passwords/new")
    assert after.pop("accounts").startswith(before.pop("accounts"))
    assert after == before


def test_a_password_that_was_moved_away_is_not_replaced(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    before = folder.accounts.read_bytes()
    folder.password("a").unlink()
    assert _deeds(_set_up(folder, "a"))["a"] is Deed.KEPT
    assert folder.accounts.read_bytes() == before
    assert not folder.password("a").exists()


@pytest.mark.parametrize(
    "lost", ["accounts", "access", "server.pem", "ca.crt", "passwords/a", "conf.d"]
)
def test_a_set_up_that_was_cut_off_is_finished(folder: BrokerFolder, lost: str) -> None:
    _set_up(folder, "a")
    path = folder.path / lost
    path.rmdir() if path.is_dir() else path.unlink()
    if lost == "passwords/a":
        folder.accounts.unlink()  # written after the passwords
    _set_up(folder, "a")
    assert path.exists()
    signer = authority.KeyPair(
        certificate=folder.ca_certificate.read_bytes(), key=folder.ca_key.read_bytes()
    )
    assert authority.new_server(signer, ("x",), NOW)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    mode = tmp_path.stat().st_mode
    with pytest.raises(ConfigError, match="is not empty and holds no broker"):
        _set_up(BrokerFolder(tmp_path), "a")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert tmp_path.stat().st_mode == mode


@pytest.mark.parametrize("name", ["ends in a space ", "two\nlines"])
def test_a_folder_that_mosquittos_file_cannot_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="must not end in a space or hold a line break"):
        _set_up(BrokerFolder(tmp_path / name), "a")
    assert not (tmp_path / name).exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"the broker's folder cannot .* Not a directory"):
        _set_up(BrokerFolder(tmp_path / "file" / "broker"), "a")


def test_bad_names_leave_nothing_behind(folder: BrokerFolder) -> None:
    for agents, hosts in ((("a/b",), ()), (("a",), ("no host",))):
        with pytest.raises(ConfigError):
            _set_up(folder, *agents, hosts=hosts)
        assert not folder.path.exists()


def test_without_a_host_only_this_machine_is_served(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    assert 'listen = "127.0.0.1"' in folder.settings.read_text()
    hosts = authority.hosts_of(folder.server.read_bytes())
    assert hosts == ("localhost", "127.0.0.1", "::1")


def test_a_host_opens_the_broker_to_networks_and_stands_in_the_certificate(
    folder: BrokerFolder,
) -> None:
    _set_up(folder, "a")
    authority_before = folder.ca_certificate.read_bytes()
    deeds = _deeds(_set_up(folder, "a", hosts=("broker.example.org",)))
    assert (deeds["broker.toml"], deeds["server.pem"]) == (Deed.CHANGED, Deed.CHANGED)
    assert 'listen = "*"' in folder.settings.read_text()
    hosts = authority.hosts_of(folder.server.read_bytes())
    assert hosts == ("localhost", "127.0.0.1", "::1", "broker.example.org")
    assert folder.ca_certificate.read_bytes() == authority_before


def test_an_address_chosen_by_hand_is_kept(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    folder.settings.write_text('listen = "192.0.2.1"')
    _set_up(folder, "a", hosts=("broker.example.org",))
    assert 'listen = "192.0.2.1"' in folder.settings.read_text()


def test_a_new_port_changes_the_settings_only(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    before = _content(folder)
    deeds = _deeds(provision.set_up(folder, ("a",), (), 9999, NOW))
    assert deeds["broker.toml"] is Deed.CHANGED
    changed = {name for name, content in _content(folder).items() if before[name] != content}
    assert changed == {"broker.toml"}


def test_renewal_keeps_the_authority_and_the_hosts(folder: BrokerFolder) -> None:
    _set_up(folder, "a", hosts=("broker.example.org",))
    before = _content(folder)
    deeds = _deeds(provision.renew(folder, NOW + YEAR))
    assert deeds == {"ca.crt": Deed.KEPT, "server.pem": Deed.CHANGED}
    after = _content(folder)
    assert {name for name in after if after[name] != before[name]} == {"server.pem"}
    assert authority.hosts_of(after["server.pem"]) == authority.hosts_of(before["server.pem"])
    assert authority.expiry(after["server.pem"]) - NOW > YEAR + timedelta(days=300)


def test_a_broker_that_reads_its_files_in_the_middle_of_a_renewal_has_a_key_that_fits(
    folder: BrokerFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running one may read them between any two writes, since an account changed at that time."""
    _set_up(folder, "a")
    lines = configuration.guarded(folder, Listener(address="127.0.0.1", port=8883, tls=True))
    told = dict(line.split(" ", 1) for line in lines.splitlines() if " " in line)
    looks, replace = 0, os.replace

    def replace_and_read(source: str, target: Path) -> None:
        nonlocal looks
        replace(source, target)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(told["certfile"], told["keyfile"])  # SSLError if they do not fit
        looks += 1

    monkeypatch.setattr(os, "replace", replace_and_read)
    provision.renew(folder, NOW + YEAR)
    provision.set_up(folder, ("a", "b"), ("broker.example.org",), None, NOW + YEAR)
    assert looks >= 4


def test_an_authority_in_its_last_month_is_renewed_too(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    late = NOW + timedelta(days=authority.CA_DAYS - 10)
    assert _deeds(provision.renew(folder, late))["ca.crt"] is Deed.CHANGED


def test_a_certificate_in_its_last_month_is_renewed_by_a_set_up(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    late = NOW + timedelta(days=authority.SERVER_DAYS - 10)
    changes = provision.set_up(folder, ("a",), (), None, late)
    assert _deeds(changes)["server.pem"] is Deed.CHANGED


def test_a_renewal_without_the_authoritys_key_says_so(folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    folder.ca_key.unlink()
    with pytest.raises(ConfigError, match=r"ca\.key is needed to sign"):
        provision.renew(folder, NOW)


def test_a_removed_agent_has_no_account_and_no_password(folder: BrokerFolder) -> None:
    _set_up(folder, "a", "b")
    provision.remove(folder, ("a",))
    assert provision.agents_of(folder) == ("b",)
    assert not folder.password("a").exists()


def test_removing_a_stranger_names_those_who_are_there(folder: BrokerFolder) -> None:
    _set_up(folder, "a", "b")
    with pytest.raises(ConfigError, match="has no agent 'c': it has a, b"):
        provision.remove(folder, ("a", "c"))
    assert provision.agents_of(folder) == ("a", "b")


@pytest.mark.parametrize("step", [provision.add, provision.remove])
def test_a_folder_without_a_broker_says_how_to_make_one(
    tmp_path: Path, step: Callable[[BrokerFolder, tuple[str, ...]], object]
) -> None:
    with pytest.raises(ConfigError, match="holds no broker: make one with bitarm broker init"):
        step(BrokerFolder(tmp_path), ("a",))


@pytest.mark.parametrize("name", ["accounts", "grants", "broker.toml"])
def test_a_file_that_is_no_text_is_named(name: str, folder: BrokerFolder) -> None:
    _set_up(folder, "a")
    (folder.path / name).write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=f"{name} cannot be read: it is no text"):
        _set_up(folder, "a")
