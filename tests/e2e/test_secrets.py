"""A run over TLS, as its user starts it: no secret is left in anything that it writes or shows."""

from pathlib import Path

import pytest
from e2e.processes import field
from runtime.broker.lab import Lab, running_lab

pytestmark = pytest.mark.slow

_AGENTS = ("north", "south", "tower")


def _secrets(lab: Lab) -> list[bytes]:
    """Passwords, and the lines of the keys: one line is enough to find a key by."""
    keys = (lab.folder.ca_key, lab.folder.server)
    lines = [line for key in keys for line in key.read_bytes().splitlines()]
    passwords = [lab.password(name).encode() for name in ("learner", *_AGENTS)]
    return passwords + [line for line in lines if not line.startswith(b"-")]


def _command_lines() -> bytes:
    found = b""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found += (process / "cmdline").read_bytes()
        except OSError:
            continue  # ended meanwhile
    return found


def test_journal_logs_answers_and_command_lines_hold_no_secret(tmp_path: Path) -> None:
    folder = tmp_path / "field"
    folder.mkdir()
    with running_lab(tmp_path, *_AGENTS) as lab:
        url = f"mqtts://localhost:{lab.port}"
        with field(folder, url, by_command=True) as place:

            def access(name: str) -> tuple[str, ...]:
                secret = str(lab.folder.password(name))
                return ("--ca", str(lab.folder.ca_certificate), "--password-file", secret)

            place.start_learner(*access("learner"), "--log-level", "debug")
            for name in _AGENTS:
                place.start_agent(name, *access(name), "--log-level", "debug")
            place.wait_for_reports(1)
            shown = _command_lines()
            assert place.wait("learner") == 0
            for name in _AGENTS:
                place.wait(name)
            assert place.result()["best_arm_name"] == "tower"
        secrets = _secrets(lab)
        written = [path for path in folder.rglob("*") if path.is_file()] + [lab.log]
    assert {path.suffix for path in written} >= {".sqlite", ".json", ".out", ".err"}
    assert str(lab.folder.password("north")).encode() in shown  # the place of it, not the thing
    assert len(secrets) >= 8
    for secret in secrets:
        assert secret not in shown
        for path in written:
            assert secret not in path.read_bytes(), path
