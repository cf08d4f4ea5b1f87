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
    "an unknown family": (("simulate", "--arms", "cauchy:0,1"), "family .* got 'cauchy'"),
    "bounds of gaussian arms": (
        (*_GAUSSIAN, "--sd", "1", "--bounds", "0", "1"),
        r"arm 0 is gaussian, whose rewards leave the bounds \[0.0, 1.0\]",
    ),
    "no arms": (("simulate",), "give either a problem file or --arms"),
    "an unknown quantizer": (
        (*_ARMS, "--quantizer", "icq,icg"),
        "quantizer must be one of exact, icq, .* got 'icg'; did you mean icq",
    ),
    "an empty name": ((*_ARMS, "--quantizer", "icq,"), "quantizer must be one of .* got ''"),
    "an unknown prior": (
        (*_ARMS, "--quantizer", "icq", "--prior", "x"),
        "prior must be one of uniform, .* got 'x'",
    ),
    "bits for the default": ((*_ARMS, "--bits", "3"), "bits applies to none .* it is for icq"),
    "words for numbers": (
        (*_ARMS, "--delta", "0.1,x"),
        "delta must be numbers with commas, got '0.1,x'",
    ),
    "a hole in a list": ((*_ARMS, "--delta", "0.1,,1"), "delta must be numbers with commas"),
    "half a bit": ((*_ARMS, "--bits", "1.5"), "bits must be whole numbers .* got '1.5'"),
    "workers of a cluster": (
        (*_ARMS, "--workers", "2", "--cluster", "tcp://127.0.0.1:1"),
        "workers does not apply to a cluster",
    ),
    "an unknown link": ((*_ARMS, "--link", "pigeons"), "link must be one of .* got 'pigeons'"),
    "frames that a link does not carry": (
        (*_ARMS, "--quantizer", "exact", "--policy", "se", "--link", "lorawan-us915-dr0"),
        "lorawan-us915-dr0 carries 11 bytes up",
    ),
    "two outputs": ((*_ARMS, "--json", "--csv"), "--json.*--csv"),
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
