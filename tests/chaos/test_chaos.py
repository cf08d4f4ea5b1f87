"""A short attack, with every run of the tests; the long one is `python -m tests.chaos`."""

from collections import Counter
from pathlib import Path

import pytest
from chaos.faults import HARMLESS, LOSSES
from chaos.main import main
from chaos.processes import attack_processes
from chaos.schemes import SCHEMES
from chaos.tally import Tally
from chaos.trial import Trial, Verdict, attempt

pytestmark = pytest.mark.slow

_RUNS = 8  # in each part; all parts together have every scheme several times


@pytest.mark.parametrize("part", range(4))
def test_attacked_runs_end_as_they_may(part: int) -> None:
    tally = Tally()
    for seed in range(part * _RUNS, (part + 1) * _RUNS):
        trial = Trial.of(seed)
        tally.add(trial, attempt(trial))
    assert set(tally.schemes) == set(SCHEMES)
    assert tally.faults.total() > 30 * _RUNS
    assert tally.verdicts[Verdict.IDENTICAL] > 0


def test_every_kind_of_fault_happens() -> None:
    """Else the kit would prove nothing: each fault can be carried out, early in a few runs."""
    happened: Counter[str] = Counter()
    wanted = {*HARMLESS, *LOSSES, "disk full", "lost", "repeated", "delayed", "halved", "damaged"}
    for seed in range(100, 140):
        happened.update(attempt(Trial.of(seed)).faults)
        if wanted <= set(+happened):
            break
    assert wanted <= set(+happened), wanted - set(+happened)


def test_a_run_that_breaks_is_named_with_its_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kit that cannot fail is none: here no run may differ, whatever was lost."""

    def break_down(trial: Trial) -> None:
        raise AssertionError("another run than in one process")

    assert main(["--runs", "2", "--seed", "5"]) == 0
    assert "2 runs of 2 schemes" in capsys.readouterr().out
    monkeypatch.setattr("chaos.main.attempt", break_down)
    assert main(["--runs", "1", "--seed", "5"]) == 1
    assert "FAILED Trial(seed=5, scheme='lucb'" in capsys.readouterr().out


def test_real_processes_behind_a_bad_line_run_as_one_process_does(tmp_path: Path) -> None:
    faults = attack_processes(3, tmp_path, strikes=5)
    assert faults.total() >= 3
