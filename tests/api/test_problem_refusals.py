"""Problem files that cannot be read: which word or table is wrong, and what would be right.

What a value must be is tested where its rule lives; here is what only a file can get wrong.
"""

from pathlib import Path

import pytest
from cli.program import ARMS, problem

from bitarm.api.problem import parse_problem
from bitarm.errors import ConfigError


def _third(words: str) -> str:
    return ARMS + f'[[arm]]\nname = "third"\n{words}\n'


def _gaussian(words: str) -> str:
    return _third(f'source = "gaussian"\n{words}')


def _beta(words: str) -> str:
    return _third(f'source = "beta"\n{words}')


_FILES: dict[str, tuple[str, str]] = {
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
    "one name twice": (
        problem(arms=ARMS.replace('"high"', '"low"')),
        "different names, 'low' stands 2 times",
    ),
    "name of blanks": (
        problem(arms=ARMS.replace('"high"', '" "')),
        "arm 1 needs a name that can be read, got ' '",
    ),
    "arm as a table": ('[arm]\nname = "x"\n', r"arms are written as \[\[arm\]\] tables"),
    "name of a number": (
        problem(arms='[[arm]]\nname = 3\nsource = "beta"\n'),
        "the name of an arm must be a text, got 3",
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
    "mean a word": (
        problem(arms=_gaussian('mean = "high"\nsd = 1.0')),
        "arm 'third': mean must be a number, got 'high'",
    ),
    "mean out of range": (
        problem(arms=_beta("mean = 2")),
        r"arm 'third': mean must lie in \(0, 1\), got 2",
    ),
    "sd below 0": (
        problem(arms=_gaussian("mean = 0.0\nsd = -1.0")),
        "arm 'third': sd must be a finite number above 0, got -1",
    ),
    "timeout 0": (
        problem(arms=_third('source = "command"\ncommand = "x"\ntimeout = 0')),
        "arm 'third': timeout must be a finite number above 0, got 0",
    ),
    "topic of a run": (
        problem(arms=_third('source = "topic"\ntopic = "bitarm/v2/lab"')),
        "arm 'third': a sensor's topic is one topic outside bitarm/, got 'bitarm/v2/lab'",
    ),
    "topic of many sensors": (
        problem(arms=_third('source = "topic"\ntopic = "roof/+"')),
        r"arm 'third': a sensor's topic is one topic .*, got 'roof/\+'",
    ),
    "pointer without a slash": (
        problem(arms=_third('source = "topic"\ntopic = "roof"\npointer = "link/snr"')),
        "arm 'third': pointer must begin with /, .* got 'link/snr'",
    ),
    "problem a list": ("[[problem]]\ndelta = 0.1\n", r"\[problem\] must be a table"),
    "epsilon_quban with icq": (
        problem(scheme='quantizer = "icq"\nepsilon_quban = 0.5'),
        "epsilon_quban does not apply to the quantizer icq; it is for quban",
    ),
    "prior with fed-sel": (
        problem(scheme='quantizer = "fed-sel"\nprior = "midpoint"'),
        "prior does not apply to the quantizer fed-sel; it is for icq",
    ),
    "first with checkpoints": (
        problem(scheme="first = 2\ncheckpoints = [1, 2]"),
        "first does not apply to a list of checkpoints",
    ),
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
    "not TOML": ("[problem\n", "not valid TOML: .*line 1"),
    "lists too deep": (f"x = {'[' * 9999}{']' * 9999}", "not valid TOML: maximum recursion"),
    "a number too long": (f"x = {'9' * 9999}", "not valid TOML: Exceeds the limit"),
}


@pytest.mark.parametrize(("text", "message"), _FILES.values(), ids=_FILES)
def test_a_file_that_cannot_be_run_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_problem(text, Path()).setup(1)
