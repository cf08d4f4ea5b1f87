"""Reward sources: one law for all of them, and errors that name the arm and the source."""

import math
import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bitarm.core.rewards import RewardSource
from bitarm.errors import ConfigError, RewardError
from bitarm.runtime.sources import CallableSource, CsvSource, ModelSource, load_callable
from bitarm.sim.models import Bernoulli, Beta, Gaussian


@pytest.fixture(autouse=True)
def _imports_undone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    file = tmp_path / "rewards.csv"
    rows = "".join(f"{i},{math.sin(i)!r},{i / 7!r}\n" for i in range(200))
    file.write_text("trial,left,right\n" + rows, encoding="utf-8")
    return file


def _counter() -> Callable[[], float]:
    numbers = count()
    return lambda: float(next(numbers))


_MAKERS: dict[str, Callable[[Path], RewardSource]] = {
    "gaussian": lambda file: ModelSource(Gaussian(mean=1.0, sd=2.0), seed=5, arm=0),
    "bernoulli": lambda file: ModelSource(Bernoulli(mean=0.4), seed=5, arm=1),
    "beta": lambda file: ModelSource(Beta(mean=0.4, concentration=3.0), seed=5, arm=2),
    "callable": lambda file: CallableSource(_counter(), label="x"),
    "csv": lambda file: CsvSource(file, "left", label="x"),
}


@pytest.mark.parametrize("kind", _MAKERS)
@pytest.mark.parametrize("parts", [(1, 1), (7, 0, 93), (1,) * 20, (50, 50, 50)])
def test_pulling_in_parts_gives_the_same_rewards_as_pulling_at_once(
    kind: str, parts: tuple[int, ...], csv_file: Path
) -> None:
    in_parts, at_once = _MAKERS[kind](csv_file), _MAKERS[kind](csv_file)
    pulled = [reward for part in parts for reward in in_parts.pull(part)]
    assert pulled == list(at_once.pull(sum(parts)))
    assert len(pulled) == sum(parts)
    assert all(type(reward) is float for reward in pulled)


def test_a_model_draws_by_seed_and_arm() -> None:
    model = Gaussian(mean=0.0, sd=1.0)
    draws = {
        (seed, arm): tuple(ModelSource(model, seed=seed, arm=arm).pull(5))
        for seed in (1, 2, 2**64 - 1)
        for arm in (0, 1)
    }
    assert len(set(draws.values())) == len(draws)
    assert tuple(ModelSource(model, seed=1, arm=0).pull(5)) == draws[1, 0]


@pytest.mark.parametrize(
    ("given", "reward"),
    [(1, 1.0), (True, 1.0), (Fraction(1, 4), 0.25), (np.float32(0.5), 0.5), (np.int64(3), 3.0)],
)
def test_a_function_may_return_any_real_number(given: Any, reward: float) -> None:
    assert list(CallableSource(lambda: given, label="x").pull(1)) == [reward]


@pytest.mark.parametrize(
    "given", ["0.5", None, 1j, [0.5], Decimal("0.5"), np.array([0.5])], ids=repr
)
def test_a_function_that_returns_something_else_is_named(given: Any) -> None:
    source = CallableSource(lambda: given, label="gateway-7")
    expected = f"the source of gateway-7 must return a number, got {given!r}"
    with pytest.raises(RewardError, match=re.escape(expected)):
        source.pull(1)


def test_a_number_that_no_float_can_hold_is_a_bad_reward() -> None:
    with pytest.raises(RewardError, match="gateway-7"):
        CallableSource(lambda: 10**400, label="gateway-7").pull(1)


def _fail() -> float:
    raise ConnectionError("modem lost")


def test_a_function_that_raises_is_named_with_its_error() -> None:
    source = CallableSource(_fail, label="gateway-7")
    with pytest.raises(RewardError, match="gateway-7 raised ConnectionError: modem lost") as caught:
        source.pull(3)
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_an_interruption_of_a_function_is_not_its_fault() -> None:
    def interrupted() -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CallableSource(interrupted, label="x").pull(1)


def test_a_csv_column_is_read_in_the_order_of_its_rows(csv_file: Path) -> None:
    source = CsvSource(csv_file, "right", label="x")
    assert list(source.pull(3)) == [0.0, 1 / 7, 2 / 7]
    assert list(source.pull(197))[-1] == 199 / 7


def test_a_csv_column_that_runs_out_says_how_many_rows_there_are(csv_file: Path) -> None:
    source = CsvSource(csv_file, "left", label="gateway-7")
    source.pull(150)
    with pytest.raises(RewardError) as caught:
        source.pull(51)
    assert str(caught.value) == (
        f"gateway-7 ran out of rewards: column 'left' of {csv_file} has 200 rows, "
        "201 are needed now; record more, or set a limit on rounds"
    )
    assert len(source.pull(50)) == 50  # and the refusal took none of them


@pytest.mark.parametrize(
    "text",
    [
        "",
        "left\n",
        "right\n0.5\n",
        "left\n0.5\nwords\n",
        "left\n0.5\nnan\n",
        "left\n0.5\n1e999\n",
        'a,left\n1,0.5\n2,""\n',
        "a,left\n1,0.5\n2\n",
    ],
)
def test_a_csv_file_without_usable_rewards_names_arm_and_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RewardError) as caught:
        CsvSource(file, "left", label="gateway-7")
    assert "gateway-7" in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("content", [b"left\n\xff\xfe\n", b"left\n0.5\x00\n"])
def test_a_csv_file_that_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    with pytest.raises(RewardError, match=r"bad\.csv"):
        CsvSource(file, "left", label="x")


def test_a_csv_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "from-a-spreadsheet.csv"
    file.write_text("left,right\n0.5,0.25\n", encoding="utf-8-sig")
    assert list(CsvSource(file, "left", label="x").pull(1)) == [0.5]


@pytest.mark.parametrize("place", ["nowhere.csv", "."])
def test_a_csv_file_that_cannot_be_opened_is_refused(place: str, tmp_path: Path) -> None:
    with pytest.raises(RewardError, match=r"the rewards of gateway-7 cannot be read from "):
        CsvSource(tmp_path / place, "left", label="gateway-7")


def test_a_function_is_found_beside_the_problem_file(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("def one():\n    return 1.0\n", encoding="utf-8")
    assert load_callable("beside_it:one", tmp_path)() == 1.0


def test_two_folders_may_have_modules_of_the_same_name(tmp_path: Path) -> None:
    for folder, value in (("first", 1.0), ("second", 2.0)):
        (tmp_path / folder).mkdir()
        text = f"def reward():\n    return {value}\n"
        (tmp_path / folder / "same_name.py").write_text(text, encoding="utf-8")
    found = [load_callable("same_name:reward", tmp_path / name)() for name in ("first", "second")]
    assert found == [1.0, 2.0]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("module.function", "a callable is named module:function, got 'module.function'"),
        (":function", "a callable is named module:function"),
        ("module:", "a callable is named module:function"),
        ("no_such_module:f", "'no_such_module:f' cannot be imported: ModuleNotFoundError"),
        (".relative:f", "'.relative:f' cannot be imported"),
        ("math:nothing", "math has no function 'nothing'"),
        ("math:pi", "math has no function 'pi'"),
        ("raises_at_import:f", "cannot be imported: KeyError: 'why'"),
        ("has_a_typo:f", "cannot be imported: SyntaxError"),
    ],
)
def test_a_reference_that_names_no_function_is_refused(
    reference: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "raises_at_import.py").write_text("raise KeyError('why')\n", encoding="utf-8")
    (tmp_path / "has_a_typo.py").write_text("def f(:\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_callable(reference, tmp_path)
