"""`bitarm identify`: one JSON object, streams apart, repeatable runs, limits and caveats."""

import json
import re
from pathlib import Path

import pytest
from cli.program import PAPER, PAPER_SCHEME, Command, callables, problem

from bitarm import __version__
from bitarm.core.events import RunEnded, TrafficMeasured
from bitarm.core.quantizers import CHOICES
from bitarm.core.result import RunResult
from bitarm.store import SqliteJournal

_FIXED_NAMES = {
    "best_arm",
    "outcome",
    "guarantee",
    "rounds",
    "samples",
    "payload_bits",
    "payload_bytes",
    "wire_bytes",
    "delta",
    "sigma",
    "growth",
    "bits",
    "quantizer",
    "policy",
    "width",
    "seed",
}
_LIMITS = [
    ("--max-rounds", 3, "round_limit", "the limit on rounds was reached"),
    ("--max-samples", 100, "sample_limit", "the limit on samples was reached"),
    ("--max-bits", 50, "bit_limit", "the limit on bits was reached"),
]


def _write(folder: Path, text: str) -> Path:
    file = folder / "problem.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_json_is_one_object_on_stdout_and_nothing_else_anywhere(
    apart: Command, journal: SqliteJournal
) -> None:
    done = apart("identify", "--seed", 1, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    result = done.json
    assert set(result) >= _FIXED_NAMES
    words = {
        "kappa",
        "kappa_first",
        "kappa_cut",
        "kappa_pilot",
        "kappa_place",
        "start",
        "cap",
        "patience",
        "behind",
        "aim",
        "first",
    }
    fields = {name for name in RunResult.__dataclass_fields__ if name != "words"}
    assert set(result) == {"run", *fields, *words}
    assert (result["run"], result["outcome"], result["guarantee"]) == (1, "decided", 0.05)
    assert (result["best_arm"], result["best_arm_name"]) == (2, "water-tower")
    assert (result["quantizer"], result["bits"], result["policy"]) == ("dyadic", None, "challenge")
    assert (result["width"], result["growth"], result["seed"]) == ("bounded", None, 1)
    assert (result["delta"], result["bounds"]) == (0.05, [0.0, 1.0])
    assert set(result["wire_bytes"]) == {"up", "down"}
    assert result["payload_bits"] <= 8 * result["payload_bytes"] < 8 * result["wire_bytes"]["up"]
    assert len(result["arms"]) == 8


@pytest.mark.parametrize(("flag", "limit", "outcome", "words"), _LIMITS)
def test_a_limit_ends_with_code_3_and_names_no_best_arm(
    flag: str, limit: int, outcome: str, words: str, bitarm: Command
) -> None:
    done = bitarm("identify", "--seed", 1, "--json", flag, limit)
    assert (done.code, done.err) == (3, "")
    result = done.json
    assert set(result) >= _FIXED_NAMES
    assert (result["outcome"], result["best_arm"], result["best_arm_name"]) == (outcome, None, None)
    assert result["guarantee"] is None
    assert result["guarantee_reason"] == f"no answer: the run ended with {outcome}"
    spent = {"round_limit": "rounds", "sample_limit": "samples", "bit_limit": "payload_bits"}
    assert 0 < result[spent[outcome]] <= limit
    assert "water-tower" in result["contenders"]
    assert result["arms"][2]["name"] == "water-tower"

    shown = bitarm("identify", "--seed", 1, flag, limit)
    assert shown.code == 3
    assert f"none: {words}. Still in the race: " in " ".join(shown.out.split())


def test_a_table_of_checkpoints_that_ends_is_a_limit_on_samples(
    bitarm: Command, tmp_path: Path
) -> None:
    file = _write(tmp_path, problem(scheme=f"{PAPER_SCHEME}\ncheckpoints = [1, 3]"))
    done = bitarm("identify", file, "--seed", 1, "--json")
    assert (done.code, done.json["outcome"]) == (3, "sample_limit")
    assert (done.json["growth"], done.json["rounds"]) == (None, 2)


def test_the_same_seed_repeats_to_the_byte(apart: Command) -> None:
    first, second = (apart("identify", "--seed", 12, "--json") for _ in range(2))
    assert first.out.startswith('{"run": 1,')
    assert second.out == first.out.replace('{"run": 1,', '{"run": 2,', 1)


def test_without_a_seed_each_run_draws_one_and_says_which(bitarm: Command) -> None:
    seeds = {bitarm("identify", "--json").json["seed"] for _ in range(3)}
    assert len(seeds) == 3
    shown = bitarm("identify")
    (seed,) = re.findall(r"^seed +(\d+) *$", shown.out, re.MULTILINE)
    again = bitarm("identify", "--seed", seed)
    fingerprint = re.compile(r"^run .*$", re.MULTILINE)
    assert fingerprint.sub("", again.out) == fingerprint.sub("", shown.out)


def test_results_go_to_stdout_and_logs_to_stderr(apart: Command) -> None:
    done = apart("identify", "--seed", 1, "--json", "--log-level", "info")
    assert done.json["best_arm_name"] == "water-tower"
    lines = done.err.splitlines()
    assert re.search(r" INFO run [0-9a-f]{8} opened: 8 arms, dyadic, ", lines[0])
    assert any(re.search(r" is out in round \d+: water-tower is better$", line) for line in lines)
    assert lines[-1].endswith(" INFO ended: water-tower is the best arm")


@pytest.mark.parametrize("level", ["debug", "info"])
def test_json_logs_are_one_object_a_line(level: str, bitarm: Command) -> None:
    done = bitarm("identify", "--seed", 1, "--json", "--log-json", "--log-level", level)
    assert done.json["outcome"] == "decided"
    lines = [json.loads(line) for line in done.err.splitlines()]
    known = {"at", "level", "logger", "text", "event", "run"}
    assert all(known <= set(line) <= known | {"arm"} for line in lines)
    names = [line["event"]["name"] for line in lines]
    assert names[0] == "run_opened"
    assert "run_ended" in names
    assert ("report_accepted" in names) == (level == "debug")


def test_a_pipe_sees_the_answer_and_no_live_table(apart: Command) -> None:
    done = apart("identify", "--seed", 1)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert "├" not in done.out
    assert re.search(r"^best arm +water-tower \(arm 2\) *$", done.out, re.MULTILINE)


def test_a_sigma_that_the_models_break_voids_the_guarantee(bitarm: Command) -> None:
    done = bitarm("identify", "--seed", 1, "--json", "--sigma", 0.05)
    reason = "sigma = 0.05 is too small for these rewards: 0.1119 is valid"
    assert (done.code, done.json["outcome"], done.json["guarantee"]) == (0, "decided", None)
    assert done.json["guarantee_reason"] == reason
    assert f"WARNING caveat: {reason}" in done.err


def test_a_sigma_that_is_valid_keeps_the_guarantee_and_says_nothing(bitarm: Command) -> None:
    done = bitarm("identify", "--seed", 1, "--json", "--sigma", 0.1118034)
    assert (done.json["guarantee"], done.err) == (0.05, "")


_OUTSIDE = problem(
    problem="bounds = [0.25, 0.75]\nsigma = 0.5",
    scheme=f'{PAPER_SCHEME}\nprior = "midpoint"',
    limits="rounds = 20",
)


def test_a_reward_outside_the_bounds_is_an_error(bitarm: Command, tmp_path: Path) -> None:
    done = bitarm("identify", _write(tmp_path, _OUTSIDE), "--seed", 1)
    assert (done.code, done.out) == (2, "")
    assert re.search(r"low \(arm 0\): .*reward of (0|1)\.0 lies outside .*0\.25, 0\.75", done.err)
    assert "widen the bounds, or ask for clipping" in done.err


@pytest.mark.parametrize("by_flag", [True, False])
def test_clipping_is_counted_against_the_guarantee(
    bitarm: Command, tmp_path: Path, *, by_flag: bool
) -> None:
    text = _OUTSIDE if by_flag else _OUTSIDE.replace("[problem]", "[problem]\nclip = true")
    file = _write(tmp_path, text)
    done = bitarm("identify", file, "--seed", 1, "--json", *(["--clip"] if by_flag else []))
    assert (done.code, done.json["outcome"], done.json["guarantee"]) == (0, "decided", None)
    assert done.json["guarantee_reason"] == (
        "rewards outside the bounds were clipped, which moves the means"
    )
    assert done.err.count("clipped") == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise OSError('cable')", r"high \(arm 1\): .* raised OSError: cable"),
        ("return 'lots'", r"high \(arm 1\): .*must return a number, got 'lots'"),
        ("return None", r"high \(arm 1\): .*must return a number, got None"),
        ("return float('nan')", r"high \(arm 1\): a reward must be a finite number, got nan"),
        ("return float('inf')", r"high \(arm 1\): a reward must be a finite number, got inf"),
        ("return -float('inf')", r"high \(arm 1\): a reward must be a finite number, got -inf"),
        ("return 10**400", r"high \(arm 1\): .*"),
        ("return 1.5", r"high \(arm 1\): a reward of 1.5 lies outside the bounds"),
        ("import sys; sys.exit(0)", r"high \(arm 1\): .* SystemExit"),
    ],
)
def test_a_function_that_fails_in_round_3_leaves_the_run_in_the_journal(
    body: str, message: str, bitarm: Command, journal: SqliteJournal, tmp_path: Path
) -> None:
    # t = 2, 4, 8: call 5 of an arm is the first of round 3.
    (tmp_path / "faulty.py").write_text(
        "calls = []\n"
        "def low():\n    return 0.5\n"
        "def high():\n    calls.append(1)\n    if len(calls) < 5:\n        return 0.5\n"
        f"    {body}\n",
        encoding="utf-8",
    )
    arms = callables("faulty", "low", "high")
    file = _write(tmp_path, problem(scheme=PAPER_SCHEME, arms=arms))
    done = bitarm("identify", file, "--seed", 1)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err)
    assert "Traceback" not in done.err

    (run,) = journal.runs()
    assert (run.outcome, run.best_arm) == ("interrupted", None)
    events = [entry.event for entry in journal.read(run.run)]
    assert [event.name for event in events[:9]] == [
        "run_opened",
        "round_opened",
        "report_accepted",
        "report_accepted",
        "round_opened",
        "report_accepted",
        "report_accepted",
        "round_opened",
        "run_ended",
    ]
    ending = events[8]
    assert isinstance(ending, RunEnded)
    assert (ending.rounds, ending.samples, ending.payload_bits) == (3, 8, 12)

    shown = bitarm("runs", "show", "last")
    assert shown.code == 0
    assert "none: the run was interrupted. Still in the race: low, high" in shown.out
    assert bitarm("runs", "replay", "last").code == 0


def test_rewards_that_run_out_say_so_and_lose_nothing(
    bitarm: Command, journal: SqliteJournal, tmp_path: Path
) -> None:
    rows = "".join("0.5,0.5\n" for _ in range(7))
    (tmp_path / "rewards.csv").write_text("left,right\n" + rows, encoding="utf-8")
    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "csv"\npath = "rewards.csv"\ncolumn = "{name}"\n'
        for name in ("left", "right")
    )
    file = _write(tmp_path, problem(scheme=PAPER_SCHEME, arms=arms))
    done = bitarm("identify", file, "--seed", 1)
    assert done.code == 3
    said = " ".join(done.out.split())
    assert "none: there are no more rewards. Still in the race: left, right" in said
    assert "no more recorded rewards of left (rows: 7), right (rows: 7)" in said
    assert "best guess left, by " in said
    assert "over right; nothing is proven of it" in said
    (run,) = journal.runs()
    assert run.outcome == "data_exhausted"
    assert sum(entry.event.name == "report_accepted" for entry in journal.read(run.run)) == 6


def test_the_journal_holds_what_the_channel_carried(
    bitarm: Command, journal: SqliteJournal
) -> None:
    result = bitarm("identify", "--seed", 1, "--json").json
    last = list(journal.read(1))[-1].event
    assert isinstance(last, TrafficMeasured)
    assert last.payload_bytes == result["payload_bytes"]
    assert {"up": last.wire_bytes_up, "down": last.wire_bytes_down} == result["wire_bytes"]


def test_the_run_is_numbered_as_itself_although_another_began_meanwhile(
    bitarm: Command, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "meddling.py").write_text(
        "import bitarm\n"
        "from bitarm.store import SqliteJournal\n"
        "calls = []\n"
        "def low():\n    return 0.1\n"
        "def high():\n"
        "    calls.append(1)\n"
        "    if len(calls) == 3:\n"
        f"        other = SqliteJournal.open({str(store)!r})\n"
        "        arms = {'x': low, 'y': lambda: 0.9}\n"
        "        bitarm.identify(arms, bounds=(0, 1), seed=9, journal=other)\n"
        "        other.close()\n"
        "    return 0.9\n",
        encoding="utf-8",
    )
    file = _write(tmp_path, problem(arms=callables("meddling", "low", "high")))
    done = bitarm("identify", file, "--seed", 1, "--json")
    assert done.code == 0
    assert done.json["run"] == 1
    kept = bitarm("runs", "show", 1, "--json").json
    assert kept["fingerprint"] == done.json["fingerprint"]


def test_flags_win_over_the_file(bitarm: Command, tmp_path: Path) -> None:
    scheme = 'quantizer = "icq"\nbits = 2'
    file = _write(tmp_path, problem(problem="delta = 0.2", scheme=scheme, limits="rounds = 1"))
    words = "--delta 0.1 --bits 4 --max-rounds 2 --growth 3 --width lil --policy lucb --seed 5"
    result = bitarm("identify", file, *words.split(), "--json").json
    assert (result["delta"], result["bits"], result["rounds"]) == (0.1, 4, 2)
    assert (result["growth"], result["width"], result["policy"]) == (3.0, "lil", "lucb")


def test_the_papers_scheme_is_two_flags_away(bitarm: Command) -> None:
    result = bitarm("identify", "--seed", 1, *PAPER, "--json").json
    assert (result["quantizer"], result["bits"], result["policy"]) == ("icq", 3, "se")
    assert (result["width"], result["growth"], result["guarantee"]) == ("paper", 2.0, 0.05)
    assert (result["rounds"], result["samples"], result["payload_bits"]) == (12, 9188, 183)


@pytest.mark.parametrize("quantizer", CHOICES.own)
def test_every_quantizer_can_be_chosen_for_the_built_in_example(
    quantizer: str, bitarm: Command
) -> None:
    done = bitarm("identify", "--quantizer", quantizer, "--sigma", 0.112, "--seed", 7, "--json")
    assert done.code == 0, done.err
    assert (done.json["quantizer"], done.json["best_arm_name"]) == (quantizer, "water-tower")


def test_the_version_is_printed(bitarm: Command) -> None:
    assert bitarm("--version").out == f"bitarm {__version__}\n"
