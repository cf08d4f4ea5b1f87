"""`bitarm plan` and `identify --plan`: what they print, keep and refuse."""

import io
import json
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import ARMS, Command, problem
from planner.efforts import quick_searches
from planner.plugins import Lattice, installed
from rich.console import Console

from bitarm.cli.show.plan import print_plan
from bitarm.planner.plan import plan

pytestmark = pytest.mark.slow  # compiles kernels

_PLAN = ("plan", "--arms", "3", "--gap", "2", "--sigma", "1", "--seed", "1")
_PRICED = (*_PLAN, "--per-bit", "1", "--per-pull", "0.05")


@pytest.fixture(scope="module", autouse=True)
def _quickly() -> Iterator[None]:
    with quick_searches():
        yield


def test_json_is_one_object_and_says_what_the_library_says(bitarm: Command) -> None:
    done = bitarm(*_PRICED, "--json")
    made = plan(3, gap=2.0, sigma=1.0, per_bit=1.0, per_pull=0.05, seed=1)
    assert done.code == 0
    assert done.out == json.dumps(made.to_json()) + "\n"
    assert done.err == ""  # in a pipe there is no progress


def test_a_person_reads_the_setting_its_price_the_trade_off_and_the_risk(bitarm: Command) -> None:
    done = bitarm(*_PRICED)
    assert done.code == 0
    for part in (
        "wrong with probability at most 0.05",
        "1 a bit, 0.05 a pull",
        "gap 2.0, 3 arms",
        "What it will cost",
        "lower bound on samples",
        "No setting beats these in both samples and bits",
        "If the guess is wrong",
        "half as large",
        "twice as large",
        "(the plan)",
        "--save FILE.toml writes its other tables",
    ):
        assert part in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_figures_are_whole_on_a_narrow_screen() -> None:
    made = plan(3, gap=0.5, sigma=1.0, per_bit=1.0, per_pull=0.05, seed=1)
    screen = io.StringIO()
    print_plan(Console(file=screen, width=40), made)
    assert "…" not in screen.getvalue()
    assert f"{made.lower_bound:,.0f}" in screen.getvalue()


def test_the_last_lines_are_a_command_that_runs_the_plan(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "my problem.toml"
    file.write_text(problem())
    words = ("plan", file, "--gap", "0.5", "--per-bit", "1", "--per-pull", "0.05", "--seed", "1")
    shown = bitarm(*words).out
    command = shown[shown.index("bitarm identify") :].replace("\\\n", " ")
    program, *flags = shlex.split(command)
    result = bitarm(*flags, "--seed", "1", "--json").json
    scheme = bitarm(*words, "--json").json["scheme"]
    assert program == "bitarm"
    assert (result["quantizer"], result["width"]) == (scheme["quantizer"], scheme["width"])
    assert result["best_arm_name"] == "high"


def test_what_was_assumed_of_rewards_within_bounds_is_told(bitarm: Command) -> None:
    words = ("plan", "--arms", "3", "--bounds", "0", "10", "--gap", "4", "--per-bit", "1")
    shown = " ".join(bitarm(*words, "--per-pull", "0.05", "--seed", "1").out.split())
    assert "gap 4.0, 3 arms, rewards at either bound (bernoulli), means in the middle" in shown
    assert "spread half as much" in shown
    guess = ("--mean", "8", "--spread", "1", "--per-pull", "0.05", "--seed", "1")
    shown = " ".join(bitarm(*words, *guess).out.split())
    assert "beta rewards of concentration 15" in shown
    assert "spread twice as much" in shown


def test_a_problem_file_gives_arms_delta_and_bounds_and_flags_win(
    bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(problem="delta = 0.2"))
    words = ("plan", file, "--gap", "0.4", "--per-bit", "1", "--seed", "1", "--json")
    made = bitarm(*words).json
    assert (made["arms"], made["delta"], made["bounds"]) == (2, 0.2, [0.0, 1.0])
    assert bitarm(*words, "--delta", "0.01").json["delta"] == 0.01


def test_the_saved_table_makes_a_problem_file_whole(bitarm: Command, tmp_path: Path) -> None:
    saved = tmp_path / "scheme.toml"
    words = ("--bounds", "0", "1", "--gap", "0.4", "--per-bit", "1", "--per-pull", "0.1")
    made = bitarm("plan", "--arms", "2", *words, "--seed", "1", "--save", saved, "--json").json
    assert tomllib.loads(saved.read_text())["scheme"] == made["scheme"]
    file = tmp_path / "problem.toml"
    file.write_text(f"{saved.read_text()}{ARMS}")
    result = bitarm("identify", file, "--seed", "1", "--json").json
    assert result["quantizer"] == made["quantizer"]
    assert result["guarantee"] == 0.05


def test_a_picture_is_drawn(bitarm: Command, tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    assert bitarm(*_PRICED, "--plot", picture, "--json").code == 0
    assert picture.read_text().lstrip().startswith("<?xml")


def test_a_link_alone_is_a_price(bitarm: Command) -> None:
    made = bitarm(*_PLAN, "--link", "lorawan-eu868-dr0", "--json").json
    assert made["prices"]["frame_unit"] == "second of air time"
    assert made["cost"]["mean"] > 3 * 1.3  # seconds: each arm is asked and reports


# With fixed words.


def test_words_of_the_scheme_fix_what_the_plan_may_not_vary(bitarm: Command) -> None:
    words = ("--quantizer", "icq", "--bits", "2", "--growth", "2", "--max-rounds", "40")
    made = bitarm(*_PRICED, *words, "--json").json
    assert (made["scheme"]["quantizer"], made["scheme"]["bits"]) == ("icq", 2)
    assert made["fixed"] == {"bits": 2, "growth": 2.0, "quantizer": "icq"}
    assert {point["scheme"]["bits"] for point in made["curve"]} == {2}
    shown = bitarm(*_PRICED, *words).out
    assert "icq B=2 α=2" in shown
    assert "fixed" in shown


def test_the_help_has_the_words_of_the_scheme_and_says_what_they_do(bitarm: Command) -> None:
    shown = bitarm("plan", "--help").out
    for flag in ("--delta", "--bounds", "--epsilon", "--quantizer", "--kappa-first", "--start"):
        assert flag in shown
    assert "fix what the plan may not vary" in " ".join(shown.split())
    for flag in ("--checkpoints", "--pull-budget", "--bit-budget", "--interval-delta"):
        assert flag not in shown


def test_a_flag_of_another_package_is_known(bitarm: Command) -> None:
    with installed(Lattice):
        words = ("--quantizer", "lattice", "--coarseness", "0.5")
        done = bitarm(*_PRICED, *words)
        assert done.code == 0
        assert "lattice se c=0.5" in done.out
        assert "none: the lattice has no proof" in done.out
        for linked in (done, bitarm(*_PRICED, *words, "--link", "nb-iot")):
            told = " ".join(linked.out.split())
            assert "by learner and agents themselves, as no kernel has the scheme" in told
        assert max(map(len, done.out.splitlines())) <= 80
        assert "--coarseness" in bitarm("plan", "--help").out


def test_the_scheme_of_a_problem_file_fixes_nothing(bitarm: Command, coins: Path) -> None:
    words = ("plan", coins, "--gap", "0.5", "--per-bit", "1", "--seed", "1", "--json")
    made = bitarm(*words).json
    assert made["fixed"] == {}
    assert made["quantizer"] != "quban"
    assert bitarm(*words, "--quantizer", "exact").json["quantizer"] == "exact"


def test_a_problem_file_with_a_budget_is_not_planned(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(problem="pull_budget = 100", scheme='policy = "sequential-halving"'))
    done = bitarm("plan", file, "--gap", "0.5", "--per-bit", "1")
    assert done.code == 2
    assert "pull_budget does not apply to a plan" in done.err


# Identify with a plan.


@pytest.fixture
def coins(tmp_path: Path) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(problem(scheme='quantizer = "quban"\nepsilon_quban = 2.0'))
    return file


def test_identify_runs_what_it_planned_and_says_so(bitarm: Command, coins: Path) -> None:
    words = ("--plan", "--gap", "0.5", "--per-bit", "1", "--per-pull", "0.1")
    done = bitarm("identify", coins, *words, "--seed", "3", "--json")
    scheme = done.json["plan"]["scheme"]
    assert done.code == 0
    assert done.json["best_arm_name"] == "high"
    assert (done.json["quantizer"], done.json["policy"]) == (
        scheme["quantizer"],
        scheme["policy"],
    )
    assert done.err.startswith(f"plan: {scheme['quantizer']} ")
    assert "expected cost" in done.err


def test_identify_plans_for_the_link_that_it_keeps_to(bitarm: Command, coins: Path) -> None:
    link = "lorawan-us915-dr0"
    done = bitarm("identify", coins, "--plan", "--gap", "0.9", "--link", link, "--json")
    assert done.code == 0
    assert done.json["plan"]["prices"]["link"] == done.json["link"]["name"] == link
    assert done.json["quantizer"] == "icq"  # the only one whose frames always fit


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--plan", "--per-bit", "1"), "give one guess of the gaps"),
        (("--plan", "--gap", "0.5"), "every price is 0"),
        (("--plan", "--gap", "0.5", "--bits", "3"), "--plan chooses the scheme: leave out --bits"),
        (("--gap", "0.5"), "--gap has no effect without --plan"),
        (("--per-frame-unit", "2"), "--per-frame-unit has no effect without --plan"),
    ],
)
def test_identify_refuses_half_a_plan(
    bitarm: Command, coins: Path, words: tuple[str, ...], said: str
) -> None:
    done = bitarm("identify", coins, *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


# What is refused.

_BASE = {"--arms": "3", "--gap": "0.5", "--sigma": "1", "--per-bit": "1"}
_REFUSED: dict[str, tuple[dict[str, str | None], str]] = {
    "no price": ({"--per-bit": None}, "every price is 0"),
    "a gap of 0": ({"--gap": "0"}, "a gap must be a finite number above 0, got 0"),
    "no gap": ({"--gap": None}, "give one guess of the gaps"),
    "gaps of letters": ({"--gap": None, "--gaps": "a,b"}, "gaps must be numbers with commas"),
    "no arms": ({"--arms": None}, "say how many arms there are"),
    "bits of another quantizer": (
        {"--quantizer": "dicq", "--bits": "2"},
        "bits does not apply to the quantizer dicq; it is for icq",
    ),
    "rewards": ({"--rewards": "cauchy"}, "rewards must be one of gaussian, bernoulli, beta"),
    "a folder that is not": (
        {"--save": "no/plan.toml"},
        "there is no folder no to write plan.toml",
    ),
    "plot of no format": (
        {"--plot": "plan.doc"},
        "a plot must end in .svg, .png, .pdf, got plan.doc",
    ),
}


@pytest.mark.parametrize(("words", "said"), _REFUSED.values(), ids=_REFUSED)
def test_bad_input_is_refused(
    bitarm: Command,
    words: dict[str, str | None],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {flag: value for flag, value in (_BASE | words).items() if value is not None}
    done = bitarm("plan", *(word for pair in given.items() for word in pair))
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_arms_are_those_of_the_file(bitarm: Command, coins: Path) -> None:
    done = bitarm("plan", coins, "--arms", "3", "--gap", "0.1", "--per-bit", "1")
    assert done.code == 2
    assert "arms does not apply to a problem file" in done.err
