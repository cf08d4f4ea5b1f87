"""The law of a reward source, for every kind whose rewards do not depend on the hour."""

import math
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from bitarm.core.rewards import RewardSource
from bitarm.rewards.callables import CallableSource
from bitarm.rewards.draws import ModelSource
from bitarm.rewards.files import read_csv
from bitarm.rewards.recorded import IteratorSource, recorded
from bitarm.sim.models import Bernoulli, Beta, Gaussian


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
    "csv": lambda file: read_csv(file, "left", label="x"),
    "recorded": lambda file: recorded([i / 3 for i in range(200)], label="x"),
    "iterator": lambda file: IteratorSource((i / 3 for i in range(200)), label="x"),
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
