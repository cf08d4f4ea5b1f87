"""Columns of CSV files: read in order, refused with arm and file."""

import math
from pathlib import Path

import pytest

from bitarm.errors import RewardError
from bitarm.rewards.files import read_csv


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    file = tmp_path / "rewards.csv"
    rows = "".join(f"{i},{math.sin(i)!r},{i / 7!r}\n" for i in range(200))
    file.write_text("trial,left,right\n" + rows, encoding="utf-8")
    return file


def test_a_csv_column_is_read_in_the_order_of_its_rows(csv_file: Path) -> None:
    source = read_csv(csv_file, "right", label="x")
    assert list(source.pull(3)) == [0.0, 1 / 7, 2 / 7]
    assert list(source.pull(197))[-1] == 199 / 7


def test_a_csv_column_that_runs_out_says_how_many_rows_there_are(csv_file: Path) -> None:
    source = read_csv(csv_file, "left", label="gateway-7")
    source.pull(150)
    with pytest.raises(RewardError) as caught:
        source.pull(51)
    assert str(caught.value) == (
        f"gateway-7 ran out of rewards: column 'left' of {csv_file} has 200 rows, "
        "201 are needed now: record more"
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
        read_csv(file, "left", label="gateway-7")
    assert "gateway-7" in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("content", [b"left\n\xff\xfe\n", b"left\n0.5\x00\n"])
def test_a_csv_file_that_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    with pytest.raises(RewardError, match=r"bad\.csv"):
        read_csv(file, "left", label="x")


@pytest.mark.parametrize(
    ("start", "remedy"),
    [
        (b"\x1f\x8b\x08\x00\xff\n", "it is compressed, unpack it first"),
        (b"PK\x03\x04\xff\n", "it is an archive or a workbook, save the sheet as CSV"),
        ("left\n½\n".encode("utf-16"), "save it so, as spreadsheets offer"),
    ],
)
def test_a_file_that_is_no_text_is_told_how_to_make_one(
    start: bytes, remedy: str, tmp_path: Path
) -> None:
    file = tmp_path / "packed.csv"
    file.write_bytes(start)
    with pytest.raises(RewardError, match=f"no text in UTF-8: {remedy}"):
        read_csv(file, "left", label="x")


def test_a_quotation_mark_that_does_not_close_is_not_answered_with_the_whole_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "open.csv"
    file.write_text('left\n"0.5\n' + "0.25\n" * 1000, encoding="utf-8")
    with pytest.raises(RewardError, match="a quotation mark opens before it") as caught:
        read_csv(file, "left", label="x")
    assert len(str(caught.value)) < 300


def test_a_csv_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "from-a-spreadsheet.csv"
    file.write_text("left,right\n0.5,0.25\n", encoding="utf-8-sig")
    assert list(read_csv(file, "left", label="x").pull(1)) == [0.5]


@pytest.mark.parametrize("place", ["nowhere.csv", "."])
def test_a_csv_file_that_cannot_be_opened_is_refused(place: str, tmp_path: Path) -> None:
    with pytest.raises(RewardError, match=r"the rewards of gateway-7 cannot be read from "):
        read_csv(tmp_path / place, "left", label="gateway-7")


@pytest.mark.parametrize(
    "text",
    [
        "left;right\n0.5;0.25\n0.75;1\n",
        "left;right\n0,5;0,25\n0,75;1\n",
        "left\tright\n0,5\t0.25\n0.75\t1\n",
        'left,right\n"0.5",0.25\n0.75,1\n',
        " left , right\n0.5,0.25\n\n0.75,1\n",
        "left\n0.5\n0.75\n",
    ],
)
def test_columns_may_be_separated_as_spreadsheets_do(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(text, encoding="utf-8")
    assert list(read_csv(file, "left", label="x").pull(2)) == [0.5, 0.75]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.5,0.25\n0.75,1\n", r"first line must name the columns.* numbers \(0.5, 0.25\)"),
        ("0,5;0,25\n", "first line must name the columns"),
        (",,\n1,2,3\n", "first line must name the columns.* no names"),
        ("left,right\n0,5,0,25\n", "line 2: the header names 2 columns, and this line has 4; if"),
        ("left;right\n1.234,5;2\n", "must be a finite number, got '1.234,5'"),
        ("left\n1e400\n", "line 2: .* must be a number that a float can hold, got '1e400'"),
        ("left,left\n1,2\n", "has 2 columns 'left': x needs one of its own"),
        ("a;b\n1;2\n", r"no column 'left' for x; its columns are a, b \(separated by semicolons"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_the_reason(
    text: str, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RewardError, match=why):
        read_csv(file, "left", label="x")
