"""Bad input: what is wrong and what would be right, exit code 2, nothing on stdout, no run kept.

One case of each kind: the rules themselves are tested where they live.
"""

import re
from contextlib import closing
from pathlib import Path

import pytest
from cli.program import ARMS, Command, Finished, callables, problem

from bitarm.store import SqliteJournal

_ONE_ARM = ARMS[: ARMS.index("[[arm]]", 10)]


_FILES: dict[str, tuple[str, str]] = {
    "delta 0": (problem(problem="delta = 0"), r"delta must lie in \(0, 1\), got 0"),
    "rounds 0": (problem(limits="rounds = 0"), "the limit on rounds must be at least 1, got 0"),
    "one arm": (problem(arms=_ONE_ARM), "at least 2 arms are needed .* got 1"),
    "quantizer": (
        problem(scheme='quantizer = "icg"'),
        "quantizer must be one of exact, icq, quban, fed-sel, fed-sel-paper, dicq, "
        "dyadic, got 'icg'; "
        "did you mean icq",
    ),
    "source": (
        problem(arms=ARMS.replace('"bernoulli"', '"bernouli"')),
        "arm 'low': source must be one of gaussian, bernoulli, .*callable, csv, command, topic, "
        "got 'bernouli'; did you mean bernoulli",
    ),
    "word of problem": (
        problem(problem="dleta = 0.1"),
        r"word of \[problem\] must be one of delta, sigma, .* got 'dleta'; did you mean delta",
    ),
    "bits a fraction": (problem(scheme="bits = 2.5"), "bits must be a whole number, got 2.5"),
    "bits with exact": (
        problem(scheme='quantizer = "exact"\nbits = 3'),
        "bits does not apply to the quantizer exact; it is for icq",
    ),
    "module missing": (
        problem(arms=callables("nowhere", "a", "b")),
        "'nowhere:a' cannot be imported: ModuleNotFoundError",
    ),
    "not TOML": ("[problem\n", "not valid TOML: .*line 1"),
}


def _assert_refused(done: Finished, message: str, store: Path) -> None:
    assert done.code == 2
    words = re.sub("[╭╮╰╯│─]", " ", done.err).split()  # typer frames what it refuses
    assert re.search(message, " ".join(words)), done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert not store.exists() or _runs(store) == 0


def _runs(store: Path) -> int:
    with closing(SqliteJournal.open(store)) as journal:
        return len(journal.runs())


@pytest.mark.parametrize("case", _FILES)
def test_a_problem_file_that_cannot_be_run_is_refused(
    case: str, bitarm: Command, tmp_path: Path, store: Path
) -> None:
    text, message = _FILES[case]
    file = tmp_path / "problem.toml"
    file.write_text(text, encoding="utf-8")
    _assert_refused(bitarm("identify", file, "--seed", 1), message, store)


_FLAGS = [
    ("--delta 0", r"delta must lie in \(0, 1\), got 0"),
    ("--bounds 1 0", "bounds .* lower first, got 1.0 and 0.0"),
    ("--quantizer icq --bits 0", "bits must lie between 1 and 32, got 0"),
    ("--max-rounds 0", "the limit on rounds must be at least 1, got 0"),
    ("--seed -1", "seed must be a whole number between 0 and 2.64 − 1, got -1"),
    ("--quantizer icg", "quantizer must be one of .* did you mean icq"),
    ("--bits 3", "bits does not apply to the quantizer dyadic; it is for icq"),
    (
        "--policy sequential-halving --pull-budget 23",
        "pull_budget must be at least 24 for sequential-halving with 8 arms, got 23",
    ),
    (
        "--policy successive-rejects --pull-budget 100 --delta 0.1",
        "delta does not apply to the policy successive-rejects: a fixed budget proves nothing",
    ),
    # What the parser of the command line refuses.
    ("--delta high", "--delta.*valid"),
    ("--seed x", "--seed.*valid"),
    ("--bounds 1", "--bounds"),
    ("--detla 0.1", "--detla"),
    ("--pace -1", "--pace"),
    ("--log-level loud", "'loud' is not one of 'debug', 'info', 'warning', 'error'"),
    ("one.toml two.toml", "two.toml"),
]


@pytest.mark.parametrize(("flags", "message"), _FLAGS)
def test_a_flag_that_cannot_be_used_is_refused(
    flags: str, message: str, bitarm: Command, store: Path
) -> None:
    _assert_refused(bitarm("identify", *flags.split()), message, store)


def test_a_command_that_does_not_exist_is_refused(bitarm: Command, store: Path) -> None:
    _assert_refused(bitarm("idenitfy"), "idenitfy", store)


@pytest.mark.parametrize("words", ["identify --delta high", "identify --seed -1"])
def test_the_shell_sees_exit_code_2_and_no_traceback(
    words: str, apart: Command, store: Path
) -> None:
    _assert_refused(apart(*words.split()), ".", store)


def test_a_file_that_is_missing_is_named(bitarm: Command, tmp_path: Path, store: Path) -> None:
    missing = tmp_path / "nowhere.toml"
    _assert_refused(bitarm("identify", missing), f"{missing} cannot be read: .*No such file", store)


def test_a_folder_is_no_problem_file(bitarm: Command, tmp_path: Path, store: Path) -> None:
    _assert_refused(bitarm("identify", tmp_path), f"{tmp_path} cannot be read", store)


def test_a_file_that_is_no_text_is_refused(bitarm: Command, tmp_path: Path, store: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_bytes(b"\xff\xfe\x00")
    _assert_refused(bitarm("identify", file), f"{file} cannot be read", store)


def test_an_error_in_a_file_names_the_file(bitarm: Command, tmp_path: Path, store: Path) -> None:
    file = tmp_path / "typo.toml"
    file.write_text("[scheem]\n", encoding="utf-8")
    _assert_refused(bitarm("identify", file), f"bitarm: {file}: a table must be one of", store)


_CSV_ARMS = """
[[arm]]
name = "left"
source = "csv"
path = "rewards.csv"
column = "left"

[[arm]]
name = "right"
source = "csv"
path = "rewards.csv"
column = "right"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column 'left' for left; its columns are none: the first line is to name"),
        ("left,right\n", "column 'left' of .*rewards.csv is empty: left has no rewards"),
        ("right,other\n0,1\n", "no column 'left' for left; its columns are right, other"),
        ("left,right\n0.5,0.5\nlots,0.5\n", "rewards.csv, line 3.* finite number, got 'lots'"),
        ("left,right\n0.5,0.5\n,0.5\n", "rewards.csv, line 3.* finite number, got ''"),
        ("left,right\n0.5,0.5\n0.5\n", "line 3: the header names 2 .* has 1; leave the line out"),
        ("left,right\nnan,0.5\n", "line 2.* finite number, got 'nan'"),
        ("left,right\ninf,0.5\n", "line 2.* finite number, got 'inf'"),
    ],
)
def test_a_csv_file_without_usable_rewards_is_refused(
    text: str, message: str, bitarm: Command, tmp_path: Path, store: Path
) -> None:
    (tmp_path / "rewards.csv").write_text(text, encoding="utf-8")
    file = tmp_path / "problem.toml"
    file.write_text(problem(arms=_CSV_ARMS), encoding="utf-8")
    _assert_refused(bitarm("identify", file), message, store)


def test_a_csv_file_that_is_missing_is_refused(
    bitarm: Command, tmp_path: Path, store: Path
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(arms=_CSV_ARMS), encoding="utf-8")
    message = "the rewards of left cannot be read from .*rewards.csv: .*No such file"
    _assert_refused(bitarm("identify", file), message, store)


def test_a_module_that_fails_to_load_is_refused(
    bitarm: Command, tmp_path: Path, store: Path
) -> None:
    (tmp_path / "broken_module.py").write_text("1 / 0\n", encoding="utf-8")
    file = tmp_path / "problem.toml"
    file.write_text(problem(arms=callables("broken_module", "a", "b")), encoding="utf-8")
    message = "'broken_module:a' cannot be imported: ZeroDivisionError: division by zero"
    _assert_refused(bitarm("identify", file), message, store)
