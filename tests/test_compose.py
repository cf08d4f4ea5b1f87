"""deploy/compose.yaml without containers: its own commands, with places and ports replaced."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from loopback import PATIENCE, eventually, free_port

from bitarm.api.problem import parse_problem

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
AGENTS = ("gw-1", "gw-2", "gw-3")


class Machine:
    """What compose does, in one folder: a volume is a folder, the network is loopback."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._broker = free_port()
        self.page = free_port()
        self.problem = folder / "problem.toml"
        self.problem.write_text(COMPOSE["configs"]["problem"]["content"], encoding="utf-8")

    def command(self, service: str) -> list[str]:
        """The words of a service's command, as they are run here."""
        places = {
            "/etc/bitarm/problem.toml": str(self.problem),
            "--host broker": f"--host localhost --port {self._broker}",
            "mqtts://broker:8883": f"mqtts://localhost:{self._broker}",
            "0.0.0.0": "127.0.0.1",
            "8370": str(self.page),
            "9108": str(free_port()),
            "$$": "$",
            "/all/": f"{self._folder}/keys-",  # a volume each
        }
        for volume in SERVICES[service]["volumes"]:
            name, target, *_ = volume.split(":")
            (self._folder / name).mkdir(exist_ok=True)
            if not target.startswith("/all/"):
                places[target] = str(self._folder / name)
        words = []
        for word in SERVICES[service]["command"]:
            for there, here in places.items():
                word = word.replace(there, here)
            words.append(word)
        return words

    @property
    def _environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        home = str(self._folder / "home")
        return dict(os.environ) | {"PATH": path, "XDG_DATA_HOME": home, "HOME": home}

    def said(self, service: str) -> str:
        return (self._folder / f"{service}.log").read_text("utf-8")

    @contextmanager
    def started(self, service: str) -> Iterator[subprocess.Popen[bytes]]:
        """A service's command while a block runs."""
        with (self._folder / f"{service}.log").open("wb") as log:
            process = subprocess.Popen(
                self.command(service),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(PATIENCE)


@pytest.mark.slow
def test_its_commands_find_the_best_arm_and_show_the_run(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    with ExitStack() as stack:
        keys = stack.enter_context(machine.started("keys"))
        assert keys.wait(PATIENCE) == 0, machine.said("keys")
        stack.enter_context(machine.started("broker"))
        eventually(lambda: "the broker answers at" in machine.said("broker"), "the broker")
        learner = stack.enter_context(machine.started("learner"))
        agents = [stack.enter_context(machine.started(name)) for name in AGENTS]
        assert learner.wait(PATIENCE) == 0, machine.said("learner")
        assert [agent.wait(PATIENCE) for agent in agents] == [0, 0, 0]
        result = json.loads(machine.said("learner").splitlines()[-1])
        assert result["best_arm_name"] == "antenna-north"
        stack.enter_context(machine.started("dashboard"))
        eventually(lambda: "http://" in machine.said("dashboard"), "the page")
        token = (tmp_path / "keys-dashboard" / "token").read_text("ascii").strip()
        request = urllib.request.Request(
            f"http://127.0.0.1:{machine.page}/api/v1/runs",
            headers={"authorization": f"Bearer {token}"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            (run,) = json.load(answer)["runs"]
        assert run["outcome"] == "decided"
    for agent in AGENTS:  # its own secrets, and those of nobody else
        held = {file.name for file in (tmp_path / f"keys-{agent}").iterdir()}
        assert held == {"password", "ca.crt"}


def test_its_problem_is_one_and_names_its_agents() -> None:
    task = parse_problem(COMPOSE["configs"]["problem"]["content"], Path())
    assert {arm.agent for arm in task.arms} == set(AGENTS)


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_may_do_little_and_sees_its_own_keys_only(service: str) -> None:
    settings = SERVICES[service]
    assert settings["user"] == "bitarm"
    assert settings["read_only"] is True
    assert settings["cap_drop"] == ["ALL"]
    keys = [volume for volume in settings["volumes"] if volume.startswith("keys-")]
    assert service == "keys" or keys in ([], [f"keys-{service}:/keys:ro"])
    assert {volume.split(":")[0] for volume in settings["volumes"]} <= COMPOSE["volumes"].keys()
    assert all(port.startswith("127.0.0.1:") for port in settings.get("ports", []))
