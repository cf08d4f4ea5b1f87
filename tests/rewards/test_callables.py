"""Rewards from functions: which numbers they may return, and how a file names them."""

import gc
import math
import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bitarm.errors import ConfigError, NoMoreRewardsError, RewardError
from bitarm.rewards.callables import CallableSource, load_callable


@pytest.fixture(autouse=True)
def _imports_undone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("given", "reward"),
    [
        *((1, 1.0), (True, 1.0), (Fraction(1, 4), 0.25)),
        *((np.float32(0.5), 0.5), (np.int64(3), 3.0), (np.True_, 1.0), (np.array(0.5), 0.5)),
    ],
    ids=repr,
)
def test_a_function_may_return_any_real_number(given: Any, reward: float) -> None:
    assert list(CallableSource(lambda: given, label="x").pull(1)) == [reward]


@pytest.mark.parametrize(
    "given",
    ["0.5", None, 1j, [0.5], Decimal("0.5"), np.array([0.5]), np.str_("1"), np.datetime64("2020")],
    ids=repr,
)
def test_a_function_that_returns_something_else_is_named(given: Any) -> None:
    source = CallableSource(lambda: given, label="gateway-7")
    expected = f"the source of gateway-7 must return a number, got {given!r}"
    with pytest.raises(RewardError, match=re.escape(expected)):
        source.pull(1)


async def _wait() -> float:
    return 0.5


@pytest.mark.filterwarnings("error")  # as of a coroutine that nobody awaited
@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (_wait, r"it is an async function; give one that waits, such as .*asyncio\.run"),
        (lambda: iter([0.5]), "call the function once, and give the generator"),
    ],
)
def test_a_function_that_returns_what_has_the_reward_is_told_how_to_give_it(
    function: Callable[[], Any], remedy: str
) -> None:
    with pytest.raises(RewardError, match=remedy):
        CallableSource(function, label="x").pull(1)
    gc.collect()


def test_a_number_that_no_float_can_hold_is_infinite_and_so_refused_with_its_batch() -> None:
    assert list(CallableSource(lambda: 10**400, label="x").pull(1)) == [math.inf]


def _fail() -> float:
    raise ConnectionError("modem lost")


def test_a_function_that_raises_is_named_with_its_error() -> None:
    source = CallableSource(_fail, label="gateway-7")
    with pytest.raises(RewardError, match="gateway-7 raised ConnectionError: modem lost") as caught:
        source.pull(3)
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_a_function_may_end_as_an_iterator_does() -> None:
    rewards = iter([0.25, 0.5])
    source = CallableSource(lambda: next(rewards), label="gateway-7")
    assert list(source.pull(2)) == [0.25, 0.5]
    with pytest.raises(NoMoreRewardsError, match=r"gateway-7 ran out .* StopIteration after 2"):
        source.pull(1)


def test_an_interruption_of_a_function_is_not_its_fault() -> None:
    def interrupted() -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CallableSource(interrupted, label="x").pull(1)


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
