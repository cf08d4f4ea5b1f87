"""`bitarm simulate`: what is refused, by name, before anything is run."""

import re
import time
from pathlib import Path

import pytest
from cli.program import ARMS, Command, callables, chunks, problem

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_ARMS = ("simulate", "--arms", "bernoulli:0.7,0.4")
_COINS = (*_ARMS, "--seed", "1", "--trials", "50")
_GAUSSIAN = ("simulate", "--arms", "gaussian:0,1")

_REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no trials": ((*_ARMS, "--trials", "0"), "trials must be at least 1, got 0"),
    "less than no trials": ((*_ARMS, "--trials", "-3"), "trials must be at least 1, got -3"),
    "a seed below 0": ((*_ARMS, "--seed", "-1"), "seed must be 0 or more, got -1"),
    "an unknown family": (("simulate", "--arms", "cauchy:0,1"), "family .* got 'cauchy'"),
    "a misspelt family": (
        ("simulate", "--arms", "bernouli:0.1,0.2"),
        "got 'bernouli'; did you mean bernoulli",
    ),
    "no means": (("simulate", "--arms", "bernoulli"), "arms are written as bernoulli:0.7,0.5"),
    "words for means": (("simulate", "--arms", "bernoulli:a,b"), "must be numbers, got 'a,b'"),
    "one arm": (("simulate", "--arms", "bernoulli:0.5"), "at least 2 arms are needed .* got 1"),
    "p above 1": (("simulate", "--arms", "bernoulli:1.2,0.5"), r"must lie in \[0, 1\], got 1.2"),
    "p below 0": (("simulate", "--arms", "bernoulli:-0.2,0.5"), r"must lie in \[0, 1\], got -0.2"),
    "no sd": (_GAUSSIAN, r"gaussian arm.*\bsd\b"),
    "sd of coins": ((*_ARMS, "--sd", "1"), "sd does not .* bernoulli arm"),
    "concentration of coins": (
        (*_ARMS, "--concentration", "1"),
        "concentration does not .* bernoulli arm",
    ),
    "bounds of gaussian arms": (
        (*_GAUSSIAN, "--sd", "1", "--bounds", "0", "1"),
        r"arm 0 is gaussian, whose rewards leave the bounds \[0.0, 1.0\]",
    ),
    "bounds too narrow": (
        (*_ARMS, "--bounds", "0", "0.9"),
        r"arm 0 is bernoulli, whose rewards leave the bounds \[0.0, 0.9\]",
    ),
    "bounds exchanged": ((*_ARMS, "--bounds", "1", "0"), "lower first, got 1.0 and 0.0"),
    "no arms": (("simulate",), "give either a problem file or --arms"),
    "an unknown quantizer": (
        (*_ARMS, "--quantizer", "icq,icg"),
        "quantizer must be one of exact, icq, .* got 'icg'; did you mean icq",
    ),
    "an unknown quantizer with its bits": (
        (*_ARMS, "--quantizer", "icg", "--bits", "3"),
        "quantizer must be one of exact, icq, .* got 'icg'; did you mean icq",
    ),
    "an empty name": ((*_ARMS, "--quantizer", "icq,"), "quantizer must be one of .* got ''"),
    "an unknown policy": ((*_ARMS, "--policy", "es"), "policy must be one of .* got 'es'"),
    "an unknown prior": (
        (*_ARMS, "--quantizer", "icq", "--prior", "x"),
        "prior must be one of uniform, .* got 'x'",
    ),
    "bits for the default": ((*_ARMS, "--bits", "3"), "bits applies to none .* it is for icq"),
    "an unknown width": (
        (*_ARMS, "--width", "x"),
        "width must be one of paper, lil, pairwise, pairwise-mixture",
    ),
    "words for numbers": (
        (*_ARMS, "--delta", "0.1,x"),
        "delta must be numbers with commas, got '0.1,x'",
    ),
    "a hole in a list": ((*_ARMS, "--delta", "0.1,,1"), "delta must be numbers with commas"),
    "half a bit": ((*_ARMS, "--bits", "1.5"), "bits must be whole numbers .* got '1.5'"),
    "δ of 1": ((*_ARMS, "--delta", "0.1,1"), r"delta must lie in \(0, 1\), got 1"),
    "bits for nobody": ((*_ARMS, "--quantizer", "exact", "--bits", "3"), "bits applies to none"),
    "no workers": ((*_ARMS, "--workers", "0"), "workers must be at least 1, got 0"),
    "workers of a cluster": (
        (*_ARMS, "--workers", "2", "--cluster", "tcp://127.0.0.1:1"),
        "workers does not apply to a cluster",
    ),
    "two outputs": ((*_ARMS, "--json", "--csv"), "--json.*--csv"),
    "no σ": (("simulate", "--arms", "poisson:1,2"), "sigma is needed"),
    "no chance": (("simulate", "--arms", "bernoulli:0,1"), "sigma is needed"),
    "a word for a number": ((*_ARMS, "--trials", "many"), "trials"),
    "an unknown flag": ((*_ARMS, "--detla", "0.1"), "--detla"),
    "a file that is not there": (("simulate", "none.toml"), "none.toml cannot be read"),
}


@pytest.mark.parametrize(("words", "message"), _REFUSED.values(), ids=_REFUSED.keys())
def test_bad_input_is_refused_with_what_is_wrong(
    bitarm: Command, cache: Path, words: tuple[str, ...], message: str
) -> None:
    done = bitarm(*words)
    assert done.code == 2, done.err
    assert re.search(message, done.err), done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert chunks(cache) == []


_SOURCES = {
    "callable": callables("nothing", "low", "high"),
    "csv": '[[arm]]\nname = "x"\nsource = "csv"\npath = "x.csv"\ncolumn = "y"\n' + ARMS,
}


@pytest.mark.parametrize(("source", "arms"), _SOURCES.items())
def test_arms_that_are_measured_are_refused(
    bitarm: Command, tmp_path: Path, source: str, arms: str
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(arms=arms), encoding="utf-8")
    done = bitarm("simulate", file)
    assert done.code == 2
    assert f"has a {source} source: only models are simulated" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--arms", "bernoulli:0.7,0.5"), "give either a problem file or --arms"),
        (("--sd", "1"), "sd applies to --arms only: the file has its own arms"),
    ],
)
def test_arms_that_are_described_twice_are_refused(
    bitarm: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(), encoding="utf-8")
    done = bitarm("simulate", file, *words)
    assert done.code == 2
    assert message in done.err


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_fails_as_a_peer_and_soon(apart: Command) -> None:
    begin = time.monotonic()
    done = apart(*_COINS, "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 4
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in done.err
    assert "Traceback" not in done.err
    assert time.monotonic() - begin < 40
