"""Problem files: every word that is read arrives, and overrides win word by word."""

from pathlib import Path
from typing import Any

import pytest

from bitarm import Problem, load_problem
from bitarm.api.problem import parse_problem
from bitarm.core.limits import Limits
from bitarm.core.policies import ChallengeElimination, Lucb
from bitarm.core.quantizers import Dyadic, Icq
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, LooksSchedule
from bitarm.errors import ConfigError

_FULL = """
[problem]
delta = 0.01
sigma = 2
bounds = [-1, 3]
epsilon = 0.25
clip = true

[scheme]
quantizer = "icq"
bits = 5
prior = "midpoint"
policy = "lucb"
width = "lil"
growth = 1.5
first = 4

[limits]
rounds = 10
samples = 1000
bits = 99

[[arm]]
source = "gaussian"
mean = 0
sd = 1

[[arm]]
name = "named"
source = "beta"
mean = 0.5
"""


def test_every_word_of_a_file_reaches_the_setup() -> None:
    problem = parse_problem(_FULL, Path())
    setup = problem.setup(seed=3)
    spec = setup.spec
    assert spec.arms == ("arm-0", "named")
    assert (spec.delta, spec.sigma, spec.bounds, spec.seed) == (0.01, 2.0, (-1.0, 3.0), 3)
    assert spec.quantizer == Icq(bits=5, prior="midpoint")
    assert spec.schedule == GeometricSchedule(growth=1.5, first=4)
    assert (spec.width, spec.priors) == ("lil", ())
    assert setup.policy == Lucb(epsilon=0.25)
    assert setup.limits == Limits(rounds=10, samples=1000, bits=99)
    assert problem.clip


def test_a_file_of_arms_alone_gets_every_default() -> None:
    text = "[problem]\nbounds = [0, 1]\n" + _FULL[_FULL.index("[[arm]]") :]
    problem = parse_problem(text, Path())
    spec = problem.setup(seed=3).spec
    assert (spec.delta, spec.width) == (0.05, "bounded")
    assert (spec.quantizer, spec.priors) == (Dyadic(), ())
    assert spec.schedule == LooksSchedule()
    assert problem.setup(seed=3).policy == ChallengeElimination()
    assert problem.setup(seed=3).limits == Limits()
    assert not problem.clip


def test_checkpoints_are_a_schedule() -> None:
    text = _FULL.replace("growth = 1.5\nfirst = 4", "checkpoints = [1, 5, 9]")
    assert parse_problem(text, Path()).setup(1).spec.schedule == ListedSchedule(
        checkpoints=(1, 5, 9)
    )


@pytest.mark.parametrize(
    "overrides",
    [
        {"problem": {"delta": 0.5}},
        {"problem": {"bounds": (0.0, 9.0)}},
        {"scheme": {"bits": 7}},
        {"limits": {"bits": 7}},
    ],
    ids=str,
)
def test_an_override_wins_over_its_word_and_leaves_the_others(
    overrides: dict[str, dict[str, Any]],
) -> None:
    problem, plain = parse_problem(_FULL, Path(), overrides), parse_problem(_FULL, Path())
    for table in ("problem", "scheme", "limits"):
        expected = {**getattr(plain, table), **overrides.get(table, {})}
        assert getattr(problem, table) == expected
    assert problem.setup(1) != plain.setup(1)


def test_an_override_is_checked_like_the_file() -> None:
    with pytest.raises(ConfigError, match=r"bits must be a whole number, got 2\.5"):
        parse_problem(_FULL, Path(), {"scheme": {"bits": 2.5}})


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "rewards.csv").write_text("a,b\n0.25,0.75\n", encoding="utf-8")
    arms = "".join(
        f'[[arm]]\nsource = "csv"\npath = "rewards.csv"\ncolumn = "{name}"\n' for name in "ab"
    )
    file = tmp_path / "problem.toml"
    file.write_text("[problem]\nbounds = [0, 1]\n" + arms, encoding="utf-8")
    problem = load_problem(file)
    assert isinstance(problem, Problem)
    assert [list(source.pull(1)) for source in problem.sources(seed=1)] == [[0.25], [0.75]]


def test_a_file_may_begin_with_the_mark_of_its_encoding(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text("[problem]\ndelta = 0.2\n", encoding="utf-8-sig")
    assert load_problem(file).problem == {"delta": 0.2}


def test_a_path_may_be_given_as_text(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(_FULL, encoding="utf-8")
    load: Any = load_problem
    assert load(str(file)) == load_problem(file)


def test_models_of_one_problem_draw_apart_and_repeat() -> None:
    arms = '[[arm]]\nsource = "gaussian"\nmean = 0\nsd = 1\n' * 2
    problem = parse_problem("[problem]\nsigma = 1\n" + arms, Path())
    first, second = (list(source.pull(3)) for source in problem.sources(seed=1))
    assert first != second
    assert [list(source.pull(3)) for source in problem.sources(seed=1)] == [first, second]
    assert list(problem.sources(seed=2)[0].pull(3)) != first


def test_a_whole_number_will_do_for_a_float_and_nothing_else() -> None:
    assert parse_problem(_FULL, Path()).problem["sigma"] == 2.0
    for wrong in ('"2"', "true", "[2]", "1979-05-27"):
        with pytest.raises(ConfigError, match="sigma must be a number, got"):
            parse_problem(_FULL.replace("sigma = 2", f"sigma = {wrong}"), Path())
