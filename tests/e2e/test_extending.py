"""docs/extending.md as it stands: its package is installed, and everything knows its words."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from brokers import PATIENCE, PlainBroker

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
_PAGE = (_ROOT / "docs" / "extending.md").read_text("utf-8")
_COINS = ("--arms", "bernoulli:0.9,0.2", "--trials", "20", "--seed", "1")
_NO_PROOF = "the lattice has no proof: a mean beyond 2^15 steps is cut"
_PROBLEM = """
[problem]
bounds = [0.0, 1.0]

[scheme]
quantizer = "lattice"
coarseness = 0.5
policy = "racing"
grace = 3

[[arm]]
name = "one"
source = "dice"

[[arm]]
name = "three"
source = "dice"
dice = 3
"""


def _install(package: Path, site: Path) -> None:
    """With pip, as anybody would, but for what it would fetch."""
    quiet = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *quiet, "--target", str(site), str(package)],
        check=True,
        env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's package is installed."""
    package = tmp_path_factory.mktemp("package")
    blocks = re.findall(r"```\w+\n# ([\w/.]+)\n(.*?)```", _PAGE, re.DOTALL)
    assert {name for name, _ in blocks} >= {"pyproject.toml", "bitarm_lattice/quantizer.py"}
    for name, text in blocks:
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text, "utf-8")
    (package / "bitarm_lattice" / "__init__.py").touch()
    installed = tmp_path_factory.mktemp("site")
    _install(package, installed)
    return installed


class Shell:
    """Runs bitarm where the package is installed, or where it is not."""

    def __init__(self, folder: Path, site: Path | None) -> None:
        self.folder = folder
        self.environment = dict(os.environ) | {"XDG_DATA_HOME": str(folder / "data")}
        if site is not None:
            self.environment["PYTHONPATH"] = str(site)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bitarm", *words],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, code: int = 0) -> tuple[str, str]:
        with self.start(*words) as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, (words, out, err)
        assert "Traceback" not in err
        return out, err

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json")[0])


@pytest.fixture
def shell(site: Path, tmp_path: Path) -> Shell:
    return Shell(tmp_path, site)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Shell:
    """A machine on which the package is not installed."""
    return Shell(tmp_path, None)


@pytest.fixture
def problem(tmp_path: Path) -> str:
    (tmp_path / "problem.toml").write_text(_PROBLEM, "utf-8")
    return "problem.toml"


def test_the_commands_of_the_page_run(shell: Shell) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", _PAGE, re.DOTALL)
    for line in block.splitlines():
        shell(*line.split()[1:], "--seed", "1")


def test_its_word_is_a_flag_and_a_field_and_its_objection_is_quoted(shell: Shell) -> None:
    result = shell.json("identify", "--quantizer", "lattice", "--coarseness", "2")
    assert (result["quantizer"], result["coarseness"]) == ("lattice", 2.0)
    assert (result["guarantee"], result["guarantee_reason"]) == (None, _NO_PROOF)


def test_a_problem_file_with_all_three(shell: Shell, problem: str) -> None:
    result = shell.json("identify", problem, "--seed", "1")
    assert result["best_arm_name"] == "three"
    words = {word: result[word] for word in ("quantizer", "coarseness", "policy", "grace")}
    assert words == {"quantizer": "lattice", "coarseness": 0.5, "policy": "racing", "grace": 3}


def test_a_proven_policy_of_theirs_keeps_the_guarantee(shell: Shell) -> None:
    result = shell.json("identify", "--quantizer", "exact", "--policy", "racing", "--seed", "1")
    assert (result["guarantee"], result["grace"]) == (0.05, 2)


def test_its_word_can_be_swept_and_told_apart(shell: Shell) -> None:
    swept = ("--coarseness", "1,2", "--policy", "racing", "--grace", "2,4")
    words = ("simulate", *_COINS, "--quantizer", "lattice", *swept)
    table, _ = shell(*words, "--plot", "sweep.svg")
    plain = " ".join(table.split())
    for coarseness in (1, 2):
        for grace in (2, 4):
            assert f"lattice coarseness {coarseness} grace {grace}" in plain
    drawn = (shell.folder / "sweep.svg").read_text("utf-8")
    assert "coarseness" in drawn
    assert "grace" in drawn
    told = [(it["coarseness"], it["grace"]) for it in shell.json(*words)["results"]]
    assert told == [(1.0, 2), (1.0, 4), (2.0, 2), (2.0, 4)]
    rows = list(csv.DictReader(io.StringIO(shell(*words, "--csv")[0])))
    assert [(float(row["coarseness"]), int(row["grace"])) for row in rows] == told


def test_its_word_is_refused_for_others_and_its_values_are_checked(shell: Shell) -> None:
    _, other = shell("identify", "--quantizer", "icq", "--coarseness", "2", code=2)
    assert "coarseness does not apply to the quantizer icq; it is for lattice" in other
    _, wrong = shell("identify", "--quantizer", "lattice", "--coarseness", "0", code=2)
    assert "coarseness must be a finite number above 0, got 0.0" in wrong
    _, none = shell("simulate", *_COINS, "--quantizer", "icq", "--coarseness", "1,2", code=2)
    assert "coarseness applies to none of these settings; it is for lattice" in none


def test_its_words_are_in_the_help(shell: Shell) -> None:
    for command in ("identify", "simulate", "learner", "plan"):
        shown, _ = shell(command, "--help")
        assert "--coarseness" in shown, command
        assert "--grace" in shown, command


def test_nothing_of_it_is_imported_unless_it_is_wanted(shell: Shell, site: Path) -> None:
    trap = site / "bitarm_lattice" / "__init__.py"
    trap.write_text('raise SystemExit("imported")\n', "utf-8")
    try:
        shell("--help")
        shell("runs", "list")
        shell("identify", "--quantizer", "icq", "--bits", "2", "--seed", "1", "--json")
        _, said = shell("identify", "--quantizer", "lattice", code=2)
    finally:
        trap.write_text("", "utf-8")
    assert "the quantizer lattice of the package bitarm-lattice 1.0 cannot be loaded" in said


@contextmanager
def _served(shell: Shell) -> Iterator[str]:
    with shell.start("dashboard", "--port", "0") as page:
        try:
            assert page.stdout is not None
            yield page.stdout.readline().strip().rstrip("/")
        finally:
            page.kill()


def test_the_dashboard_shows_its_words(shell: Shell, problem: str) -> None:
    run = shell.json("identify", problem, "--seed", "1")["run"]
    with (
        _served(shell) as address,
        urllib.request.urlopen(f"{address}/api/v1/runs/{run}", timeout=PATIENCE) as answer,
    ):
        settings = json.load(answer)["settings"]
    assert (settings["coarseness"], settings["grace"]) == (0.5, 3)


def test_over_the_network_agents_need_no_more_than_the_source(
    shell: Shell, elsewhere: Shell, problem: str, broker: PlainBroker, site: Path
) -> None:
    common = ("--run", "lab", "--broker", broker.url)
    agents = [
        shell.start("agent", problem, "--agent", name, "--state", "agents", *common)
        for name in ("one", "three")
    ]
    given = ("--seed", "1", "--store", "runs.sqlite")
    networked = shell.json("learner", problem, *given, *common)
    for agent in agents:
        with agent:
            out, err = agent.communicate(timeout=PATIENCE)
            assert agent.returncode == 0, (out, err)
    alone = shell.json("identify", problem, "--seed", "1")
    same = ("best_arm_name", "rounds", "samples", "payload_bits", "coarseness", "guarantee_reason")
    assert {it: networked[it] for it in same} == {it: alone[it] for it in same}


def test_an_agent_reads_a_file_whose_scheme_is_not_installed_there(
    elsewhere: Shell, broker: PlainBroker
) -> None:
    text = _PROBLEM.replace('source = "dice"', 'source = "bernoulli"\nmean = 0.5')
    (elsewhere.folder / "plain.toml").write_text(text.replace("dice = 3\n", ""), "utf-8")
    words = ("agent", "plain.toml", "--agent", "one", "--run", "lab", "--broker", broker.url)
    with elsewhere.start(*words, "--state", "agents") as agent:
        with pytest.raises(subprocess.TimeoutExpired):  # it waits for its learner
            agent.wait(2)
        agent.terminate()
        _, err = agent.communicate(timeout=PATIENCE)
    assert "stopped; start the agent again" in err


def test_a_plan_measures_it_with_the_machines(shell: Shell) -> None:
    words = ("plan", "--arms", "2", "--gap", "2", "--sigma", "1", "--per-bit", "1", "--seed", "1")
    made = shell.json(*words, "--quantizer", "lattice", "--policy", "racing", "--grace", "3")
    assert made["scheme"]["quantizer"] == "lattice"
    assert made["scheme"]["grace"] == 3
    assert (made["guarantee"], made["guarantee_reason"]) == (None, _NO_PROOF)
    assert made["measured_by"] == "machines"


# -- where it is not installed, or not as it was --------------------------------------------------


def test_where_it_is_not_installed_each_thing_is_refused_by_name(
    elsewhere: Shell, problem: str
) -> None:
    _, said = elsewhere("identify", problem, code=2)
    assert "arm 'one': source must be one of gaussian, bernoulli, " in said
    assert "got 'dice'. If a package of its own offers it, install that" in said
    text = _PROBLEM.replace('source = "dice"', 'source = "bernoulli"\nmean = 0.5')
    (elsewhere.folder / "words.toml").write_text(text.replace("dice = 3\n", ""), "utf-8")
    _, said = elsewhere("identify", "words.toml", code=2)
    assert "a word of [scheme] must be one of quantizer, " in said
    assert "got 'coarseness'. If a package of its own offers it, install that" in said
    _, said = elsewhere("identify", "--quantizer", "lattice", code=2)
    assert "quantizer must be one of exact, icq, quban, fed-sel, fed-sel-paper, dicq" in said
    assert "If a package of its own offers it, install that" in said
    _, said = elsewhere("identify", "--coarseness", "2", code=2)
    assert "No such option: --coarseness" in said


def test_a_run_names_the_package_that_it_needs(
    shell: Shell, elsewhere: Shell, problem: str
) -> None:
    run = str(shell.json("identify", problem, "--seed", "1")["run"])
    assert "lattice" in shell("runs", "show", run)[0]
    assert run in elsewhere("runs", "list")[0]
    _, said = elsewhere("runs", "show", run, code=1)
    assert "the run was opened with bitarm-lattice 1.0" in said


def test_another_version_does_not_go_on_with_a_run(
    shell: Shell, problem: str, site: Path, tmp_path: Path
) -> None:
    run = str(shell.json("identify", problem, "--seed", "1")["run"])
    shell("runs", "replay", run)
    newer = tmp_path / "newer"
    subprocess.run(["cp", "-r", str(site), str(newer)], check=True)
    (metadata,) = newer.glob("bitarm_lattice-*.dist-info/METADATA")
    metadata.write_text(
        metadata.read_text("utf-8").replace("Version: 1.0", "Version: 1.1"), "utf-8"
    )
    _, said = Shell(tmp_path, newer)("runs", "replay", run, code=1)
    assert "opened with bitarm-lattice 1.0, installed here is bitarm-lattice 1.1" in said


# -- packages that are wrong -----------------------------------------------------------------------

_FIELDS = "    coarseness: Annotated"
_WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "raises": (
        lambda text: f"import nowhere\n{text}",
        "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'",
    ),
    "calls itself otherwise": (
        lambda text: text.replace('= "lattice"', '= "grid"'),
        "Lattice calls itself 'grid'",
    ),
    "lacks a method": (lambda text: text.replace("def read(", "def reads("), "Lattice lacks read"),
    "lacks what it is": (
        lambda text: re.sub(r"    certain: .*\n", "", text),
        "Lattice lacks certain",
    ),
    "is no quantizer": (
        lambda text: text.replace("class Lattice(Quantizer)", "class Lattice"),
        "it must be a class that inherits from bitarm.core.quantizer.Quantizer",
    ),
    "a field without a word": (
        lambda text: text.replace(_FIELDS, f"    edge: float = 1.0\n{_FIELDS}"),
        "Lattice.edge is no word",
    ),
    "a word without a type": (
        lambda text: text.replace(_FIELDS, f'    edge: Annotated[list, Word("?")] = 1\n{_FIELDS}'),
        "Lattice.edge is a word of type",
    ),
    "a word that clashes": (
        lambda text: text.replace(_FIELDS, f'    bits: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "bits means one thing to Icq and another to Lattice",
    ),
    "a word of every run": (
        lambda text: text.replace(_FIELDS, f'    width: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "width of Lattice is a word of every run",
    ),
    "a word that is a flag": (
        lambda text: text.replace(_FIELDS, f'    seed: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "seed of Lattice is an argument or a flag already",
    ),
}


@pytest.mark.parametrize("wrong", _WRONG)
def test_a_package_that_is_wrong_is_refused_and_harms_nobody_else(
    wrong: str, site: Path, tmp_path: Path
) -> None:
    spoil, sentence = _WRONG[wrong]
    spoilt = tmp_path / "spoilt"
    subprocess.run(["cp", "-r", str(site), str(spoilt)], check=True)
    module = spoilt / "bitarm_lattice" / "quantizer.py"
    module.write_text(spoil(module.read_text("utf-8")), "utf-8")
    shell = Shell(tmp_path, spoilt)
    _, said = shell("identify", "--quantizer", "lattice", code=2)
    assert sentence in said
    shown, said = shell("identify", "--help")
    assert "--grace" in shown  # of the policy, which is well
    assert "--coarseness" not in shown
    assert sentence in said


def test_a_name_that_is_taken(site: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    subprocess.run(["cp", "-r", str(site), str(taken)], check=True)
    (points,) = taken.glob("bitarm_lattice-*.dist-info/entry_points.txt")
    points.write_text(points.read_text("utf-8").replace("lattice =", "icq ="), "utf-8")
    shell = Shell(tmp_path, taken)
    result = shell.json("identify", "--quantizer", "icq", "--bits", "2", "--seed", "1")
    assert result["bits"] == 2  # ours
    _, said = shell("identify", "--coarseness", "2", code=2)
    assert "bitarm-lattice 1.0 offers a quantizer named icq, as bitarm has: bitarm's own" in said


def test_two_packages_with_one_name(site: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    subprocess.run(["cp", "-r", str(site), str(both)], check=True)
    (first,) = both.glob("bitarm_lattice-*.dist-info")
    second = both / "another_lattice-2.0.dist-info"
    subprocess.run(["cp", "-r", str(first), str(second)], check=True)
    metadata = (second / "METADATA").read_text("utf-8")
    metadata = metadata.replace("Name: bitarm-lattice", "Name: another-lattice")
    (second / "METADATA").write_text(metadata.replace("Version: 1.0", "Version: 2.0"), "utf-8")
    _, said = Shell(tmp_path, both)("identify", "--quantizer", "lattice", code=2)
    assert "both offer a quantizer named lattice: uninstall one of them" in said
    assert "another-lattice 2.0" in said


# -- in our tree -----------------------------------------------------------------------------------


def test_a_new_word_of_a_scheme_of_ours_changes_one_file(tmp_path: Path) -> None:
    """Counted on a copy: the field is all there is to write."""
    copy = tmp_path / "src"
    shutil.copytree(_ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "bitarm" / "core" / "quantizers" / "icq.py"
    text = file.read_text("utf-8")
    field = '    slack: Annotated[float, Word("Room that nobody uses", least=0)] = 0.0\n'
    file.write_text(
        text.replace("    prior: Annotated", f"{field}    prior: Annotated", 1), "utf-8"
    )
    shell = Shell(tmp_path, copy)
    icq = ("--quantizer", "icq", "--seed", "1")
    assert shell.json("identify", *icq, "--slack", "0.5")["slack"] == 0.5
    (tmp_path / "problem.toml").write_text(
        '[problem]\nbounds = [0, 1]\n[scheme]\nquantizer = "icq"\nslack = 2\n'
        + "".join(f'[[arm]]\nsource = "bernoulli"\nmean = {mean}\n' for mean in (0.2, 0.9)),
        "utf-8",
    )
    assert shell.json("identify", "problem.toml", "--seed", "1")["slack"] == 2.0
    swept = ("simulate", *_COINS, "--quantizer", "icq", "--slack", "1,2")
    table, _ = shell(*swept)
    assert "icq slack 1" in table
    assert "icq slack 2" in table
    assert [it["slack"] for it in shell.json(*swept)["results"]] == [1.0, 2.0]
    _, said = shell("identify", "--quantizer", "exact", "--slack", "1", code=2)
    assert "slack does not apply to the quantizer exact; it is for icq" in said
    _, said = shell("identify", *icq, "--slack", "-1", code=2)
    assert "slack must be a finite number, 0 or more, got -1.0" in said


def test_the_page_s_project_file_says_what_the_page_says() -> None:
    (text,) = re.findall(r"```toml\n# pyproject.toml\n(.*?)```", _PAGE, re.DOTALL)
    groups = tomllib.loads(text)["project"]["entry-points"]
    assert set(groups) == {"bitarm.quantizers", "bitarm.policies", "bitarm.sources"}
