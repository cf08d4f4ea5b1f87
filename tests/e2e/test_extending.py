"""docs/extending.md as it stands: its package is installed, and everything knows its words."""

import csv
import io
import json
import shutil
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from brokers import PlainBroker
from e2e.extensions import COINS, COMMANDS, FILES, PROBLEM, ROOT, Shell
from loopback import PATIENCE

pytestmark = pytest.mark.slow

_NO_PROOF = "the lattice has no proof: a mean beyond 2^15 steps is cut"


def test_the_commands_of_the_page_run(shell: Shell) -> None:
    quantized, raced, simulate, plan = (words for _, *words in COMMANDS.commands)
    shell(*quantized, "--seed", "1")
    assert shell.json(*raced, "--seed", "1")["policy"] == "racing"
    shell(*simulate, "--seed", "1", "--trials", "20")
    made = shell.json(*plan, "--seed", "1")
    assert made["scheme"]["quantizer"] == "lattice"
    assert (made["guarantee"], made["guarantee_reason"]) == (None, _NO_PROOF)
    assert made["measured_by"] == "machines"


def test_its_word_is_a_flag_and_a_field_and_its_objection_is_quoted(shell: Shell) -> None:
    result = shell.json("identify", "--quantizer", "lattice", "--coarseness", "2")
    assert (result["quantizer"], result["coarseness"]) == ("lattice", 2.0)
    assert (result["guarantee"], result["guarantee_reason"]) == (None, _NO_PROOF)


def test_a_problem_file_with_all_three(shell: Shell, extended_problem: str) -> None:
    result = shell.json("identify", extended_problem, "--seed", "1")
    assert result["best_arm_name"] == "three"
    words = {word: result[word] for word in ("quantizer", "coarseness", "policy", "grace")}
    assert words == {"quantizer": "lattice", "coarseness": 0.5, "policy": "racing", "grace": 3}


def test_a_proven_policy_of_theirs_keeps_the_guarantee(shell: Shell) -> None:
    result = shell.json("identify", "--quantizer", "exact", "--policy", "racing", "--seed", "1")
    assert (result["guarantee"], result["grace"]) == (0.05, 2)


def test_a_proven_width_of_theirs_keeps_the_guarantee(shell: Shell) -> None:
    result = shell.json("identify", "--width", "basel", "--seed", "1")
    assert (result["guarantee"], result["width"], result["policy"]) == (0.05, "basel", "se")


def test_its_word_can_be_swept_and_told_apart(shell: Shell) -> None:
    swept = ("--coarseness", "1,2", "--policy", "racing", "--grace", "2,4")
    words = ("simulate", *COINS, "--quantizer", "lattice", *swept)
    table, _ = shell(*words, "--plot", "sweep.svg")
    plain = " ".join(table.split())
    for coarseness in (1, 2):
        for grace in (2, 4):
            assert f"lattice coarseness {coarseness} grace {grace}" in plain
    drawn = (shell.folder / "sweep.svg").read_text("utf-8")
    assert "coarseness" in drawn
    assert "grace" in drawn
    told = [(point["coarseness"], point["grace"]) for point in shell.json(*words)["results"]]
    assert told == [(1.0, 2), (1.0, 4), (2.0, 2), (2.0, 4)]
    rows = list(csv.DictReader(io.StringIO(shell(*words, "--csv")[0])))
    assert [(float(row["coarseness"]), int(row["grace"])) for row in rows] == told


def test_its_word_is_refused_for_others_and_its_values_are_checked(shell: Shell) -> None:
    _, other = shell("identify", "--quantizer", "icq", "--coarseness", "2", code=2)
    assert "coarseness does not apply to the quantizer icq; it is for lattice" in other
    _, wrong = shell("identify", "--quantizer", "lattice", "--coarseness", "0", code=2)
    assert "coarseness must be a finite number above 0, got 0.0" in wrong
    _, none = shell("simulate", *COINS, "--quantizer", "icq", "--coarseness", "1,2", code=2)
    assert "coarseness applies to none of these settings; it is for lattice" in none


def test_its_words_are_in_the_help(shell: Shell) -> None:
    for command in ("identify", "simulate", "learner", "plan"):
        shown, _ = shell(command, "--help")
        assert "--coarseness" in shown, command
        assert "--grace" in shown, command


def test_nothing_of_it_is_imported_unless_it_is_wanted(shell: Shell, installed: Path) -> None:
    trap = installed / "bitarm_lattice" / "__init__.py"
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


def test_the_dashboard_shows_its_words(shell: Shell, extended_problem: str) -> None:
    run = shell.json("identify", extended_problem, "--seed", "1")["run"]
    with (
        _served(shell) as address,
        urllib.request.urlopen(f"{address}/api/v1/runs/{run}", timeout=PATIENCE) as answer,
    ):
        settings = json.load(answer)["settings"]
    assert (settings["coarseness"], settings["grace"]) == (0.5, 3)


def test_over_the_network_agents_need_no_more_than_the_source(
    shell: Shell, elsewhere: Shell, extended_problem: str, broker: PlainBroker, installed: Path
) -> None:
    common = ("--run", "lab", "--broker", broker.url)
    agents = [
        shell.start("agent", extended_problem, "--agent", name, "--state", "agents", *common)
        for name in ("one", "three")
    ]
    given = ("--seed", "1", "--store", "runs.sqlite")
    try:
        networked = shell.json("learner", extended_problem, *given, *common)
        for agent in agents:
            out, err = agent.communicate(timeout=PATIENCE)
            assert agent.returncode == 0, (out, err)
    finally:
        for agent in agents:
            with agent:
                agent.kill()
    alone = shell.json("identify", extended_problem, "--seed", "1")
    same = ("best_arm_name", "rounds", "samples", "payload_bits", "coarseness", "guarantee_reason")
    assert {word: networked[word] for word in same} == {word: alone[word] for word in same}


def test_an_agent_reads_a_file_whose_scheme_is_not_installed_there(
    elsewhere: Shell, broker: PlainBroker
) -> None:
    text = PROBLEM.replace('source = "dice"', 'source = "bernoulli"\nmean = 0.5')
    (elsewhere.folder / "plain.toml").write_text(text.replace("dice = 3\n", ""), "utf-8")
    words = ("agent", "plain.toml", "--agent", "one", "--run", "lab", "--broker", broker.url)
    with elsewhere.start(*words, "--state", "agents") as agent:
        broker.wait_for("bitarm-lab-one")
        agent.terminate()  # it waits for its learner
        _, err = agent.communicate(timeout=PATIENCE)
    assert "stopped; start the agent again" in err


# -- in our tree -----------------------------------------------------------------------------------


def test_a_new_word_of_a_scheme_of_ours_changes_one_file(tmp_path: Path) -> None:
    """Counted on a copy: the field is all there is to write."""
    copy = tmp_path / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__", "sim"))
    (copy / "bitarm" / "sim").symlink_to(ROOT / "src" / "bitarm" / "sim")  # with compiled kernels
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
    swept = ("simulate", *COINS, "--quantizer", "icq", "--slack", "1,2")
    table, _ = shell(*swept)
    assert "icq slack 1" in table
    assert "icq slack 2" in table
    assert [point["slack"] for point in shell.json(*swept)["results"]] == [1.0, 2.0]
    _, said = shell("identify", "--quantizer", "exact", "--slack", "1", code=2)
    assert "slack does not apply to the quantizer exact; it is for icq" in said
    _, said = shell("identify", *icq, "--slack", "-1", code=2)
    assert "slack must be a finite number, 0 or more, got -1.0" in said


def test_the_page_s_project_file_says_what_the_page_says() -> None:
    groups = tomllib.loads(FILES["pyproject.toml"])["project"]["entry-points"]
    families = ("quantizers", "policies", "widths", "sources")
    assert set(groups) == {f"bitarm.{family}" for family in families}
