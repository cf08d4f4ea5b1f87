"""Bad input: what is wrong and what would be right, exit code 2, nothing on stdout, no run kept."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from cli.program import ARMS, Command, Finished, callables, problem

from bitarm.store import SqliteJournal

_NAMED_ARMS = ARMS.replace('"high"', '"low"')
_ONE_ARM = ARMS[: ARMS.index("[[arm]]", 10)]


def _gaussian(words: str) -> str:
    return ARMS + f'[[arm]]\nname = "third"\nsource = "gaussian"\n{words}\n'


def _beta(words: str) -> str:
    return ARMS + f'[[arm]]\nname = "third"\nsource = "beta"\n{words}\n'


_FILES: dict[str, tuple[str, str]] = {
    # Numbers outside their range.
    "delta 0": (problem(problem="delta = 0"), r"delta must lie in \(0, 1\), got 0"),
    "delta 1": (problem(problem="delta = 1.0"), r"delta must lie in \(0, 1\), got 1.0"),
    "delta below 0": (problem(problem="delta = -0.1"), r"delta must lie in \(0, 1\), got -0.1"),
    "delta nan": (problem(problem="delta = nan"), r"delta must lie in \(0, 1\), got nan"),
    "sigma 0": (problem(problem="sigma = 0.0"), "sigma must be a finite number above 0, got 0.0"),
    "sigma below 0": (problem(problem="sigma = -1"), "sigma must be .* above 0, got -1"),
    "sigma inf": (problem(problem="sigma = inf"), "sigma must be a finite number .* got inf"),
    "sigma missing": (
        problem().replace("bounds = [0.0, 1.0]", ""),
        "sigma is needed: rewards without bounds",
    ),
    "bits 0": (
        problem(scheme='quantizer = "icq"\nbits = 0'),
        "bits must lie between 1 and 32, got 0",
    ),
    "bits 33": (
        problem(scheme='quantizer = "icq"\nbits = 33'),
        "bits must lie between 1 and 32, got 33",
    ),
    "a above b": (problem(problem="bounds = [1.0, 0.0]"), "bounds .* lower first, got 1.0 and 0.0"),
    "a equals b": (problem(problem="bounds = [0.5, 0.5]"), "bounds .* lower first"),
    "bounds inf": (problem(problem="bounds = [0.0, inf]"), "bounds must be two .* got 0.0 and inf"),
    "growth 1": (problem(scheme="growth = 1"), "growth must be a finite number above 1, got 1"),
    "growth nan": (problem(scheme="growth = nan"), "growth must be a finite number above 1"),
    "first 0": (problem(scheme="first = 0"), "first must lie between 1 and .* got 0"),
    "epsilon below 0": (problem(problem="epsilon = -1"), "epsilon must be .* 0 or more, got -1"),
    "epsilon_quban 0": (
        problem(scheme='quantizer = "quban"\nepsilon_quban = 0'),
        "epsilon_quban must be a finite number above 0, got 0",
    ),
    "checkpoints empty": (problem(scheme="checkpoints = []"), "at least one checkpoint"),
    "checkpoints fall": (
        problem(scheme="checkpoints = [4, 2]"),
        "checkpoints must increase, got 2 after 4",
    ),
    "checkpoint 0": (problem(scheme="checkpoints = [0, 2]"), "checkpoints must lie between 1"),
    "rounds 0": (problem(limits="rounds = 0"), "the limit on rounds must be at least 1, got 0"),
    "samples 0": (problem(limits="samples = 0"), "the limit on samples must be at least 1, got 0"),
    "bit limit below 0": (problem(limits="bits = -5"), "the limit on bits must be .* 1, got -5"),
    # Arms.
    "no arm": (problem(arms=""), "at least 2 arms are needed .* got 0"),
    "one arm": (problem(arms=_ONE_ARM), "at least 2 arms are needed .* got 1"),
    "one name twice": (problem(arms=_NAMED_ARMS), "different names, 'low' stands 2 times"),
    "arm as a table": ('[arm]\nname = "x"\n', r"arms are written as \[\[arm\]\] tables"),
    "name of a number": (
        problem(arms='[[arm]]\nname = 3\nsource = "beta"\n'),
        "the name of an arm must be a text, got 3",
    ),
    # Names that nothing has.
    "quantizer": (
        problem(scheme='quantizer = "icg"'),
        "quantizer must be one of exact, icq, quban, fed-sel, fed-sel-paper, dicq, got 'icg'; "
        "did you mean icq",
    ),
    "policy": (
        problem(scheme='policy = "lcub"'),
        "policy must be one of quiet, se, lucb, lil-ucb, lil-ucb-count, sequential-halving, "
        "successive-rejects, got 'lcub'; did you mean lucb",
    ),
    "width": (
        problem(scheme='width = "papr"'),
        "width must be one of paper, lil, pairwise, .* did you mean paper",
    ),
    "prior": (
        problem(scheme='quantizer = "icq"\nprior = "unifrom"'),
        "prior must be one of uniform, midpoint, lower, quban, got 'unifrom'; did you mean uniform",
    ),
    "source": (
        problem(arms=ARMS.replace('"bernoulli"', '"bernouli"')),
        "arm 'low': source must be one of gaussian, bernoulli, .*callable, csv, command, topic, "
        "got 'bernouli'; did you mean bernoulli",
    ),
    "source of another type": (
        problem(arms='[[arm]]\nname = "x"\nsource = ["beta"]\n'),
        r"arm 'x': source must be a text, got \['beta'\]",
    ),
    "source missing": (problem(arms='[[arm]]\nname = "x"\n'), "arm 'x': .*source"),
    "table": (
        problem() + "[scheem]\n",
        "table must be one of problem, arm, scheme, limits, network, got 'scheem'; did you mean",
    ),
    "word of problem": (
        problem(problem="dleta = 0.1"),
        r"word of \[problem\] must be one of delta, sigma, .* got 'dleta'; did you mean delta",
    ),
    "word of scheme": (problem(scheme="bit = 2"), "got 'bit'; did you mean bits"),
    "word of limits": (problem(limits="round = 2"), "got 'round'; did you mean rounds"),
    "word of an arm": (
        problem(arms=_gaussian("mean = 0.0\nsd = 1.0\nmaen = 2.0")),
        "arm 'third': a word of a gaussian arm must be one of .* got 'maen'; did you mean mean",
    ),
    # Types.
    "delta a word": (problem(problem='delta = "high"'), "delta must be a number, got 'high'"),
    "delta a truth": (problem(problem="delta = true"), "delta must be a number, got True"),
    "bits a fraction": (problem(scheme="bits = 2.5"), "bits must be a whole number, got 2.5"),
    "bounds of one": (problem(problem="bounds = [0]"), r"bounds must be two numbers, got \[0\]"),
    "bounds of three": (
        problem(problem="bounds = [0, 1, 2]"),
        r"bounds must be two numbers, got \[0, 1, 2\]",
    ),
    "bounds a number": (problem(problem="bounds = 1"), "bounds must be two numbers, got 1"),
    "bounds of words": (problem(problem='bounds = ["a", "b"]'), "bounds must be .*, got .*'a'"),
    "clip a number": (problem(problem="clip = 1"), "clip must be true or false, got 1"),
    "quantizer a number": (
        problem(scheme="quantizer = 3"),
        "quantizer must be a name, or in Python a value, got 3",
    ),
    "checkpoints a number": (
        problem(scheme="checkpoints = 3"),
        "checkpoints must be a list of whole numbers, got 3",
    ),
    "checkpoints of fractions": (
        problem(scheme="checkpoints = [1, 2.5]"),
        "checkpoints must be a whole number, got 2.5",
    ),
    "rounds a fraction": (problem(limits="rounds = 1.5"), "rounds must be a whole number, got 1.5"),
    "mean a word": (
        problem(arms=_gaussian('mean = "high"\nsd = 1.0')),
        "arm 'third': mean must be a number, got 'high'",
    ),
    "problem a list": ("[[problem]]\ndelta = 0.1\n", r"\[problem\] must be a table"),
    # Words that the chosen scheme has no use for.
    "bits with exact": (
        problem(scheme='quantizer = "exact"\nbits = 3'),
        "bits does not apply to the quantizer exact; it is for icq",
    ),
    "bits with the default": (
        problem(scheme="bits = 3"),
        "bits does not apply to the quantizer dicq; it is for icq",
    ),
    "pilot with se": (
        problem(scheme='policy = "se"\npilot = false'),
        "pilot does not apply to the policy se; it is for quiet",
    ),
    "epsilon_quban with icq": (
        problem(scheme='quantizer = "icq"\nepsilon_quban = 0.5'),
        "epsilon_quban does not apply to the quantizer icq; it is for quban",
    ),
    "prior with fed-sel": (
        problem(scheme='quantizer = "fed-sel"\nprior = "midpoint"'),
        "prior does not apply to the quantizer fed-sel; it is for icq",
    ),
    "epsilon with lil-ucb-count": (
        problem(problem="epsilon = 0.1", scheme='policy = "lil-ucb-count"'),
        "epsilon does not apply to the policy lil-ucb-count; it is for quiet, se, lucb, lil-ucb",
    ),
    "growth with checkpoints": (
        problem(scheme="growth = 2\ncheckpoints = [1, 2]"),
        "growth does not apply to a list of checkpoints",
    ),
    "first with checkpoints": (
        problem(scheme="first = 2\ncheckpoints = [1, 2]"),
        "first does not apply to a list of checkpoints",
    ),
    "unbounded fed-sel": (
        problem(scheme='quantizer = "fed-sel"').replace("bounds = [0.0, 1.0]", "sigma = 0.5"),
        "fed-sel needs bounded rewards: give bounds",
    ),
    "unbounded uniform prior": (
        problem(scheme='quantizer = "icq"\nprior = "uniform"').replace(
            "bounds = [0.0, 1.0]", "sigma = 0.5"
        ),
        "needs bounded rewards: give bounds, or use the prior quban",
    ),
    # Words that a source needs, and what a model cannot be.
    "gaussian without sd": (problem(arms=_gaussian("mean = 0.0")), "'third': .* needs sd"),
    "beta without mean": (problem(arms=_beta("")), "'third': a beta source needs mean"),
    "csv without column": (
        problem(arms='[[arm]]\nname = "x"\nsource = "csv"\npath = "x.csv"\n'),
        "arm 'x': a csv source needs column",
    ),
    "callable without function": (
        problem(arms='[[arm]]\nname = "x"\nsource = "callable"\n'),
        "arm 'x': a callable source needs function",
    ),
    "sd 0": (problem(arms=_gaussian("mean = 0.0\nsd = 0")), "sd must be .* above 0, got 0"),
    "coin above 1": (
        problem(arms=ARMS.replace("0.8", "1.8")),
        r"the mean of a Bernoulli arm must lie in \[0, 1\], got 1.8",
    ),
    "beta at 1": (
        problem(arms=_beta("mean = 1.0")),
        r"the mean of a Beta arm must lie in \(0, 1\), got 1.0",
    ),
    "concentration 0": (
        problem(arms=_beta("mean = 0.5\nconcentration = 0")),
        "concentration must be a finite number above 0, got 0",
    ),
    # Functions.
    "module missing": (
        problem(arms=callables("nowhere", "a", "b")),
        "'nowhere:a' cannot be imported: ModuleNotFoundError",
    ),
    "no colon": (
        problem(arms=callables("x", "a", "b").replace("x:", "x.")),
        "a callable is named module:function, got 'x.a'",
    ),
    "function missing": (
        problem(arms=callables("math", "nothing", "b")),
        "math has no function 'nothing'",
    ),
    "not a function": (problem(arms=callables("math", "pi", "b")), "math has no function 'pi'"),
    # No TOML.
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
    ("--delta nan", r"delta must lie in \(0, 1\), got nan"),
    ("--sigma -1", "sigma must be .* above 0, got -1"),
    ("--bounds 1 0", "bounds .* lower first, got 1.0 and 0.0"),
    ("--epsilon -1", "epsilon must be .* 0 or more, got -1"),
    ("--quantizer icq --bits 0", "bits must lie between 1 and 32, got 0"),
    ("--quantizer icq --bits 33", "bits must lie between 1 and 32, got 33"),
    ("--growth 1", "growth must be a finite number above 1, got 1"),
    ("--first 0", "first must lie between 1 and"),
    ("--max-rounds 0", "the limit on rounds must be at least 1, got 0"),
    ("--max-samples 0", "the limit on samples must be at least 1, got 0"),
    ("--max-bits 0", "the limit on bits must be at least 1, got 0"),
    ("--seed -1", "seed must lie between 0 and 2.64 − 1, got -1"),
    (f"--seed {2**64}", f"seed must lie between 0 and 2.64 − 1, got {2**64}"),
    ("--quantizer icg", "quantizer must be one of .* did you mean icq"),
    ("--policy luc", "policy must be one of quiet, se, .* did you mean lucb"),
    (
        "--width lill",
        "width must be one of paper, lil, pairwise, .* did you mean lil",
    ),
    ("--quantizer icq --prior midpiont", "prior must be one of .* did you mean midpoint"),
    ("--epsilon-quban 0.5", "epsilon_quban does not apply to the quantizer dicq; it is for quban"),
    ("--bits 3", "bits does not apply to the quantizer dicq; it is for icq"),
    ("--quantizer exact --bits 3", "bits does not apply to the quantizer exact"),
    ("--policy lil-ucb-count --epsilon 0.1", "epsilon does not apply to the policy lil-ucb-count"),
    ("--pull-budget 100", "pull_budget does not apply to the policy quiet; it is for sequential-"),
    ("--policy sequential-halving", "sequential-halving needs a pull_budget"),
    (
        "--policy sequential-halving --pull-budget 23",
        "pull_budget must be at least 24 for sequential-halving with 8 arms, got 23",
    ),
    (
        "--policy successive-rejects --pull-budget 100 --bit-budget 7",
        "bit_budget must be at least 28, got 7, .*not even to hear from every arm once",
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


@pytest.mark.parametrize("words", ["identify --delta high", "identify --seed -1", "idenitfy"])
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
        ("", "has no column 'left' for left; its columns are none: the file is empty"),
        ("left,right\n", "column 'left' of .*rewards.csv is empty: left has no rewards"),
        ("right,other\n0,1\n", "no column 'left' for left; its columns are right, other"),
        ("left,right\n0.5,0.5\nlots,0.5\n", "rewards.csv, line 3.* finite number, got 'lots'"),
        ("left,right\n0.5,0.5\n,0.5\n", "rewards.csv, line 3.* finite number, got ''"),
        ("left,right\n0.5,0.5\n0.5\n", "rewards.csv, line 3.* finite number, got None"),
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
