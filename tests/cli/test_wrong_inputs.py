"""Wrong inputs to every command: a sentence of its own that names the thing and what would do."""

import re
from pathlib import Path

import pytest
from cli.program import Command

_CSV = "a,b\n0.5,0.7\n0.6,0.8\n"
_ARMS = "".join(f'[[arm]]\nsource = "csv"\npath = "good.csv"\ncolumn = "{c}"\n' for c in "ab")
_BOUNDS = "[problem]\nbounds = [0.0, 1.0]\n"


def _recorded(file: str) -> str:
    return _BOUNDS + _ARMS.replace("good.csv", file)


def _commands(*lines: str) -> str:
    arms = "".join(f'[[arm]]\nsource = "command"\ncommand = "{line}"\n' for line in lines)
    return _BOUNDS + arms


_FILES = {
    "good.csv": _CSV,
    "good.toml": _BOUNDS + _ARMS,
    "beyond.toml": "[problem]\nbounds = [0.0, 0.65]\n" + _ARMS,
    "bare.toml": "[problem]\ndelta = 0.1\n" + _ARMS,
    "no_column.toml": _BOUNDS + _ARMS.replace('"b"', '"c"'),
    "no_file.toml": _BOUNDS + _ARMS.replace("good.csv", "bad.csv"),
    "empty_command.toml": _commands("", "echo 1"),
    "words_command.toml": _commands("echo x", "echo x"),
    "failing_command.toml": _commands("exit 3", "exit 3"),
    **{
        f"{name}.{kind}": text if kind == "csv" else _recorded(f"{name}.csv")
        for kind in ("csv", "toml")
        for name, text in (
            ("hole", "a,b\n0.5,\n"),
            ("thousands", 'a,b\n"1,000","2,000"\n'),
            ("percent", "a,b\n50%,70%\n"),
            ("open_quote", 'a,b\n"0.5,0.7\n0.6,0.8\n'),
            ("pipes", "a|b\n0.1|0.2\n"),
        )
    },
    "normal.toml": '[[arm]]\nsource = "gaussian"\nmean = 0.0\nsd = 1.0\n' * 2,
    "sourceless.toml": _BOUNDS + "[[arm]]\nmean = 0.5\n",
    "misspelt.toml": _BOUNDS + _ARMS.replace("column", "colum"),
    "twice.toml": "[problem]\ndelta = 0.1\ndelta = 0.2\n" + _ARMS,
    "folder.toml": _BOUNDS + _ARMS.replace("good.csv", "."),
    "homeless.toml": "delta = 0.1\n" + _ARMS,
}
_COINS = "simulate --arms bernoulli:0.5,0.6"
_NORMAL = "simulate --arms gaussian:0,1"
_BROKER = "--broker mqtt://127.0.0.1:1"
_UNKNOWN = (
    "sigma is needed where .* give bounds between which all rewards lie, .*, or a sigma for which "
    "they are sub-Gaussian; for Gaussian noise that is its standard deviation"
)

_WRONG: dict[str, str] = {
    "idenitfy": "No such command 'idenitfy'.*identify",
    # files
    "identify nowhere.toml": "problem file nowhere.toml cannot be read: No such file or directory",
    "identify .": "problem file . cannot be read: Is a directory",
    "identify good.csv": "good.csv is a table of numbers: write a problem file",
    # rewards of which nothing is known: at every entrance the same sentence, with what to give
    "identify bare.toml": _UNKNOWN,
    "identify normal.toml": _UNKNOWN,
    "identify bare.toml --policy lucb": _UNKNOWN,
    "simulate normal.toml": _UNKNOWN,
    "plan normal.toml --gap 0.1 --per-bit 1": _UNKNOWN,
    "plan --arms 3 --gap 0.1 --per-bit 1": _UNKNOWN,
    f"learner bare.toml --run a {_BROKER}": _UNKNOWN,
    "identify bare.toml --width bounded": "needs the bounds between which .* give sigma and use",
    "identify no_column.toml": "no column 'c' for arm-1; its columns are a, b",
    "identify no_file.toml": "rewards of arm-0 cannot be read from .*bad.csv",
    "identify beyond.toml": "2 of 2 rewards in column 'b' .* from 0.7 to 0.8: widen the bounds",
    "identify good.toml --bounds 0 0.55": "1 of 2 rewards in column 'a' .*: widen the bounds",
    "identify hole.toml": "line 2: a reward of arm-1 .* got '': leave the line out, or fill",
    "identify thousands.toml": "got '1,000': write it with a decimal point, and without separators",
    "identify percent.toml": "got '50%': write digits, a sign and a decimal point, and nothing",
    "identify pipes.toml": r"its columns are a\|b: one column alone, since commas, semicolons and",
    "identify open_quote.toml": "a quotation mark opens before it, and does not close in its line",
    "identify folder.toml": "rewards of arm-0 cannot be read from .: Is a directory$",
    "identify misspelt.toml": "of a csv arm must be one of path, column, .* did you mean column",
    "identify twice.toml": "twice.toml: not valid TOML: .* line 3",
    "identify utf16.toml": "cannot be read from .*utf16.csv, which is no text in UTF-8: save it",
    "identify latin.toml": "problem file latin.toml cannot be read: it is no text in UTF-8",
    "identify sourceless.toml": "arm 'arm-0': it needs a source, .* one of gaussian,",
    "identify homeless.toml": r"delta stands outside of its table: write it under \[problem\]",
    "identify empty_command.toml": "shell line of arm-0 is empty: name a program to run",
    "identify words_command.toml": "must print a number a line, it printed 'x'",
    "identify failing_command.toml": r"shell line of arm-1 \(exit 3\) ended \(3\) after 0 rewards",
    # the problem
    "identify --delta 0": r"delta must lie in \(0, 1\), got 0",
    "identify --delta 1.5": r"delta must lie in \(0, 1\), got 1.5",
    "identify --delta high": "'--delta': .*valid",
    "identify --sigma -1": "sigma must be a finite number above 0, got -1",
    "identify --bounds 1 0": "bounds must be two numbers .*, the lower first, got 1.0 and 0.0",
    "identify --bounds 1": "'--bounds' requires 2 arguments",
    "identify --policy se --epsilon -0.1": "epsilon must be a finite number, 0 or more, got -0.1",
    "identify --policy se --epsilon nan": "epsilon must be a finite number, 0 or more, got nan",
    "identify --dleta 0.1": "No such option: --dleta .*--delta",
    # the scheme
    "identify --quantizer ICQ": "quantizer must be one of exact, .* did you mean icq",
    "identify --quantizer icg": "quantizer must be one of exact, .* did you mean icq",
    "identify --quantizer exact --bits 3": "bits does not apply to the quantizer exact; it is for",
    "identify --quantizer icq --bits 0": "bits must lie between 1 and 32, got 0",
    "identify --quantizer icq --bits 2.5": "'--bits': .*integer",
    "identify --policy luc": "policy must be one of .* did you mean lucb",
    "identify --width papre": "width must be one of .* did you mean paper",
    "identify --policy se --growth 1": "growth must be a finite number above 1, got 1.0",
    "identify --policy se --first 0": "first must lie between 1 and .*, got 0",
    "identify --policy se --checkpoints 3,2": "checkpoints must increase, got 2 after 3",
    "identify --policy se --checkpoints 3,x": "checkpoints must be whole numbers with commas, got",
    "identify --policy se --checkpoints 1,2 --growth 2": "growth does not apply to a list of check",
    "identify --policy se --pull-budget 100": "pull_budget does not apply .* sequential-halving",
    "identify --policy sequential-halving": "needs a pull_budget: the pulls of all arms together",
    "identify --policy sequential-halving --pull-budget 99 --delta 0.1": "delta does not apply .*:",
    # limits, planning, output
    "identify --max-rounds 0": "limit on rounds must be at least 1, got 0",
    "identify --max-samples -5": "limit on samples must be at least 1, got -5",
    "identify --max-bits x": "'--max-bits': .*integer",
    "identify --seed -1": "seed must be a whole number between 0 and 2.64 − 1, got -1",
    "identify --seed 1.5": "'--seed': .*integer",
    "identify --pace -1": "'--pace': .*0",
    "identify --log-level loud": "'loud' is not one of 'debug', 'info', 'warning', 'error'",
    "identify --link lora": "link must be one of lorawan-eu868-dr0, .* got 'lora'",
    "identify --gap 0.1": "--gap has no effect without --plan",
    "identify --plan --quantizer icq": "--plan chooses the scheme: leave out --quantizer",
    "identify --plan --gaps 0.1,x --per-bit 1": "gaps must be numbers with commas, got '0.1,x'",
    # simulations
    "simulate": "give either a problem file or --arms, such as --arms bernoulli:0.7,0.5",
    "simulate good.toml": "arm 'arm-0' has a csv source: only models are simulated",
    "simulate --arms bernoulli": "arms are written as bernoulli:0.7,0.5,…, got 'bernoulli'",
    "simulate --arms bernuli:0.5,0.6": "family of arms must be one of .* did you mean bernoulli",
    "simulate --arms bernoulli:0.5": "at least 2 arms are needed to tell which is best, got 1",
    "simulate --arms bernoulli:0.5,x": "means of arms must be numbers, got '0.5,x'",
    "simulate --arms bernoulli:0.5,1.5": r"mean of a Bernoulli arm must lie in \[0, 1\], got 1.5",
    _NORMAL: "a gaussian arm needs sd",
    f"{_NORMAL} --sd -1": "sd must be a finite number above 0, got -1.0",
    f"{_NORMAL} --sd 1 --bounds 0 1": r"arm 0 is gaussian, whose rewards leave the bounds",
    f"{_COINS} --sd 1": "sd does not apply to a bernoulli arm",
    f"{_COINS} --trials 0": "trials must be at least 1, got 0",
    f"{_COINS} --trials 99999999999999": "trials must be at most 10,000,000,000, got 99,999,999",
    "schema good.csv": "good.csv was left as it is: not valid TOML",
    f"{_COINS} --workers 0": "workers must be at least 1, got 0",
    f"{_COINS} --json --csv": "give either --json or --csv, not both",
    f"{_COINS} --bits 3 --quantizer exact": "bits applies to none of these settings; it is for icq",
    f"{_COINS} --delta 0.1,x": "delta must be numbers with commas, got '0.1,x'",
    f"{_COINS} --cluster tcp://127.0.0.1:1 --workers 2": "workers does not apply to a cluster: it",
    # runs, the network, the others
    "runs prune": r"which runs to forget: by age \(--older-than\), by number \(--keep\)",
    "runs show last": "there is no last run: the journal has none yet",
    "runs show 7": "no run '7'",
    "runs replay zzz": "a run is named by its number, by the 8 hex digits .*, or by .last.; got",
    "runs export last --format xml": "'xml' is not one of 'jsonl', 'csv'",
    "agent good.toml": "Missing option '--agent'",
    f"agent good.toml --run a {_BROKER} --agent nobody": "no arm of agent .nobody.; it has arm-0",
    "learner good.toml --run a --broker ftp://127.0.0.1": "address is mqtt://host.*, got 'ftp:",
    f"learner good.toml --run a/b {_BROKER}": "name of a run must be 1 to 64 letters, .* got 'a/b'",
    "dashboard --port 99999999": "'--port': .*65535",
    "plan": "give one guess of the gaps: gap .*, gaps .*, or gap_prior",
    "plan --arms 1 --gap 0.1 --sigma 1 --per-bit 1": "at least 2 arms are needed to tell which",
    "plan --arms 3 --gap 0.1 --sigma 1": "every price is 0, .*: give a price per bit",
    "plan --arms 3 --gap -1 --sigma 1 --per-bit 1": "a gap must be a finite number above 0, got -1",
    "reproduce nothing": "experiment must be one of bounded, .* got 'nothing'",
}


@pytest.mark.parametrize("line", _WRONG)
def test_a_wrong_input_is_refused_with_a_sentence_of_its_own(
    line: str, bitarm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "utf16.csv").write_text(_CSV, encoding="utf-16")
    (tmp_path / "utf16.toml").write_text(_recorded("utf16.csv"), encoding="utf-8")
    (tmp_path / "latin.toml").write_text('[[arm]]\nname = "é"\n', encoding="latin-1")
    monkeypatch.chdir(tmp_path)
    done = bitarm(*line.split())
    assert done.code == 2, done.err
    said = " ".join(re.sub("[╭╮╰╯│─]", " ", done.err).split())  # typer frames what it refuses
    assert re.search(_WRONG[line], said), said
    assert "Traceback" not in done.err
    assert done.out == ""
