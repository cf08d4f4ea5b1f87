"""Rewards that were recorded in a column of a CSV file.

Columns are separated by commas, semicolons or tabs, as the header shows; where it is not by commas,
numbers may have decimal commas. The rest is refused with the reason.
"""

import csv
import math
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from bitarm.errors import RewardError
from bitarm.rewards.recorded import RecordedSource

_ONE_COLUMN = ": one column alone, since commas, semicolons and tabs are what separates them"
_NO_COLUMNS = "none: the first line is to name them, and it is blank"
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def read_csv(path: Path, column: str, *, label: str) -> RecordedSource:
    """A column of a CSV file, in the order of its rows.

    `label` names the arm in errors. RewardError if the file cannot be read, has no such column, or
    has something else than numbers there.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rewards = array("d", _column(file, path, column, label))
    except UnicodeDecodeError:
        raise RewardError(
            f"the rewards of {label} cannot be read from {path}, which is no text in UTF-8: "
            f"{_way_to_text(path)}"
        ) from None
    except (OSError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RewardError(f"the rewards of {label} cannot be read from {path}: {reason}") from None
    return RecordedSource(rewards, label=label, where=f"column {column!r} of {path}")


def _way_to_text(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(_GZIP):
        return "it is compressed, unpack it first (gunzip)"
    if start.startswith(_ZIP):
        return "it is an archive or a workbook, save the sheet as CSV"
    return "save it so, as spreadsheets offer under 'CSV UTF-8'"


def _column(file: TextIO, path: Path, column: str, label: str) -> Iterator[float]:
    first = file.readline()
    separator = max(_SEPARATORS, key=first.count)  # of none, commas
    names = [name.strip() for name in next(csv.reader([first], delimiter=separator), [])]
    _check_header(names, separator, path, column, label)
    place = names.index(column)
    rows = csv.reader(file, delimiter=separator)
    for row in rows:
        if not row:
            continue  # a blank line
        line = rows.line_num + 1
        if len(row) > len(names) or len(row) <= place:
            remedy = (
                "if these are decimal commas, separate the columns by semicolons"
                if len(row) > len(names)
                else f"leave the line out, or give it a reward of {label}"
            )
            raise RewardError(
                f"{path}, line {line}: the header names {len(names)} columns, and this line has "
                f"{len(row)}; {remedy}"
            )
        yield _number(row[place], separator, f"{path}, line {line}: a reward of {label}")


def _check_header(
    names: Sequence[str], separator: str, path: Path, column: str, label: str
) -> None:
    listed = ", ".join(name for name in names if name)
    if names and column not in names and not any(_is_name(name) for name in names):
        found = f"numbers ({listed})" if listed else "no names"
        raise RewardError(
            f"{path}: the first line must name the columns, one of them for {label}; it has {found}"
        )
    if names.count(column) > 1:
        raise RewardError(
            f"{path} has {names.count(column)} columns {column!r}: {label} needs one of its own"
        )
    if column not in names:
        by = f" (separated by {_SEPARATORS[separator]})" if len(names) > 1 else _ONE_COLUMN
        raise RewardError(
            f"{path} has no column {column!r} for {label}; "
            f"its columns are {listed + by if listed else _NO_COLUMNS}"
        )


def _is_name(text: str) -> bool:
    return any(letter.isalpha() and letter not in "eE" for letter in text)


def _number(text: str, separator: str, what: str) -> float:
    plain = text
    if separator != "," and "." not in plain:
        plain = plain.replace(",", ".", 1)  # a decimal comma
    try:
        value = math.nan if "_" in plain else float(plain)  # 1_000 is Python's spelling alone
    except ValueError:
        value = math.nan
    if math.isinf(value) and any(digit.isdigit() for digit in plain):
        raise RewardError(f"{what} must be a number that a float can hold, got {text!r:.60}")
    if not math.isfinite(value):
        raise RewardError(
            f"{what} must be a finite number, got {text!r:.60}: {_remedy(plain, separator)}"
        )
    return value


def _remedy(text: str, separator: str) -> str:
    if "\n" in text:
        return "a quotation mark opens before it, and does not close in its line"
    bare = text.strip().rstrip("%").strip()
    if not any(digit.isdigit() for digit in bare):
        return "leave the line out, or fill the number in"
    grouped = "," in bare if separator == "," else bare.count(",") + bare.count(".") > 1
    return (
        "write it with a decimal point, and without separators of thousands"
        if grouped
        else "write digits, a sign and a decimal point, and nothing else"
    )
