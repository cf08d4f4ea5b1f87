"""docs/deploy.md, followed line by line on loopback; and the unit files that it installs.

Each block of commands carries a mark in a comment before it:

    runs                  run to the end, must succeed
    serves: TEXT          started, must say TEXT, runs until the test ends
    runs/serves with X    the same, once the command `bitarm X` (or a journal) is there
    by root               changes the system: only its syntax is checked
    file: PATH            the content of a file
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from docs_blocks import Block, blocks_run_by
from loopback import PATIENCE, eventually, free_port

from bitarm.cli.app import make_app

ROOT = Path(__file__).parents[1]
UNITS = sorted((ROOT / "deploy").glob("bitarm-*"))
_BLOCKS = blocks_run_by("tests/test_deploy.py")
_COMMANDS = {command.name or "" for command in make_app().registered_commands}


def _is_there(mark: str) -> bool:
    """Whether the command that a block asks for exists."""
    condition = mark.partition(" with ")[2]
    return condition in ("", "journal", *_COMMANDS)


@dataclass(frozen=True)
class Here:
    """The three machines in one folder, reached over loopback."""

    place: Path
    port: int

    def translate(self, text: str) -> str:
        """The same commands for this machine: only places, the host and the port change."""
        replaced = {
            "sudo -u bitarm ": "",
            "sudo ": "",
            " -o bitarm": "",
            "ssh broker.example.org ": "",
            "--host broker.example.org": f"--host localhost --port {self.port}",
            "broker.example.org:8883": f"localhost:{self.port}",
            "--open": f"--open --port {free_port()}",
            "/opt/bitarm/bin/": "",
            "/etc/bitarm": f"{self.place}/etc",
            "/var/lib/bitarm": f"{self.place}/var",
            "/var/backups/bitarm": f"{self.place}/backups",
        }
        for there, here in replaced.items():
            text = text.replace(there, here)
        assert "broker.example.org" not in text
        return text

    @property
    def environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return dict(os.environ) | {"PATH": path, "XDG_DATA_HOME": str(self.place / "data")}

    def run(self, text: str) -> None:
        """Run a block to its end."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.translate(text)],
            env=self.environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"

    @contextmanager
    def serve(self, text: str, says: str) -> Iterator[None]:
        """Keep a block running once it says that it is there."""
        log = self.place / f"log-{free_port()}"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                ["bash", "-c", "exec " + self.translate(text).strip()],
                env=self.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
            )
            try:
                eventually(
                    lambda: says in log.read_text() and process.poll() is None,
                    f"{text} to say {says!r}",
                )
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE)

    def write(self, path: str, text: str) -> None:
        Path(self.translate(path)).write_text(self.translate(text), encoding="utf-8")


@pytest.mark.slow
def test_the_page_can_be_followed_line_by_line(tmp_path: Path) -> None:
    here = Here(tmp_path, free_port())
    (tmp_path / "var").mkdir()  # the home of the user that step 1 makes
    ran = []
    with ExitStack() as running:
        for block in _BLOCKS:
            verb, _, condition = block.mark.partition(" with ")
            if condition == "journal" and not (tmp_path / "var" / "runs.sqlite").exists():
                here.run("bitarm identify --seed 1 --store /var/lib/bitarm/runs.sqlite")
            elif not _is_there(block.mark):
                continue
            if verb == "runs":
                here.run(block.text)
            elif verb.startswith("serves"):
                says = verb.partition(": ")[2]
                running.enter_context(here.serve(block.text, says))
            elif verb.startswith("file: "):
                here.write(verb.removeprefix("file: "), block.text)
            else:
                assert verb == "by root", verb
                continue
            ran.append(verb)
    due = [block.mark for block in _BLOCKS if block.mark != "by root" and _is_there(block.mark)]
    assert len(ran) == len(due) >= 14
    said = "".join(log.read_text() for log in tmp_path.glob("log-*"))
    assert "refused" not in said  # whoever follows the page has the rights that it takes
    assert (tmp_path / "backups" / "runs.sqlite").exists()
    assert (tmp_path / "etc" / "passwords" / "gw-1").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("block", [block for block in _BLOCKS if block.kind == "sh"])
def test_every_command_is_valid_shell(block: Block) -> None:
    done = subprocess.run(["bash", "-n", "-c", block.text], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_secret_is_on_a_command_line() -> None:
    for block in _BLOCKS:
        assert not re.search(
            r"--password[ =]|BITARM_PASSWORD=|mqtts?://[^/\s]*:[^/\s]*@", block.text
        )


def test_the_problem_of_the_page_is_toml() -> None:
    (block,) = (block for block in _BLOCKS if block.kind == "toml")
    assert [arm["agent"] for arm in tomllib.loads(block.text)["arm"]] == ["gw-1", "gw-2"]


def _parsed(unit: Path) -> ConfigParser:
    parser = ConfigParser(strict=False, interpolation=None, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment]  # systemd minds the case
    parser.read_string(unit.read_text(encoding="utf-8"))
    return parser


def test_every_unit_is_installed_by_the_page() -> None:
    page = "".join(block.text for block in _BLOCKS if block.mark == "by root")
    for unit in UNITS:
        assert unit.name in page or f"{unit.stem}.*" in page, unit.name


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.suffix == ".service"], ids=str)
def test_a_service_is_no_root_and_may_do_little(unit: Path) -> None:
    service = _parsed(unit)["Service"]
    assert service["User"] == "bitarm"
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""
    assert service["UMask"] == "0077"


def test_what_a_service_runs_is_what_the_page_runs_by_hand() -> None:
    page = "".join(block.text for block in _BLOCKS).replace(" \\\n    ", " ")
    for name in ("bitarm-broker", "bitarm-renew", "bitarm-backup"):
        command = _parsed(ROOT / "deploy" / f"{name}.service")["Service"]["ExecStart"]
        assert f"sudo -u bitarm {command.removeprefix('/usr/bin/')}\n" in page
    agent = _parsed(ROOT / "deploy" / "bitarm-agent@.service")["Service"]["ExecStart"]
    by_hand = {
        "%i": "gw-1",
        "${RUN}": "lab",
        "${BROKER}": "mqtts://broker.example.org:8883",
        "%d/password": "/etc/bitarm/passwords/gw-1",
    }
    for there, here in by_hand.items():
        agent = agent.replace(there, here)
    assert f"sudo {agent}\n" in page


def test_who_writes_the_journal_is_who_copies_it() -> None:
    """A journal is readable for its owner alone: root's would be no backup's."""
    page = "".join(block.text for block in _BLOCKS).replace(" \\\n    ", " ")
    commands = [line for line in page.splitlines() if "/runs.sqlite" in line]
    assert len(commands) >= 4
    for command in commands:
        assert command.startswith("sudo -u bitarm "), command


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_a_unit(unit: Path, tmp_path: Path) -> None:
    """Where systemd is at hand; elsewhere the sections are all that can be checked."""
    parsed = _parsed(unit)
    assert "Unit" in parsed
    assert ("Service" in parsed) == (unit.suffix == ".service")
    verify = shutil.which("systemd-analyze")
    if verify is None:
        return
    program = tmp_path / "bitarm"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for other in UNITS:  # a timer names the service that it starts
        text = other.read_text().replace("/opt/bitarm/bin/bitarm", str(program))
        (tmp_path / other.name).write_text(text)
    done = subprocess.run(
        [verify, "verify", "--man=no", str(tmp_path / unit.name)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
