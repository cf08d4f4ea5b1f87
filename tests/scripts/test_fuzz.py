"""A few of the inputs of `scripts/fuzz.py`, at every subject; the long run is done by hand."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"
FUZZ = runpy.run_path(str(SCRIPT))
SUBJECTS = FUZZ["SUBJECTS"]


def test_nothing_that_is_read_breaks_its_reader() -> None:
    """A process of its own: files and loops that it opens end with it."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "4000", "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert [subject.name in done.stdout for subject in SUBJECTS] == [True] * len(SUBJECTS)
    assert "no failure" in done.stdout


def test_an_input_that_breaks_its_reader_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A kit that cannot fail is none."""

    def take(payload: bytes) -> None:
        raise KeyError(payload)

    inputs = SUBJECTS[0].inputs
    broken = FUZZ["Subject"](name="broken", share=1, inputs=inputs, begin=lambda: take)
    with pytest.raises(KeyError):
        FUZZ["attack"](broken, 1, seed=3)
    assert "broken, seed 3, input 0: b'" in capsys.readouterr().out


def test_the_shares_are_the_whole() -> None:
    assert sum(subject.share for subject in SUBJECTS) == 1000
