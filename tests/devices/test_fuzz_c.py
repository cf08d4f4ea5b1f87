"""Frames and power cuts at random against the agent in C, under the sanitizers."""

import subprocess
from pathlib import Path

import pytest
from devices.benches import DEVICES, HERE, SANITIZERS, WARNINGS
from devices.vectors import recorded

STEPS = 30_000
FRAMES = "\n".join(
    sorted(
        {
            event.hear.hex()
            for case, outcomes in recorded()
            for event, outcome in zip(case.events, outcomes, strict=True)
            if outcome.refuse is None
        }
    )
)
ANSWER_IS_SAVED = "    if (!bitarm_save(agent))\n        return m->reply_size;\n"


def fuzzed(folder: Path, source: Path, seed: int, *flags: str) -> str | None:
    """What the agent did wrong; None if nothing."""
    program = folder / "fuzz"
    names = [f"-I{DEVICES / 'c'}", str(HERE / "fuzz.c"), str(source), "-lm", "-o", str(program)]
    subprocess.run(["gcc", *WARNINGS, *flags, *names], check=True)
    ran = subprocess.run(
        [str(program), str(seed), str(STEPS)], input=FRAMES, capture_output=True, text=True
    )
    return ran.stderr if ran.returncode else None


@pytest.mark.parametrize(
    "flags", [SANITIZERS, ("-DBITARM_FLOAT", *SANITIZERS)], ids=["double", "float"]
)
def test_nothing_makes_it_break_or_answer_twice(tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert fuzzed(tmp_path, DEVICES / "c" / "bitarm_agent.c", 1, *flags) is None


def test_an_agent_that_does_not_keep_its_answers_is_found_out(tmp_path: Path) -> None:
    text = (DEVICES / "c" / "bitarm_agent.c").read_text("utf-8")
    assert ANSWER_IS_SAVED in text
    forgetful = tmp_path / "forgetful.c"
    forgetful.write_text(text.replace(ANSWER_IS_SAVED, "    return m->reply_size;\n"), "utf-8")
    assert "was not kept" in (fuzzed(tmp_path, forgetful, 1) or "")
