"""Arrow in and out: tables as arms, and results as tables that Parquet keeps."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bitarm
from bitarm.errors import ConfigError, RefusedRewardError

_RNG = np.random.default_rng(1)
_TABLE = pa.table({"low": _RNG.random(300) / 2, "high": 0.5 + _RNG.random(300) / 2})


@pytest.mark.parametrize(
    "arms",
    [
        _TABLE,
        {name: _TABLE[name] for name in _TABLE.column_names},
        {name: _TABLE[name].chunk(0) for name in _TABLE.column_names},
    ],
    ids=["table", "chunked columns", "arrays"],
)
def test_tables_and_columns_of_arrow_are_arms(arms: object) -> None:
    result = bitarm.identify(arms, bounds=(0, 1), seed=1)  # type: ignore[arg-type]
    assert result.best_arm_name == "high"


def test_a_value_that_is_missing_is_named() -> None:
    holes = pa.table({"a": pa.array([0.5, None]), "b": [0.1, 0.2]})
    with pytest.raises(RefusedRewardError, match=r"the data of a .* at index 1 is None"):
        bitarm.identify(holes, bounds=(0, 1))


def test_results_go_through_parquet(tmp_path: Path) -> None:
    result = bitarm.identify(_TABLE, bounds=(0, 1), seed=1)
    path = tmp_path / "rounds.parquet"
    pq.write_table(result.to_arrow("rounds"), path)
    back = pq.read_table(path)
    assert back["mean"].to_pylist() == [told.mean for told in result.history]
    assert result.to_arrow().column_names == list(result.to_frame().columns)


def test_a_grouped_table_says_how_its_groups_become_arms() -> None:
    import pandas as pd

    long = pd.DataFrame({"arm": ["x", "y"] * 200, "reward": [0.1, 0.9] * 200})
    with pytest.raises(ConfigError, match=r"dict\(iter\(table.groupby\('arm'\)\['reward'\]\)\)"):
        bitarm.identify(long.groupby("arm"), bounds=(0, 1))
    groups = dict(iter(long.groupby("arm")["reward"]))
    assert bitarm.identify(groups, bounds=(0, 1), seed=1).best_arm_name == "y"
