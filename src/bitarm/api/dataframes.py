"""Results as tables of pandas or Arrow: plain values, under the names that JSON and CSV have."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bitarm.api.extras import require

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def frame_of(rows: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """A table with a column for each key, in the order in which they come up."""
    require("pandas", extra="frames", what="a table")
    import pandas as pd

    return pd.DataFrame(list(rows))


def arrow_of(rows: Iterable[Mapping[str, Any]]) -> "pa.Table":
    """The rows as a table of Arrow, which is what Parquet and Feather files hold."""
    require("pyarrow", extra="frames", what="a table of Arrow")
    import pyarrow as pa

    return pa.Table.from_pylist([dict(row) for row in rows])


def flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A record without nesting: what is in a part of it is called part_name."""
    found: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{key}_")
        else:
            found[prefix + key] = value
    return found
